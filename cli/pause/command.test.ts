import { expect, test } from "vitest";
import { recordedTerminal } from "../../test/support/recorded-terminal.ts";
import { main } from "../outrigger.ts";
import { endOf } from "./command.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");

test.each([
  [{}, {}],
  [{ for: "1h30m" }, { untilMs: nowMs + 90 * 60_000 }],
  [{ for: "0" }, /must be a duration/],
  [{ for: "soon" }, /must be a duration/],
  [{ until: "2026-01-01T13:00:00Z" }, { untilMs: nowMs + 3_600_000 }],
  [{ until: "2026-01-01T11:00:00Z" }, /is over; it is 2026-01-01T12:00:00Z/],
  [{ until: "tomorrow" }, /must be a time, as 2026-01-01T13:00:00Z/],
])("%j ends it: %j", (options, expected) => {
  const end = endOf(options, nowMs);
  if (expected instanceof RegExp) expect(end).toMatch(expected);
  else expect(end).toEqual(expected);
});

test.each([
  [["pause"], /required option '--kubeconfig <file>'/],
  [["pause", "--kubeconfig", "f", "--for", "1h", "--until", "x"], /cannot be used with option/],
  [["pause", "--kubeconfig", "f", "--for", "no"], /--for no: must be a duration/],
  [["resume", "--kubeconfig", "/none/there"], /no such file/],
])("%j ends with 2 and says why", async (words, message) => {
  const { terminal, said } = recordedTerminal();
  expect(await main(words, terminal)).toBe(2);
  expect(said.error).toMatch(message);
});
