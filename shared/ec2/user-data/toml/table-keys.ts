/** Karpenter counterpart: none, because it reads TOML with a library. */
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

/** What is known of a document while it is read. */
export interface OpenDocument {
  /** Inline tables and lists: they are whole where they stand, and nothing is added later. */
  readonly closed: Set<TomlValue>;
  /** Tables that a dotted key made: no header opens them again. */
  readonly dotted: Set<TomlTable>;
  readonly fail: (message: string) => never;
}

/** Puts a value under a dotted key; a key may be given once, and a table that had its header is not filled so. */
export function put(
  table: TomlTable,
  keys: readonly string[],
  value: TomlValue,
  document: OpenDocument,
  headed: ReadonlySet<TomlTable> = new Set(),
): void {
  let at = table;
  for (const key of keys.slice(0, -1)) {
    const next = at.get(key);
    if (next !== undefined && !isTable(next)) document.fail(`${keys.join(".")}: ${key} is a value, not a table`);
    if (next !== undefined && (document.closed.has(next) || headed.has(next))) {
      document.fail(`${keys.join(".")}: ${key} is whole already`);
    }
    const inner = next ?? new Map<string, TomlValue>();
    if (next === undefined) document.dotted.add(inner);
    at.set(key, inner);
    at = inner;
  }
  const last = keys.at(-1) ?? "";
  if (at.has(last)) document.fail(`${keys.join(".")} is given twice`);
  at.set(last, value);
}
