import { describe, expect, test } from "vitest";
import { faultOf } from "./fault-table.ts";
import { statusOf } from "./status.ts";

function faultKind(status: number, body: object | string): string {
  return faultOf(statusOf({ kind: "answered", status, body: typeof body === "string" ? body : JSON.stringify(body) }))
    .kind;
}

describe("the fault table", () => {
  test.each([
    [409, "Conflict", "conflict"],
    [409, "AlreadyExists", "already-exists"],
    [404, "NotFound", "not-found"],
    [403, "Forbidden", "forbidden"],
    [401, "Unauthorized", "forbidden"],
    [422, "Invalid", "invalid"],
    [415, "UnsupportedMediaType", "invalid"],
    [410, "Expired", "conflict"],
    [429, "TooManyRequests", "throttled"],
    [500, "InternalError", "unavailable"],
    [504, "Timeout", "unavailable"],
  ])("%i %s means %s", (code, reason, kind) => {
    expect(faultKind(code, { kind: "Status", code, reason, message: "said" })).toBe(kind);
  });

  test("a refused eviction is no busy server, by its cause and not by its code", () => {
    const causes = [{ reason: "DisruptionBudget", message: "needs 1" }];
    expect(faultKind(429, { reason: "TooManyRequests", details: { causes } })).toBe("eviction-refused");
    const two = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    expect(faultKind(500, { reason: "InternalError", message: two })).toBe("eviction-refused");
  });

  test("a write meant for an object that was replaced by another is a conflict", () => {
    const causes = [{ reason: "FieldValueInvalid", field: "metadata.uid", message: "immutable" }];
    expect(faultKind(422, { reason: "Invalid", details: { causes } })).toBe("conflict");
  });

  test("what a proxy answers is judged by its code", () => {
    expect(faultKind(503, "<html>busy</html>")).toBe("unavailable");
    expect(faultKind(413, "")).toBe("invalid");
  });
});
