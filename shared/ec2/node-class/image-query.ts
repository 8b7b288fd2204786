/**
 * Karpenter counterpart: pkg/providers/amifamily/ami.go, the queries. It differs: images that an SSM parameter names
 * are asked for by reference, so that one description of all reads can be made before any of them is answered.
 */
import type { AmiSelectorTerm, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Filter, FilterQuery } from "../view.ts";
import { aliasOf, aliasParameters } from "./ami-alias.ts";
import { distinctQueries, filterQuery, tagFilters } from "./filter-query.ts";

const parameterPrefix = "resolve:ssm:";
const available: Filter = { name: "state", values: ["available"] };
/** Karpenter: owners of images chosen by name, when the term names none. */
const defaultOwners: readonly string[] = ["self", "amazon"];

/** SSM parameters to read for a class; `kubernetesVersion` is the cluster's minor version. */
export function imageParameters(spec: EC2NodeClassSpec, kubernetesVersion: string): readonly string[] {
  const alias = aliasOf(spec);
  if (alias !== undefined) return aliasParameters(alias, kubernetesVersion).map(({ parameter }) => parameter);
  return spec.amiSelectorTerms.flatMap(({ ssmParameter }) => (ssmParameter === undefined ? [] : [ssmParameter]));
}

export function imageQueries(spec: EC2NodeClassSpec, kubernetesVersion: string): readonly FilterQuery[] {
  const parameters = imageParameters(spec, kubernetesVersion);
  const references = parameters.map((parameter) => `${parameterPrefix}${parameter}`);
  const terms = aliasOf(spec) === undefined ? spec.amiSelectorTerms : [];
  const ids = [...terms.flatMap(({ id }) => (id === undefined ? [] : [id])), ...references];
  return distinctQueries([
    ...(ids.length === 0 ? [] : [filterQuery([{ name: "image-id", values: ids }, available])]),
    ...terms.flatMap(termQuery),
  ]);
}

function termQuery(term: AmiSelectorTerm): readonly FilterQuery[] {
  if (term.id !== undefined || term.ssmParameter !== undefined) return [];
  const tags = tagFilters(term.tags ?? {});
  if (term.name === undefined && tags.length === 0) return [];
  const name: readonly Filter[] = term.name === undefined ? [] : [{ name: "name", values: [term.name] }];
  const byName = term.name === undefined ? undefined : defaultOwners;
  const owners = term.owner === undefined ? byName : [term.owner];
  return [filterQuery([...name, ...tags, available], owners)];
}

/**
 * The query as EC2 takes it, references replaced by the parameters' values. Parameters that do not exist or do not
 * hold an image id are left out; an `image-id` filter may end up empty, and then nothing is to be asked.
 */
export function withParameters(query: FilterQuery, parameters: Readonly<Record<string, string>>): FilterQuery {
  const filters = query.filters.map(({ name, values }) =>
    name === "image-id"
      ? { name, values: values.flatMap((value) => dereference(value, parameters)) }
      : { name, values },
  );
  return { ...query, filters };
}

function dereference(value: string, parameters: Readonly<Record<string, string>>): readonly string[] {
  if (!value.startsWith(parameterPrefix)) return [value];
  const image = parameters[value.slice(parameterPrefix.length)];
  return image?.startsWith("ami-") === true ? [image] : [];
}
