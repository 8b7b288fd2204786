/**
 * Karpenter counterpart: the filters of pkg/providers/{subnet,securitygroup,amifamily}. It differs: a query is data with
 * a key of its own, so that classes that ask the same share one call and find the answer in the snapshot.
 */
import type { Filter, FilterQuery } from "../view.ts";

/** A query with its key: the canonical text of filters (sorted by name, then values) and owners. */
export function filterQuery(filters: readonly Filter[], owners?: readonly string[]): FilterQuery {
  const sorted = filters
    .map(({ name, values }) => ({ name, values: [...values].sort() }))
    .sort((a, b) => compareText(a.name, b.name) || compareText(a.values.join(), b.values.join()));
  const content = { filters: sorted, ...(owners === undefined ? {} : { owners: [...owners].sort() }) };
  return { key: JSON.stringify(content), ...content };
}

/** A tag asked for with value `*` asks for the key alone. EC2 reads other wildcards in values by itself. */
export function tagFilters(tags: Readonly<Record<string, string>>): readonly Filter[] {
  return Object.entries(tags).map(([key, value]) =>
    value === "*" ? { name: "tag-key", values: [key] } : { name: `tag:${key}`, values: [value] },
  );
}

/** One of each key, ordered by key. */
export function distinctQueries(queries: readonly FilterQuery[]): readonly FilterQuery[] {
  const byKey = new Map(queries.map((query) => [query.key, query]));
  return [...byKey.values()].sort((a, b) => compareText(a.key, b.key));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
