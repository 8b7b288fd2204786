import type { Terminal } from "../terminal.ts";
import type { EntryKind, TimelineEntry } from "./timeline-entry.ts";

type Colors = Terminal["colors"];
type Color = "cyan" | "yellow" | "green" | "magenta" | "red" | "blue" | "gray";

const colorOfKind: Readonly<Record<EntryKind, Color>> = {
  apply: "blue",
  scale: "blue",
  pods: "cyan",
  waiting: "yellow",
  placed: "cyan",
  decision: "magenta",
  launch: "magenta",
  registered: "green",
  ready: "green",
  interruption: "yellow",
  disruption: "yellow",
  drain: "yellow",
  eviction: "yellow",
  terminated: "gray",
  kept: "gray",
  unsupported: "yellow",
  trouble: "red",
  note: "gray",
};
const kindWidth = Math.max(...Object.keys(colorOfKind).map((kind) => kind.length));
const timeWidth = "00:00:00".length;
const gap = "  ";
/** Narrower than this, hanging lines would hold a word each. */
const textWidthMin = 24;

/** "00:04:07": hours, minutes and seconds since the start. */
export function clockText(second: number): string {
  const whole = Math.floor(second);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

/** An entry as lines of at most `columns` characters (undefined: one line however long), colours apart. */
export function entryLines(entry: TimelineEntry, colors: Colors, columns?: number): readonly string[] {
  const { second, kind, object, message, lines = [] } = entry;
  const text = object === undefined ? message : `${object}: ${message}`;
  const indent = " ".repeat(timeWidth + kindWidth + 2 * gap.length);
  const width = columns === undefined ? Number.POSITIVE_INFINITY : Math.max(columns - indent.length - 1, textWidthMin);
  const [first = "", ...rest] = wrapped(text, width);
  const time = colors.dim(clockText(second).padEnd(timeWidth));
  const word = colors[colorOfKind[kind]](kind.padEnd(kindWidth));
  return [
    `${time}${gap}${word}${gap}${first}`,
    ...rest.map((line) => `${indent}${line}`),
    ...lines.map((line) => cut(line, columns)),
  ];
}

/** A table's line stays one line: what does not fit is left to --json and to the end's summary. */
function cut(line: string, columns: number | undefined): string {
  return columns === undefined || line.length < columns
    ? line
    : `${line.slice(0, Math.max(columns - 2, 0)).trimEnd()}…`;
}

function wrapped(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
