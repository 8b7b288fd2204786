/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, the requirements of an instance type. It differs: single values
 * are looked up, not intersected.
 */
import { normalizedLabels } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType } from "../../instance-type.ts";
import { intersect, overlaps, type Requirement, requirementOf } from "../requirements/requirement.ts";
import { add, type Bitset, emptyBitset, fullBitset, include } from "./bitset.ts";

/** What the types say of one label. */
interface Column {
  readonly byType: readonly (Requirement | undefined)[];
  /** Types that say the same. */
  readonly groups: ReadonlyMap<Requirement | undefined, Bitset>;
}

/** What instance types say of each label, read label by label when somebody asks: most labels are never asked for. */
export class TypeLabels {
  readonly #types: readonly InstanceType[];
  readonly #columns = new Map<string, Column>();
  /** As they are written. */
  readonly #keys = new Set<string>();
  /** Where no type says anything. */
  readonly #nothing: Column;

  constructor(types: readonly InstanceType[]) {
    this.#types = types;
    for (const { requirements } of types) {
      for (let i = 0; i < requirements.length; i++) this.#keys.add(requirements[i]?.key ?? "");
    }
    this.#nothing = { byType: [], groups: new Map([[undefined, fullBitset(types.length)]]) };
  }

  of(type: number, key: string): Requirement | undefined {
    return this.#columnOf(key).byType[type];
  }

  /** Types whose label can meet the requirement; a label that a type does not define does not matter. */
  meeting(requirement: Requirement): Bitset {
    const { groups } = this.#columnOf(requirement.key);
    if (groups.size === 1 && groups.has(undefined)) return fullBitset(this.#types.length);
    const bits = emptyBitset(this.#types.length);
    for (const [own, types] of groups) if (own === undefined || overlaps(own, requirement)) include(bits, types);
    return bits;
  }

  #columnOf(key: string): Column {
    const known = this.#columns.get(key);
    if (known !== undefined) return known;
    const names = [key, ...olderNamesOf(key)].filter((name) => this.#keys.has(name));
    const column = names.length === 0 ? this.#nothing : this.#read(names);
    this.#columns.set(key, column);
    return column;
  }

  #read(names: readonly string[]): Column {
    const read = new Map<string, Requirement>();
    const groups = new Map<Requirement | undefined, Bitset>();
    const byType = this.#types.map(({ requirements }, type) => {
      const own = saidOf(names, requirements, read);
      const types = groups.get(own) ?? emptyBitset(this.#types.length);
      groups.set(own, types);
      add(types, type);
      return own;
    });
    return { byType, groups };
  }
}

function olderNamesOf(key: string): readonly string[] {
  return Object.keys(normalizedLabels).filter((name) => normalizedLabels[name] === key);
}

function saidOf(
  names: readonly string[],
  requirements: readonly RequirementSpec[],
  read: Map<string, Requirement>,
): Requirement | undefined {
  let own: Requirement | undefined;
  for (let i = 0; i < requirements.length; i++) {
    const spec = requirements[i];
    if (spec === undefined || !names.includes(spec.key)) continue;
    const one = readOnce(spec, read);
    own = own === undefined ? one : intersect(own, one);
  }
  return own;
}

function readOnce(spec: RequirementSpec, read: Map<string, Requirement>): Requirement {
  const text = `${spec.operator} ${spec.minValues ?? ""} ${spec.values?.join() ?? ""}`;
  const known = read.get(text) ?? requirementOf(spec);
  read.set(text, known);
  return known;
}
