import { type Document, isAlias, isMap, isScalar, isSeq, type Node, Pair, visit, YAMLMap, type YAMLSeq } from "yaml";
import { isJsonObject } from "#api/problem.ts";
import { sameJson } from "#api/same-json.ts";

/**
 * Makes a parsed document say `after`, and leaves everything else as it was: the order of fields, comments, quotes. A
 * field that moved takes its comments with it. False when the document cannot be edited so, since anchors tie its parts
 * together; nothing is changed then.
 */
export function updateDocument(document: Document.Parsed, after: unknown): boolean {
  if (hasAnchors(document) || !isMap(document.contents)) return false;
  const edit: Edit = { document, removed: new Map(), leading: [] };
  collectRemoved(document.contents, after, edit);
  updateMap(document.contents, after, edit);
  for (const leading of edit.leading) putBack(leading, edit);
  return true;
}

interface Edit {
  readonly document: Document.Parsed;
  /** Pairs that stand somewhere else now, or nowhere, by their key. */
  readonly removed: Map<string, Pair<Node, Node | null>[]>;
  readonly leading: Leading[];
}

/** What stood before a map's first field, which the reader gives to the map; a first field that moves takes it along. */
interface Leading {
  readonly map: YAMLMap;
  readonly pair: Pair<Node, Node | null>;
  readonly comment: string;
}

function takeLeading(map: YAMLMap, pair: Pair<Node, Node | null>, edit: Edit): void {
  if (map.commentBefore == null || pairsOf(map)[0] !== pair) return;
  edit.leading.push({ map, pair, comment: map.commentBefore });
  pair.key.commentBefore = map.commentBefore;
  map.commentBefore = null;
}

/** The field went nowhere: its comment may be about what is left, and is not lost. */
function putBack({ map, pair, comment }: Leading, { removed }: Edit): void {
  if (removed.get(keyOf(pair))?.includes(pair) !== true && !pairsOf(map).includes(pair)) return;
  pair.key.commentBefore = null;
  map.commentBefore = comment;
}

function hasAnchors(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Node: (_, node) => {
      found ||= isAlias(node) || (node as { anchor?: string }).anchor !== undefined;
    },
    Pair: (_, { key }) => {
      found ||= isScalar(key) && key.value === "<<";
    },
  });
  return found;
}

function collectRemoved(node: Node | null, after: unknown, edit: Edit): void {
  if (isMap(node)) {
    for (const pair of pairsOf(node)) {
      const key = keyOf(pair);
      const kept = isJsonObject(after) && Object.hasOwn(after, key) ? after[key] : undefined;
      if (kept !== undefined) collectRemoved(pair.value, kept, edit);
      else {
        takeLeading(node, pair, edit);
        collectAll(pair, edit.removed);
      }
    }
  } else if (isSeq(node) && Array.isArray(after)) {
    for (const [index, item] of (node.items as (Node | null)[]).entries()) collectRemoved(item, after[index], edit);
  }
}

function collectAll(pair: Pair<Node, Node | null>, removed: Edit["removed"]): void {
  removed.set(keyOf(pair), [...(removed.get(keyOf(pair)) ?? []), pair]);
  if (isMap(pair.value)) for (const inner of pairsOf(pair.value)) collectAll(inner, removed);
}

function updateMap(map: YAMLMap, after: unknown, edit: Edit): void {
  if (!isJsonObject(after)) return;
  const pairs = pairsOf(map);
  for (const pair of pairs) rename(pair, pairs, after, edit);
  map.items = pairs.filter((pair) => Object.hasOwn(after, keyOf(pair)));
  for (const [key, value] of Object.entries(after)) {
    const there = pairsOf(map).find((pair) => keyOf(pair) === key);
    if (there === undefined) map.items.push(newPair(key, value, edit));
    else there.value = updated(there.value, value, edit);
  }
}

/** A key that gave way to a new one with the same value in the same map keeps its place. */
function rename(
  pair: Pair<Node, Node | null>,
  pairs: readonly Pair<Node, Node | null>[],
  after: object,
  edit: Edit,
): void {
  if (Object.hasOwn(after, keyOf(pair)) || !isScalar(pair.key)) return;
  const value: unknown = pair.value?.toJS(edit.document) ?? null;
  const entry = Object.entries(after).find(
    ([key, one]) => sameJson(one, value) && !pairs.some((other) => keyOf(other) === key),
  );
  if (entry === undefined) return;
  const removed = edit.removed.get(keyOf(pair)) ?? [];
  edit.removed.set(
    keyOf(pair),
    removed.filter((other) => other !== pair),
  );
  pair.key.value = entry[0];
}

function updateSeq(seq: YAMLSeq, after: readonly unknown[], edit: Edit): void {
  const items = seq.items as (Node | null)[];
  seq.items = after.map((value, index) =>
    index < items.length ? updated(items[index] ?? null, value, edit) : edit.document.createNode(value),
  );
}

/** The node itself, changed where it must be, or another one. */
function updated(node: Node | null, after: unknown, edit: Edit): Node | null {
  if (node !== null && sameJson(node.toJS(edit.document), after)) return node;
  if (isMap(node) && isJsonObject(after)) updateMap(node, after, edit);
  else if (isSeq(node) && Array.isArray(after)) updateSeq(node, after, edit);
  else if (isScalar(node) && (after === null || typeof after !== "object")) node.value = after;
  else return edit.document.createNode(after);
  return node;
}

/** A field that is new here: the one that was removed elsewhere under this name, when there is one of its kind. */
function newPair(key: string, value: unknown, edit: Edit): Pair<Node, Node | null> {
  const candidates = edit.removed.get(key) ?? [];
  const index = candidates.findIndex((pair) => isOfKind(pair.value, value));
  const [pair] = index < 0 ? [] : candidates.splice(index, 1);
  if (pair === undefined) return new Pair(edit.document.createNode(key), newNode(value, edit));
  pair.value = updated(pair.value, value, edit);
  return pair;
}

/** Of objects field by field, so that what moved into them brings its comments. */
function newNode(value: unknown, edit: Edit): Node {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return edit.document.createNode(value);
  const map = new YAMLMap();
  updateMap(map, value, edit);
  return map;
}

function isOfKind(node: Node | null, value: unknown): boolean {
  if (isMap(node)) return isJsonObject(value);
  if (isSeq(node)) return Array.isArray(value);
  return isScalar(node) && (value === null || typeof value !== "object");
}

function pairsOf(map: YAMLMap): Pair<Node, Node | null>[] {
  return map.items as Pair<Node, Node | null>[];
}

function keyOf({ key }: Pair<Node, Node | null>): string {
  return isScalar(key) ? String(key.value) : String(key);
}
