import type { Fault, FaultKind } from "#core/fault.ts";

/**
 * What a code of EC2, IAM, SSM, EKS, Pricing or S3 means for whoever made the call. Sources: Karpenter's pkg/errors; the
 * services' lists of error codes.
 */
const kindByCode: Readonly<Record<string, FaultKind>> = {
  ...all("throttled", [
    "RequestLimitExceeded",
    "Client.RequestLimitExceeded",
    "Throttling",
    "ThrottlingException",
    "ThrottledException",
    "RequestThrottled",
    "RequestThrottledException",
    "TooManyRequestsException",
    "EC2ThrottledException",
    "TooManyUpdates",
    "SlowDown",
  ]),
  ...all("unavailable", [
    "InternalError",
    "InternalFailure",
    "InternalServerError",
    "InternalServiceErrorException",
    "InternalErrorException",
    "ServerException",
    "ServiceFailure",
    "ServiceFailureException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
    "Unavailable",
    "RequestTimeout",
    "TimeoutError",
    "AbortError",
    "ConcurrentModification",
    "ConcurrentModificationException",
    // A credential that ran out is renewed by the next invocation, and says nothing of a right.
    "CredentialsProviderError",
    "ExpiredToken",
    "ExpiredTokenException",
    "RequestExpired",
  ]),
  ...all("forbidden", [
    "UnauthorizedOperation",
    "AccessDenied",
    "AccessDeniedException",
    "AuthFailure",
    "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
    "Blocked",
    "InvalidClientTokenId",
    "OptInRequired",
    "PendingVerification",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
  ]),
  ...all("not-found", [
    "InvalidCapacityReservationId.NotFound",
    "InvalidInstanceID.NotFound",
    "InvalidLaunchTemplateId.NotFound",
    "InvalidLaunchTemplateName.NotFoundException",
    "InvalidPlacementGroup.Unknown",
    "NoSuchBucket",
    "NoSuchEntity",
    "NoSuchEntityException",
    "NoSuchKey",
    "NotFound",
    "ParameterNotFound",
    "ResourceNotFoundException",
  ]),
  ...all("already-exists", [
    "EntityAlreadyExists",
    "EntityAlreadyExistsException",
    "InvalidLaunchTemplateName.AlreadyExistsException",
    "ResourceInUseException",
  ]),
  IdempotentParameterMismatch: "token-mismatch",
  IdempotentInstanceTerminated: "token-instance-terminated",
  ...all("insufficient-capacity", [
    "InsufficientCapacity",
    "InsufficientFreeAddressesInSubnet",
    "InsufficientHostCapacity",
    "InsufficientInstanceCapacity",
    "InsufficientReservedInstanceCapacity",
    "MaxFleetCountExceeded",
    "MaxSpotInstanceCountExceeded",
    "ReservationCapacityExceeded",
    "SpotMaxPriceTooLow",
    "UnfulfillableCapacity",
    "Unsupported",
    "VcpuLimitExceeded",
  ]),
};

/** Node and SDK names of connections that broke: the call may have taken effect or not. */
const broken =
  /^(ECONN|EPIPE|ENET|EHOST|ENOTFOUND|EAI_|ETIMEDOUT|ERR_SOCKET|ERR_STREAM_PREMATURE_CLOSE|UND_ERR)|^aborted$|socket hang up|NetworkingError/;
const messageCharactersMax = 400;

/** The fault behind whatever a client of the SDK threw. Never throws. */
export function faultOf(thrown: unknown): Fault {
  const error = fieldsOf(thrown);
  const metadata = fieldsOf(error.$metadata);
  const status = [metadata.httpStatusCode, fieldsOf(error.$response).statusCode].find(
    (each) => typeof each === "number",
  );
  const name = textOf(error.name) ?? "Error";
  const code = textOf(error.Code) ?? (name === "Error" ? textOf(error.code) : undefined) ?? name;
  const message = plainMessage(textOf(error.message) ?? code);
  return { kind: kindOf(code, status, [textOf(error.code), message]), code, message };
}

/** The kind of an error that came inside a successful answer, as those of CreateFleet. */
export function kindOfCode(code: string): FaultKind | undefined {
  return Object.hasOwn(kindByCode, code) ? kindByCode[code] : undefined;
}

/** Nobody has said who is calling, or what was said is over. */
export function lacksCredentials({ code }: Fault): boolean {
  return code === "CredentialsProviderError" || code.startsWith("ExpiredToken") || code === "RequestExpired";
}

export function isMissingLaunchTemplate(code: string): boolean {
  return code === "InvalidLaunchTemplateName.NotFoundException" || code === "InvalidLaunchTemplateId.NotFound";
}

/** One line, without the encoded blob that EC2 appends to a refusal. */
export function plainMessage(text: string): string {
  const line = text.split(/ ?Encoded authorization failure message:/)[0] ?? "";
  return line.replaceAll(/\s+/g, " ").trim().slice(0, messageCharactersMax);
}

function kindOf(code: string, status: number | undefined, texts: readonly (string | undefined)[]): FaultKind {
  const known = kindOfCode(code);
  if (known !== undefined) return known;
  if (texts.some((text) => broken.test(text ?? ""))) return "unavailable";
  if (status === undefined) return "invalid";
  // The service took the call on, and its answer cannot be read: a reply that broke off, a proxy's page.
  if (status < 300) return "unavailable";
  if (status === 429) return "throttled";
  if (status >= 500) return "unavailable";
  if (status === 401 || status === 403) return "forbidden";
  return "invalid";
}

function all(kind: FaultKind, codes: readonly string[]): Readonly<Record<string, FaultKind>> {
  return Object.fromEntries(codes.map((code) => [code, kind]));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
