import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Share of one CPU; "whole" leaves the process alone. */
export type Cpu = "whole" | "quarter";

/** A function of 512 MB has about a quarter of a CPU: it runs so long of each period, and then stands still. */
const periodMs = 40;
const runningMs = 10;

export interface Finished {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** How a process is held to a quarter of a CPU, and in a few words why so. */
export type Hold =
  | { readonly kind: "quota"; readonly group: string; readonly words: string }
  | { readonly kind: "signals"; readonly words: string };

/** A quota of a control group where one can be made (cgroup v2), which is what throttles a function too; else by signals. */
export function holdOf(root = "/sys/fs/cgroup", makeGroup: (path: string) => void = mkdirSync): Hold {
  const group = join(root, `outrigger-bench-${process.pid}`);
  try {
    makeGroup(group);
    writeFileSync(join(group, "cpu.max"), `${runningMs * 1_000} ${periodMs * 1_000}`, { flag: "r+" });
    return { kind: "quota", group, words: `a cgroup's quota of ${runningMs} ms in ${periodMs}` };
  } catch (error) {
    release({ kind: "quota", group, words: "" });
    const why = error instanceof Error && "code" in error ? String(error.code) : "no cgroup";
    const words = `one CPU, stopped for ${periodMs - runningMs} ms of every ${periodMs} (no cgroup v2 quota can be set here: ${why})`;
    return { kind: "signals", words };
  }
}

export function release(hold: Hold): void {
  if (hold.kind !== "quota") return;
  try {
    rmdirSync(hold.group);
  } catch {
    // It was not made, or a process is in it yet: it is empty and costs nothing.
  }
}

let quarter: Hold | undefined;

export function quarterHold(): Hold {
  quarter ??= holdOf();
  return quarter;
}

/** Runs a command to its end. */
export function runToEnd(command: readonly string[], cpu: Cpu, timeoutMs: number): Promise<Finished> {
  const hold = cpu === "quarter" ? quarterHold() : undefined;
  const [program = "", ...rest] = heldCommand(command, hold);
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
    const stop = hold?.kind === "signals" ? throttle(child) : () => {};
    const timeout = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    let [out, error] = ["", ""];
    child.stdout.on("data", (data: Buffer) => {
      out += data.toString();
    });
    child.stderr.on("data", (data: Buffer) => {
      error += data.toString();
    });
    const end = (code: number | null): void => {
      clearTimeout(timeout);
      stop();
      resolve({ code, out, error });
    };
    child.on("error", (problem) => {
      error += problem.message;
      end(null);
    });
    child.on("close", end);
  });
}

function heldCommand(command: readonly string[], hold: Hold | undefined): readonly string[] {
  if (hold === undefined) return command;
  // The shell joins the group and then becomes the command.
  if (hold.kind === "quota") {
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', join(hold.group, "cgroup.procs"), ...command];
  }
  return process.platform === "linux" ? ["taskset", "-c", "0", ...command] : command;
}

/** Returns what ends it. */
function throttle(child: ChildProcess): () => void {
  let pause: NodeJS.Timeout | undefined;
  const period = setInterval(() => {
    child.kill("SIGCONT");
    pause = setTimeout(() => child.kill("SIGSTOP"), runningMs);
  }, periodMs);
  return () => {
    clearInterval(period);
    clearTimeout(pause);
  };
}
