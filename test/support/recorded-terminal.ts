import { createColors } from "picocolors";
import type { Terminal } from "../../cli/terminal.ts";

export interface RecordedTerminal {
  readonly terminal: Terminal;
  readonly said: { readonly out: string; readonly error: string };
}

/** A pipe of 80 columns that keeps what is written. */
export function recordedTerminal(): RecordedTerminal {
  const said = { out: "", error: "" };
  const terminal: Terminal = {
    out: (text) => {
      said.out += text;
    },
    error: (text) => {
      said.error += text;
    },
    live: false,
    columns: () => 80,
    colors: createColors(false),
    pause: async () => {},
  };
  return { terminal, said };
}
