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
}

export function processTerminal(): Terminal {
  const { stdout, stderr, env } = process;
  // Whoever reads (head, less) has enough: that is no error of ours.
  stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit();
  });
  const live = stdout.isTTY === true && env.TERM !== "dumb" && env.CI === undefined;
  return {
    out: (text) => stdout.write(text),
    error: (text) => stderr.write(text),
    live,
    columns: () => stdout.columns ?? 80,
    colors: createColors(live && (env.NO_COLOR ?? "") === ""),
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  };
}
