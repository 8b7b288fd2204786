import type { Filter } from "#ec2/view.ts";

/** What a filter can look at: plain attributes by EC2's filter name, and tags. */
export interface Filterable {
  readonly attributes: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

/** EC2's rule: filters are ANDed, the values of one are ORed, `*` and `?` are wildcards in values and never in tag keys. */
export function passes(record: Filterable, filters: readonly Filter[]): boolean {
  return filters.every((filter) => passesOne(record, filter));
}

function passesOne(record: Filterable, filter: Filter): boolean {
  const candidates = valuesOf(record, filter.name);
  return filter.values.some((pattern) => candidates.some((value) => matchesWildcard(pattern, value)));
}

function valuesOf(record: Filterable, name: string): readonly string[] {
  if (name === "tag-key") return Object.keys(record.tags);
  const value = name.startsWith("tag:") ? record.tags[name.slice("tag:".length)] : record.attributes[name];
  return value === undefined ? [] : [value];
}

/**
 * `*` stands for any text, `?` for one character, a backslash takes the next character literally. Case matters.
 * At most |pattern| × |value| steps, since only the last `*` is ever tried again.
 */
export function matchesWildcard(pattern: string, value: string): boolean {
  let at = 0;
  let read = 0;
  let star: { readonly pattern: number; value: number } | undefined;
  while (read < value.length) {
    const token = tokenAt(pattern, at);
    if (token?.kind === "any-text") {
      at += 1;
      star = { pattern: at, value: read };
    } else if (token !== undefined && (token.kind === "any-character" || token.character === value[read])) {
      at += token.length;
      read += 1;
    } else if (star !== undefined) {
      star.value += 1;
      at = star.pattern;
      read = star.value;
    } else {
      return false;
    }
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}

type Token =
  | { readonly kind: "any-text" }
  | { readonly kind: "any-character"; readonly length: 1 }
  | { readonly kind: "literal"; readonly character: string; readonly length: number };

function tokenAt(pattern: string, at: number): Token | undefined {
  const character = pattern[at];
  if (character === undefined) return undefined;
  if (character === "*") return { kind: "any-text" };
  if (character === "?") return { kind: "any-character", length: 1 };
  const escaped = character === "\\" ? pattern[at + 1] : undefined;
  return escaped === undefined
    ? { kind: "literal", character, length: 1 }
    : { kind: "literal", character: escaped, length: 2 };
}
