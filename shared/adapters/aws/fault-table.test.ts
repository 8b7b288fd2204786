import { describe, expect, test } from "vitest";
import { faultOf } from "./fault-table.ts";

function serviceError(name: string, httpStatusCode: number, message = "m"): Error {
  return Object.assign(new Error(message), { name, $metadata: { httpStatusCode } });
}

describe("what a code means", () => {
  test.each([
    ["RequestLimitExceeded", 503, "throttled"],
    ["ThrottlingException", 400, "throttled"],
    ["UnauthorizedOperation", 403, "forbidden"],
    ["AccessDeniedException", 400, "forbidden"],
    ["InvalidInstanceID.NotFound", 400, "not-found"],
    ["NoSuchEntityException", 404, "not-found"],
    ["EntityAlreadyExistsException", 409, "already-exists"],
    ["InvalidLaunchTemplateName.AlreadyExistsException", 400, "already-exists"],
    ["IdempotentParameterMismatch", 400, "token-mismatch"],
    ["IdempotentInstanceTerminated", 400, "token-instance-terminated"],
    ["InsufficientInstanceCapacity", 500, "insufficient-capacity"],
    ["VcpuLimitExceeded", 400, "insufficient-capacity"],
    ["InternalError", 500, "unavailable"],
  ])("%s is %s: %s", (code, status, kind) => {
    expect(faultOf(serviceError(code, status))).toMatchObject({ kind, code });
  });

  test("a code that is not in the table is judged by the answer's status", () => {
    expect(faultOf(serviceError("SomethingNew", 500)).kind).toBe("unavailable");
    expect(faultOf(serviceError("SomethingNew", 429)).kind).toBe("throttled");
    expect(faultOf(serviceError("SomethingNew", 403)).kind).toBe("forbidden");
    expect(faultOf(serviceError("SomethingNew", 400)).kind).toBe("invalid");
  });

  test("a connection that broke says nothing of what the call did", () => {
    const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    expect(faultOf(reset)).toMatchObject({ kind: "unavailable", code: "ECONNRESET" });
    expect(faultOf(new Error("socket hang up")).kind).toBe("unavailable");
    expect(faultOf(Object.assign(new Error("late"), { name: "TimeoutError" })).kind).toBe("unavailable");
  });

  test("an answer of success that cannot be read says nothing of what the call did", () => {
    expect(faultOf(serviceError("SyntaxError", 200)).kind).toBe("unavailable");
    expect(faultOf(Object.assign(new Error("x"), { $response: { statusCode: 200 } })).kind).toBe("unavailable");
    expect(
      faultOf(Object.assign(new Error("aborted"), { code: "ECONNRESET", $metadata: { httpStatusCode: 200 } })),
    ).toMatchObject({ kind: "unavailable" });
  });

  test("a credential that ran out is no refusal: the next invocation has another", () => {
    for (const code of ["ExpiredToken", "ExpiredTokenException", "RequestExpired", "CredentialsProviderError"])
      expect(faultOf(serviceError(code, 403)).kind).toBe("unavailable");
  });

  test("anything may be thrown", () => {
    for (const thrown of [undefined, null, "text", 7, {}]) expect(faultOf(thrown).kind).toBe("invalid");
  });
});

test("a refusal is told without EC2's encoded blob, on one line", () => {
  const message = "You are not authorized.\n Encoded authorization failure message: 4aKq0x...";
  expect(faultOf(serviceError("UnauthorizedOperation", 403, message)).message).toBe("You are not authorized.");
});
