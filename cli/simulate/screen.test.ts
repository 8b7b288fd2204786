import { createColors } from "picocolors";
import { describe, expect, test } from "vitest";
import type { Terminal } from "../terminal.ts";
import { Screen } from "./screen.ts";

function terminalOf(live: boolean, columns: number): { terminal: Terminal; written: () => string } {
  let text = "";
  const terminal: Terminal = {
    out: (more) => {
      text += more;
    },
    error: () => {},
    live,
    columns: () => columns,
    colors: createColors(false),
    pause: async () => {},
  };
  return { terminal, written: () => text };
}

const status = {
  second: 61,
  progress: 0.5,
  nodes: 2,
  pods: { pending: 1, starting: 0, running: 4, ending: 0 },
  perHour: 0.25,
};
const entry = { time: "2026-10-27T08:00:00Z", second: 0, kind: "note", message: "hello" } as const;

describe("the screen", () => {
  test("in a pipe prints lines and nothing else", () => {
    const { terminal, written } = terminalOf(false, 80);
    const screen = new Screen(terminal);
    screen.status(status);
    screen.entry(entry);
    screen.end();
    expect(written()).toBe("00:00:00  note          hello\n");
  });

  test("on a terminal draws the status line anew below what is printed, and takes it away at the end", () => {
    const { terminal, written } = terminalOf(true, 80);
    const screen = new Screen(terminal);
    screen.status(status);
    screen.entry(entry);
    screen.end();
    const line = "██████████░░░░░░░░░░ 00:01:01  nodes 2  pods 1 pending, 4 running  $0.2500/h";
    const erase = "\r\u001b[2K";
    expect(written()).toBe(`${line}${erase}00:00:00  note          hello\n${line}${erase}`);
  });

  test("keeps its bar where the terminal is narrow, and tells the pods in fewer letters", () => {
    const { terminal, written } = terminalOf(true, 60);
    new Screen(terminal).status(status);
    expect(written()).toBe("██████████░░░░░░░░░░ 00:01:01  nodes 2  pods 4/5  $0.2500/h");
  });

  test.each([20, 40, 76, 77, 200])("never lets the status line wrap at %i columns", (columns) => {
    const { terminal, written } = terminalOf(true, columns);
    new Screen(terminal).status(status);
    expect(written().length).toBeLessThan(columns);
  });
});
