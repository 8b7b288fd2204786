import type { Fault, FaultKind } from "#core/fault.ts";

/** Karpenter's words for why a launch failed, on the condition Launched and in metrics; the first that fits counts. */
const reasons: readonly {
  readonly reason: string;
  readonly code?: RegExp;
  readonly message?: RegExp;
  /** What a person is to do, where EC2 does not say it. */
  readonly remedy?: string;
}[] = [
  {
    reason: "SpotSLRCreationFailed",
    code: /ServiceLinkedRoleCreationNotPermitted/,
    remedy: "once an account: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com",
  },
  {
    reason: "AMIAuthorizationFailure",
    code: /^(UnauthorizedOperation|AccessDenied|AuthFailure)/,
    message: /\bimages?\b|\bami-/i,
  },
  { reason: "Unauthorized", code: /^(UnauthorizedOperation|AccessDenied|AuthFailure)/ },
  { reason: "SecurityGroupSubnetVPCMismatch", code: /^InvalidParameter/, message: /different networks/ },
  { reason: "InstanceProfileNameInvalid", message: /iamInstanceProfile\.name/i },
  { reason: "LaunchTemplateNotFound", code: /^InvalidLaunchTemplate(Id|Name)\.NotFound/ },
  {
    reason: "UserDataSizeLimitExceeded",
    message: /user ?data is limited|user ?data.*(size|exceed|too (large|long))/i,
    code: /^(InvalidParameterValue|InvalidUserData)/,
  },
  { reason: "InvalidAMIID", code: /^InvalidAMIID\.Malformed/ },
  { reason: "AMINotFound", code: /^InvalidAMIID\.NotFound/ },
  { reason: "FreeTierIneligible", message: /Free Tier/i },
  { reason: "FleetQuotaExceeded", code: /^MaxFleetCountExceeded/ },
  { reason: "AccountPendingVerification", code: /^PendingVerification/ },
  { reason: "SpotQuotaExceeded", code: /^MaxSpotInstanceCountExceeded/ },
  { reason: "VCPULimitExceeded", code: /^VcpuLimitExceeded/ },
  { reason: "InsufficientFreeAddressesInSubnet", code: /^InsufficientFreeAddressesInSubnet/ },
  { reason: "RequestLimitExceeded", code: /^(Client\.)?RequestLimitExceeded/ },
  { reason: "InternalError", code: /^InternalError/ },
];

/** Reasons that are a limit or a missing right of the account, behind which no offering of its kind can be had. */
const accountLimits = ["SpotSLRCreationFailed", "FleetQuotaExceeded", "SpotQuotaExceeded", "VCPULimitExceeded"];

export function isAccountLimit(code: string): boolean {
  return reasons.some((each) => each.code?.test(code) === true && accountLimits.includes(each.reason));
}

/** A want of capacity has a reason only where a person can mend it. */
const withoutReason: readonly FaultKind[] = ["insufficient-capacity", "token-mismatch", "token-instance-terminated"];

/** The fault with Karpenter's word for it; LaunchFailed, and the code in the message, where Karpenter has none. */
export function withReason(fault: Fault): Fault {
  const { code, message, kind } = fault;
  const found = reasons.find((each) => (each.code?.test(code) ?? true) && (each.message?.test(message) ?? true));
  if (found !== undefined) {
    const { reason, remedy } = found;
    return { ...fault, reason, ...(remedy === undefined ? {} : { message: `${message}; ${remedy}` }) };
  }
  if (withoutReason.includes(kind)) return fault;
  return { ...fault, reason: "LaunchFailed", message: message === code ? message : `${code}: ${message}` };
}
