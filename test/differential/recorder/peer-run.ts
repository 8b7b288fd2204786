import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Answer } from "../../../cli/solve/problem.ts";

/** The peer's binary, built when it is not there yet; undefined, with the reason, when it cannot be. */
export function peerBinary(): { readonly path: string } | { readonly missing: string } {
  const given = process.env.OUTRIGGER_PEER;
  if (given !== undefined && given !== "") return { path: given };
  const built = spawnSync("sh", [join(import.meta.dirname, "../peer/build.sh")], { encoding: "utf8" });
  const path = built.stdout?.trim() ?? "";
  if (built.status === 0 && path !== "") return { path };
  return { missing: built.stderr?.trim().split("\n").at(-1) ?? "the peer cannot be built" };
}

export type PeerRun =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "failed"; readonly message: string };

/** One process of the peer; `problem` is JSON text. Ended after so long. */
export function runPeer(
  binary: string,
  problem: string,
  words: readonly string[],
  timeoutMs: number,
): Promise<PeerRun> {
  return new Promise((resolve) => {
    const child = spawn("nice", ["-n", "10", binary, ...words], {
      stdio: ["pipe", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    let out = "";
    let error = "";
    child.stdout.on("data", (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on("data", (data: Buffer) => {
      error += data.toString();
    });
    // A peer that ends early closes its end of the pipe; its own message says why.
    child.stdin.on("error", () => {});
    child.on("error", (problemOfStart) => resolve({ kind: "failed", message: problemOfStart.message }));
    child.on("close", (code, signal) => {
      if (code === 0) resolve({ kind: "answer", answer: JSON.parse(out) as Answer });
      else resolve({ kind: "failed", message: `${signal ?? `exit ${code}`}: ${error.trim().slice(0, 400)}` });
    });
    child.stdin.end(problem);
  });
}

/** The answers of so many processes, one after the other. */
export function askPeer(binary: string, problem: object, times: number): readonly Answer[] {
  const input = JSON.stringify(problem);
  return Array.from({ length: times }).flatMap(() => {
    const { status, stdout } = spawnSync(binary, { input, encoding: "utf8", timeout: 20_000, maxBuffer: 2 ** 28 });
    return status === 0 ? [JSON.parse(stdout) as Answer] : [];
  });
}
