import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { CloudAnswer, CloudCall, FromTick, TickNote, TickOrder } from "./tick-messages.ts";

const lastWordsMs = 2_000;

/** Runs the function in processes that know nothing of each other. */
export class TickRunner {
  readonly #folder = mkdtempSync(join(tmpdir(), "outrigger-tick-"));
  readonly #bundle = join(this.#folder, "tick.mjs");
  readonly #cloud: Cloud<Ec2Query, Ec2View>;
  readonly #hear: (note: TickNote) => void;
  readonly #running = new Set<ChildProcess>();
  #built: Promise<unknown> | undefined;

  constructor(cloud: Cloud<Ec2Query, Ec2View>, hear: (note: TickNote) => void) {
    this.#cloud = cloud;
    this.#hear = hear;
  }

  /** One run, from the start of its process to the end; answers how it ended, rejects when it died. */
  async run(order: TickOrder): Promise<string> {
    this.#built ??= build({
      entryPoints: [fileURLToPath(new URL("tick-process.ts", import.meta.url))],
      ...{ bundle: true, platform: "node", format: "esm", outfile: this.#bundle, logLevel: "error" },
      // Packages of the older form ask for Node's own modules by `require`.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    await this.#built;
    const child = fork(this.#bundle, [], { serialization: "advanced", execArgv: [] });
    this.#running.add(child);
    try {
      return await new Promise((resolve, reject) => {
        child.once("error", reject);
        // What it said last may be heard after its end.
        child.once("exit", (code, signal) => {
          setTimeout(() => reject(new Error(`the tick's process ended: ${code ?? signal}`)), lastWordsMs);
        });
        child.on("message", (message: FromTick) => {
          if (message.kind === "call") void this.#answer(child, message);
          else if (message.kind === "ticked") this.#hear(message.note);
          else if (message.kind === "ended") resolve(message.ending);
          else reject(new Error(message.message));
        });
        child.send(order);
      });
    } finally {
      this.#running.delete(child);
    }
  }

  /** Ends them where they are, as a crash does. */
  killAll(): void {
    for (const child of this.#running) child.kill("SIGKILL");
  }

  close(): void {
    this.killAll();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #answer(child: ChildProcess, call: CloudCall): Promise<void> {
    const value = await (call.method === "observe"
      ? this.#cloud.observe(call.argument)
      : this.#cloud.apply(call.argument));
    const answer: CloudAnswer = { kind: "answer", id: call.id, value };
    if (child.connected) child.send(answer);
  }
}
