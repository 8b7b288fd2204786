import { expect, test } from "vitest";
import { brokenBy } from "./exchange.ts";

test("a certificate that a stranger signed is told without Node's advice about its own flags", () => {
  const code = "DEPTH_ZERO_SELF_SIGNED_CERT";
  const error = Object.assign(new Error("self-signed certificate; try running Node.js with --use-system-ca"), { code });
  const message = "the API server's certificate is not signed by the cluster's certificate authority";
  expect(brokenBy(error)).toEqual({ kind: "broken", code, message });
});

test("another cause keeps its words, and one without a code is a connection that died", () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  expect(brokenBy(refused)).toEqual({ kind: "broken", code: "ECONNREFUSED", message: "connect ECONNREFUSED" });
  expect(brokenBy(new Error("socket hang up"))).toMatchObject({ code: "ECONNRESET", message: "socket hang up" });
});
