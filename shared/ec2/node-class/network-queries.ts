/**
 * Karpenter counterpart: pkg/providers/{subnet,securitygroup}, the filter sets. No difference: terms are ORed, the
 * fields of a term ANDed; all ids share one query, all names another, each tag term has its own.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { FilterQuery } from "../view.ts";
import { distinctQueries, filterQuery, tagFilters } from "./filter-query.ts";

export function subnetQueries(spec: EC2NodeClassSpec): readonly FilterQuery[] {
  const terms = spec.subnetSelectorTerms;
  const ids = terms.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return distinctQueries([
    ...(ids.length === 0 ? [] : [filterQuery([{ name: "subnet-id", values: ids }])]),
    ...terms.flatMap(({ id, tags }) => (id === undefined && hasTags(tags) ? [filterQuery(tagFilters(tags))] : [])),
  ]);
}

export function securityGroupQueries(spec: EC2NodeClassSpec): readonly FilterQuery[] {
  const terms = spec.securityGroupSelectorTerms;
  const ids = terms.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const names = terms.flatMap(({ id, name }) => (id === undefined && name !== undefined ? [name] : []));
  return distinctQueries([
    ...(ids.length === 0 ? [] : [filterQuery([{ name: "group-id", values: ids }])]),
    ...(names.length === 0 ? [] : [filterQuery([{ name: "group-name", values: names }])]),
    ...terms.flatMap(({ id, name, tags }) =>
      id === undefined && name === undefined && hasTags(tags) ? [filterQuery(tagFilters(tags))] : [],
    ),
  ]);
}

function hasTags(tags: Readonly<Record<string, string>> | undefined): tags is Readonly<Record<string, string>> {
  return tags !== undefined && Object.keys(tags).length > 0;
}
