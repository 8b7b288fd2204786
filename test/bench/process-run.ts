import { type ChildProcess, spawn } from "node:child_process";

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

/** Runs a command to its end. At a quarter it is bound to one CPU and stopped and continued by signals. */
export function runToEnd(command: readonly string[], cpu: Cpu, timeoutMs: number): Promise<Finished> {
  const words = cpu === "quarter" && process.platform === "linux" ? ["taskset", "-c", "0", ...command] : command;
  const [program = "", ...rest] = words;
  return new Promise((resolve) => {
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
    const stop = cpu === "quarter" ? throttle(child) : () => {};
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
