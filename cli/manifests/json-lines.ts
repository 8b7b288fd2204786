import type { FieldPath } from "#api/yaml/field-line.ts";
import { endOfBrackets, endOfString, nextText } from "./json-stream.ts";

/** Where a field's key (or a list's item) starts, and where its value does. */
interface Child {
  readonly at: number;
  readonly value: number;
}

/**
 * The lines of the fields of one JSON value. Nothing is looked at before the first question; then each object or list on
 * the way is read through once, however many fields are asked for, so that a dump of any size that is read at all
 * (128 MiB) is answered exactly.
 */
export class JsonLines {
  /** What JSON.parse accepts. */
  readonly #text: string;
  readonly #children = new Map<number, ReadonlyMap<string, Child>>();
  #lineStarts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** The 1-based line of a field, or of its nearest parent that is there. */
  lineOf(path: FieldPath): number {
    let place: Child = { at: 0, value: 0 };
    for (const key of path) {
      const child = this.#childrenOf(place.value).get(String(key));
      if (child === undefined) break;
      place = child;
    }
    return this.#lineAt(place.at);
  }

  #childrenOf(start: number): ReadonlyMap<string, Child> {
    const known = this.#children.get(start);
    if (known !== undefined) return known;
    const found = childrenIn(this.#text, start);
    this.#children.set(start, found);
    return found;
  }

  #lineAt(offset: number): number {
    this.#lineStarts ??= lineStartsOf(this.#text);
    let low = 0;
    let high = this.#lineStarts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** By key, or by index; of a key that comes twice the last, as JSON.parse has it. Empty for a scalar. */
function childrenIn(text: string, start: number): ReadonlyMap<string, Child> {
  const children = new Map<string, Child>();
  const inList = text.charAt(start) === "[";
  if (!inList && text.charAt(start) !== "{") return children;
  let index = 0;
  for (let at = nextText(text, start + 1); at < text.length && !"]}".includes(text.charAt(at)); index++) {
    let key = String(index);
    let value = at;
    if (!inList) {
      const quote = endOfString(text, at);
      key = JSON.parse(text.slice(at, quote + 1)) as string;
      value = nextText(text, nextText(text, quote + 1) + 1);
    }
    children.set(key, { at, value });
    const end = nextText(text, endOfAnyValue(text, value));
    at = text.charAt(end) === "," ? nextText(text, end + 1) : end;
  }
  return children;
}

function endOfAnyValue(text: string, start: number): number {
  const first = text.charAt(start);
  if (first === '"') return endOfString(text, start) + 1;
  if (first === "{" || first === "[") return endOfBrackets(text, start) ?? text.length;
  let end = start + 1;
  while (end < text.length && !",]} \t\r\n".includes(text.charAt(end))) end++;
  return end;
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
