import { createColors } from "picocolors";

/** Where output goes and what it can show there. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** A person is watching: the status line may be redrawn and the pace is a person's. */
  readonly live: boolean;
  /** Characters in a line; lines that are not `live` are never cut. */
  readonly columns: () => number;
  readonly colors: ReturnType<typeof createColors>;
  /** Waits in real time, ms. */
  readonly pause: (ms: number) => Promise<void>;
  /** Why output goes nowhere any more; absent, or undefined: somebody takes it. */
  readonly lost?: () => OutputLoss | undefined;
  /** Waits until everything is out, or lost. */
  readonly flushed?: () => Promise<void>;
}

/** "closed": whoever read (head, less) has enough, which is no error; else what went wrong. */
export type OutputLoss = { readonly kind: "closed" } | { readonly kind: "failed"; readonly message: string };

/** Where the width is not known. */
const usualColumns = 80;

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  let lost: OutputLoss | undefined;
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    lost ??= error.code === "EPIPE" ? { kind: "closed" } : { kind: "failed", message: writingProblem(error) };
  });
  // Nowhere is left to say so.
  stderr.on("error", () => {});
  const live = stdout.isTTY === true && env.TERM !== "dumb" && env.CI === undefined;
  return {
    out: (text) => {
      if (lost === undefined) stdout.write(text);
    },
    error: (text) => stderr.write(text),
    live,
    // Some terminals answer 0.
    columns: () => (stdout.columns === undefined || stdout.columns < 1 ? usualColumns : stdout.columns),
    colors: createColors(live && (env.NO_COLOR ?? "") === ""),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    lost: () => lost,
    flushed: () =>
      new Promise((resolve) => {
        if (lost === undefined) stdout.write("", () => setImmediate(resolve));
        else resolve();
      }),
  };
}

const meaningOfCode: Readonly<Record<string, string>> = {
  ENOSPC: "no space left on the device",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOENT: "no such directory",
  ENOTDIR: "a part of the path is no directory",
  EISDIR: "is a directory",
  EDQUOT: "the quota is used up",
  EPIPE: "nobody reads it any more",
};

/** Why something cannot be written, in words. */
export function writingProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return meaningOfCode[code] ?? (error instanceof Error ? error.message : String(error));
}
