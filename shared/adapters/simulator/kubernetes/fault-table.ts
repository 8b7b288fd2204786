import type { Fault, FaultKind } from "#core/fault.ts";
import type { Refusal } from "./api-server/answer.ts";

/** What a status code and reason of the API server mean for whoever sent the command. */
const kindByReason: Readonly<Record<string, FaultKind>> = {
  BadRequest: "invalid",
  Forbidden: "forbidden",
  NotFound: "not-found",
  AlreadyExists: "already-exists",
  Conflict: "conflict",
  // A watch's or list's revision is gone: whoever reads again has a newer one.
  Expired: "conflict",
  Invalid: "invalid",
  TooManyRequests: "throttled",
  InternalError: "unavailable",
};

export function faultOf(refusal: Refusal): Fault {
  return {
    kind: kindOf(refusal),
    code: String(refusal.code),
    message: refusal.message,
    ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterMs: refusal.retryAfterSeconds * 1000 }),
  };
}

function kindOf(refusal: Refusal): FaultKind {
  if (refusal.cause === "DisruptionBudget") return "eviction-refused";
  // Kubernetes answers 500 for a pod under two budgets; only the message tells it from a broken server.
  if (refusal.code === 500 && refusal.message.includes("more than one PodDisruptionBudget")) return "eviction-refused";
  // Another object lives under the name now: what was read is out of date, the content is not at fault.
  if (refusal.code === 422 && refusal.field === "metadata.uid") return "conflict";
  return kindByReason[refusal.reason] ?? "unavailable";
}
