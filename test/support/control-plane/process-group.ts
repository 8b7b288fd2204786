import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";

/** A part that does not end when asked is killed: its state is disposable. */
const graceMs = 3_000;

/** The processes of one control plane. Each is ended by its own id, and ends by itself when this process is gone. */
export class ProcessGroup {
  readonly #binary: string;
  readonly #logs: string;
  readonly #processes = new Map<string, ChildProcess>();

  constructor(binary: string, logs: string) {
    this.#binary = binary;
    this.#logs = logs;
  }

  start(part: string, flags: readonly string[]): void {
    const log = createWriteStream(join(this.#logs, `${part}.log`), { flags: "a" });
    const child = spawn(this.#binary, [part, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.pipe(log);
    child.stderr.pipe(log);
    this.#processes.set(part, child);
  }

  pid(part: string): number | undefined {
    return this.#processes.get(part)?.pid;
  }

  /** What the part said when it ended by itself; undefined while it runs. */
  ended(part: string): string | undefined {
    const child = this.#processes.get(part);
    if (child === undefined || (child.exitCode === null && child.signalCode === null)) return undefined;
    return `${part} ended (${child.exitCode ?? child.signalCode}); see ${join(this.#logs, `${part}.log`)}`;
  }

  async stop(part: string, signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#processes.get(part);
    this.#processes.delete(part);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
  }

  /** The last one started is the first one to end. */
  async stopAll(): Promise<void> {
    const parts = [...this.#processes.keys()].reverse();
    await Promise.all(parts.filter((part) => part !== "etcd").map((part) => this.stop(part)));
    await this.stop("etcd", "SIGKILL");
  }
}
