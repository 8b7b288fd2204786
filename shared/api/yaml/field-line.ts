import { isMap, isScalar, isSeq, type LineCounter, type Node, type Pair } from "yaml";

export type FieldPath = readonly (string | number)[];

/**
 * The 1-based line on which a field stands, or its nearest parent that is there: a missing field is mended at its
 * parent. An alias (`*name`) is its own end: what it repeats stands elsewhere.
 */
export function lineOfField(root: Node | null, path: FieldPath, lines: LineCounter): number {
  let offset = root?.range?.[0] ?? 0;
  let node: Node | null = root;
  for (const key of path) {
    const found = node === null ? undefined : childOf(node, key);
    if (found === undefined) break;
    offset = found.offset ?? offset;
    node = found.node;
  }
  return lines.linePos(offset).line;
}

/** A field of a map stands where its key does. */
function childOf(node: Node, key: string | number): { node: Node | null; offset: number | undefined } | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(key)] as Node | undefined;
    return item === undefined ? undefined : { node: item, offset: item.range?.[0] };
  }
  if (!isMap(node)) return undefined;
  const pairs = node.items as readonly Pair<Node, Node | null>[];
  const pair = pairs.find((candidate) => isScalar(candidate.key) && String(candidate.key.value) === String(key));
  return pair === undefined ? undefined : { node: pair.value, offset: pair.key.range?.[0] };
}
