/** Karpenter counterpart: none, because it reads TOML with a library. */
import type { Characters } from "./characters.ts";

const escapes: Readonly<Record<string, string>> = { b: "\b", t: "\t", n: "\n", f: "\f", r: "\r", '"': '"', "\\": "\\" };

/** "text" or 'text'; its opening quote is next. */
export function quotedText(from: Characters): string {
  const quote = from.peek() ?? "";
  from.pass(1);
  let text = "";
  for (;;) {
    const character = from.peek();
    if (character === undefined || character === "\n") from.fail("a text does not end on its line");
    from.refuseControl(character);
    from.pass(1);
    if (character === quote) return text;
    text += character === "\\" && quote === '"' ? escaped(from) : character;
  }
}

/** After the opening `quote`, three of one kind. */
export function textOfLines(from: Characters, quote: string): string {
  from.take("\n");
  let text = "";
  while (!from.take(quote)) {
    const character = from.peek();
    if (character === undefined) from.fail("a text of several lines does not end");
    if (character !== "\n") from.refuseControl(character);
    from.pass(1);
    if (character !== "\\" || quote === "'''") text += character;
    else text += joinedLines(from) ? "" : escaped(from);
  }
  // Up to two quotes may stand before the closing ones.
  for (let i = 0; i < 2 && from.take(quote.slice(0, 1)); i++) text += quote.slice(0, 1);
  return text;
}

/** A backslash at the end of a line takes the blanks and lines after it away. */
function joinedLines(from: Characters): boolean {
  if (from.ahead(/^[ \t]*\n/, 200) === undefined) return false;
  while (/\s/.test(from.peek() ?? "")) from.pass(1);
  return true;
}

function escaped(from: Characters): string {
  const name = from.peek() ?? "";
  from.pass(1);
  const plain = Object.hasOwn(escapes, name) ? escapes[name] : undefined;
  if (plain !== undefined) return plain;
  const count = name === "u" ? 4 : name === "U" ? 8 : 0;
  const hex = from.ahead(/^[0-9A-Fa-f]+/, count);
  const code = Number.parseInt(hex ?? "", 16);
  if (hex === undefined || hex.length !== count || !isCharacter(code)) from.fail(`\\${name} is no escape`);
  from.pass(count);
  return String.fromCodePoint(code);
}

/** Half of a surrogate pair is no character. */
function isCharacter(code: number): boolean {
  return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
}
