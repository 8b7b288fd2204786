import type { KubeObject } from "#api/core-v1/meta.ts";

/** The API server refused; `code` and `reason` as in Kubernetes' Status. */
export interface Refusal {
  readonly kind: "refused";
  readonly code: 400 | 403 | 404 | 409 | 410 | 422 | 429 | 500;
  readonly reason: string;
  readonly message: string;
  /** For 422: the first field that is at fault. */
  readonly field?: string;
  /** `DisruptionBudget` when a budget refused an eviction. */
  readonly cause?: string;
  readonly retryAfterSeconds?: number;
}

export interface Accepted<T> {
  readonly kind: "ok";
  readonly code: 200 | 201;
  /** As it is stored now; after a deletion, as it was last. */
  readonly object: T;
}

export type Answer<T = KubeObject> = Accepted<T> | Refusal;

export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

export function ok<T>(object: T, code: 200 | 201 = 200): Accepted<T> {
  return { kind: "ok", code, object };
}

export function refusal(code: Refusal["code"], reason: string, message: string): Refusal {
  return { kind: "refused", code, reason, message };
}

export function notFound(plural: string, name: string): Refusal {
  return refusal(404, "NotFound", `${plural} "${name}" not found`);
}

export function alreadyExists(plural: string, name: string): Refusal {
  return refusal(409, "AlreadyExists", `${plural} "${name}" already exists`);
}

export function conflict(plural: string, name: string, why: string): Refusal {
  return refusal(409, "Conflict", `Operation cannot be fulfilled on ${plural} "${name}": ${why}`);
}

export const changedSinceRead = "the object has been modified; read it again and apply the change to the new version";

export function invalid(kind: string, name: string, problems: readonly FieldProblem[]): Refusal {
  const said = problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
  const field = problems[0]?.field;
  return {
    ...refusal(422, "Invalid", `${kind} "${name}" is invalid: ${said}`),
    ...(field === undefined ? {} : { field }),
  };
}

export function forbidden(plural: string, name: string, why: string): Refusal {
  return refusal(403, "Forbidden", `${plural} "${name}" is forbidden: ${why}`);
}

export function expired(message: string): Refusal {
  return refusal(410, "Expired", message);
}

export function badRequest(message: string): Refusal {
  return refusal(400, "BadRequest", message);
}
