/** One JSON value of a text that may hold several, one after the other, as `jq '.items[]'` prints them. */
export interface JsonPiece {
  readonly text: string;
  /** Line of the whole text on which the piece starts, 1-based. */
  readonly line: number;
}

const depthChange: Readonly<Record<string, number>> = { "{": 1, "[": 1, "}": -1, "]": -1 };

/**
 * Cuts a text into its top-level objects and lists. Undefined when anything but white space stands between them, or a
 * bracket is left open: then it is not JSON.
 */
export function jsonPieces(text: string): readonly JsonPiece[] | undefined {
  const pieces: JsonPiece[] = [];
  let line = 1;
  let counted = 0;
  for (let start = nextText(text, 0); start < text.length; ) {
    const end = endOfBrackets(text, start);
    if (end === undefined) return undefined;
    line += newLines(text, counted, start);
    counted = start;
    pieces.push({ text: text.slice(start, end), line });
    start = nextText(text, end);
  }
  return pieces;
}

/** The index after the object or list that starts at `start`; undefined when none does, or when it is left open. */
export function endOfBrackets(text: string, start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === '"') i = endOfString(text, i);
    depth += depthChange[char] ?? 0;
    if (depth === 0) return i === start ? undefined : i + 1;
  }
  return undefined;
}

/** Index of the closing quote; the text's end when there is none. */
export function endOfString(text: string, from: number): number {
  for (let i = from + 1; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "\\") i++;
    else if (char === '"') return i;
  }
  return text.length;
}

const whiteSpace = " \t\r\n";

/** Index of the next character that is not white space; the text's end when there is none. */
export function nextText(text: string, from: number): number {
  let i = from;
  while (i < text.length && whiteSpace.includes(text.charAt(i))) i++;
  return i;
}

function newLines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
