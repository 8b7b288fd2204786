import type { Transport } from "../../shared/adapters/kubernetes/transport.ts";

/** A person waits: a server that is there answers this within a second. */
const probeMsMax = 10_000;

/** Why the API server cannot be asked; undefined: it answers, whatever it says. */
export async function unreachable(transport: Transport, url: string, forMs = probeMsMax): Promise<string | undefined> {
  const answer = await transport.call({ method: "GET", path: "/version", timeoutMs: forMs });
  if (answer.kind === "answered" || answer.code === "NoCredentials") return undefined;
  return answer.code === "ETIMEDOUT"
    ? `the API server ${url} does not answer within ${forMs / 1000} s: is this its network, or does a VPN lead there?`
    : `the API server ${url} cannot be reached: ${answer.message} (${answer.code})`;
}
