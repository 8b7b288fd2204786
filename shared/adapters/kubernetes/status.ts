import { isJsonObject } from "#api/problem.ts";
import type { Answered } from "./exchange.ts";

/** What the API server says when it refuses: the fields of its Status object that decide anything. */
export interface Status {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly { readonly reason: string; readonly field: string }[];
  readonly retryAfterMs?: number;
}

/** Reads the refusal out of an answer whose code is no 2xx; a proxy's answer may be anything. */
export function statusOf(answer: Answered): Status {
  const body = parseJson(answer.body);
  const status = isJsonObject(body) ? body : {};
  const details = isJsonObject(status.details) ? status.details : {};
  const causes = Array.isArray(details.causes) ? details.causes : [];
  return {
    code: answer.status,
    reason: text(status.reason),
    message: text(status.message) || `HTTP ${answer.status}`,
    causes: causes.filter(isJsonObject).map(({ reason, field }) => ({ reason: text(reason), field: text(field) })),
    ...(answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }),
  };
}

/** undefined for what is no JSON. */
export function parseJson(textOfBody: string): unknown {
  try {
    return JSON.parse(textOfBody);
  } catch {
    return undefined;
  }
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
