import type { Fault, FaultKind } from "#core/fault.ts";
import type { Broken } from "./exchange.ts";
import type { Status } from "./status.ts";

/** What a reason of the API server means for whoever sent the command. */
const kindByReason: Readonly<Record<string, FaultKind>> = {
  BadRequest: "invalid",
  Unauthorized: "forbidden",
  Forbidden: "forbidden",
  NotFound: "not-found",
  AlreadyExists: "already-exists",
  Conflict: "conflict",
  // A watch's or list's revision is gone: whoever reads again has a newer one.
  Expired: "conflict",
  Gone: "conflict",
  Invalid: "invalid",
  MethodNotAllowed: "invalid",
  NotAcceptable: "invalid",
  UnsupportedMediaType: "invalid",
  RequestEntityTooLarge: "invalid",
  TooManyRequests: "throttled",
  InternalError: "unavailable",
  ServerTimeout: "unavailable",
  Timeout: "unavailable",
  ServiceUnavailable: "unavailable",
};

/** For answers without a reason, as of a proxy or a load balancer. */
const kindByCode: Readonly<Record<number, FaultKind>> = {
  400: "invalid",
  401: "forbidden",
  403: "forbidden",
  404: "not-found",
  409: "conflict",
  410: "conflict",
  413: "invalid",
  415: "invalid",
  422: "invalid",
  429: "throttled",
};

export function faultOf(status: Status): Fault {
  return {
    kind: kindOf(status),
    code: String(status.code),
    message: status.message,
    ...(status.retryAfterMs === undefined ? {} : { retryAfterMs: status.retryAfterMs }),
  };
}

/** The call may have taken effect or not. */
export function faultOfBroken({ code, message }: Broken): Fault {
  return { kind: "unavailable", code, message };
}

function kindOf({ code, reason, message, causes }: Status): FaultKind {
  if (causes.some((cause) => cause.reason === "DisruptionBudget")) return "eviction-refused";
  // Kubernetes answers 500 for a pod under two budgets; only the message tells it from a broken server.
  if (code === 500 && message.includes("more than one PodDisruptionBudget")) return "eviction-refused";
  // Another object lives under the name now: what was read is out of date, the content is not at fault.
  if (code === 422 && causes.some(({ field }) => field === "metadata.uid")) return "conflict";
  return kindByReason[reason] ?? kindByCode[code] ?? "unavailable";
}
