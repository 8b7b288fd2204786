import { isJsonObject } from "#api/problem.ts";
import { parseJson } from "./status.ts";

/** A page of a list, its items still text. */
export interface ListText {
  readonly resourceVersion: string;
  /** "" after the last page. */
  readonly continue: string;
  /** Each item is parsed when it is asked for and can be forgotten before the next. */
  readonly items: Iterable<unknown>;
}

const itemsBegin = '"items":[';
const itemsEnd = "]}";
/** Between two items of a typed list, since Go writes the name first. It can stand inside an item too, but in no text. */
const typedSeparator = '},{"metadata":{"name":"';

/**
 * Reads the head of a list and leaves its items for later: a page of pods makes some 20 MB of objects when it is parsed
 * as a whole, of which a tenth is kept. Lists of another form are parsed as a whole. undefined: this is no list.
 */
export function readListText(body: string): ListText | undefined {
  const begin = body.indexOf(itemsBegin);
  const end = body.lastIndexOf(itemsEnd);
  // The head comes first in Go's order of fields; where it does not, "items" may belong to something else.
  const head = begin < 0 ? undefined : parseJson(`${body.slice(0, begin)}${itemsBegin}${itemsEnd}`);
  if (end < begin || !isJsonObject(head) || !isJsonObject(head.metadata)) return readWhole(body);
  const { resourceVersion, continue: token } = head.metadata;
  if (typeof resourceVersion !== "string") return undefined;
  const items = cutItems(body, begin + itemsBegin.length, end);
  return { resourceVersion, continue: typeof token === "string" ? token : "", items };
}

function readWhole(body: string): ListText | undefined {
  const list = parseJson(body);
  if (!isJsonObject(list) || !isJsonObject(list.metadata)) return undefined;
  const { resourceVersion, continue: token } = list.metadata;
  // Go writes an empty list as null.
  const items = list.items ?? [];
  if (typeof resourceVersion !== "string" || !Array.isArray(items)) return undefined;
  return { resourceVersion, continue: typeof token === "string" ? token : "", items };
}

/** Cuts at separators; where the piece is no JSON the separator was inside the item, and the next one is tried. */
function* cutItems(body: string, begin: number, end: number): Generator<unknown> {
  let start = begin;
  let from = begin;
  while (start < end) {
    const found = body.indexOf(typedSeparator, from);
    const cut = found < 0 || found >= end ? end : found + 1;
    const item = parseJson(body.slice(start, cut));
    if (item !== undefined) {
      yield item;
      start = cut + 1;
    } else if (cut === end) {
      // Not what it seemed to be: several items without a separator that we know.
      yield* restOf(body.slice(start, end));
      return;
    }
    from = cut + 1;
  }
}

function restOf(text: string): readonly unknown[] {
  const rest = parseJson(`[${text}]`);
  if (!Array.isArray(rest)) throw new Error("the API server answered a list that is no JSON");
  return rest;
}
