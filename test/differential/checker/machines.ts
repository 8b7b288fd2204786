/** What a claim may be launched as: each of its types in each offering that can be had and that its requirements allow. */
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Problem, ProblemInstanceType, ProblemOffering } from "../../../cli/solve/problem.ts";
import { type Amounts, amountsOf, minus } from "./amounts.ts";
import type { CheckedClaim } from "./answer.ts";
import { type Labels, meets } from "./matching.ts";

export interface Machine {
  readonly type: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly reservation: string | undefined;
  readonly price: number;
  readonly labels: Labels;
  /** Labels that may have any of several values, an absent one among them as undefined. */
  readonly open: ReadonlyMap<string, readonly (string | undefined)[]>;
  readonly capacity: Amounts;
  readonly allocatable: Amounts;
}

const zoneKey = "topology.kubernetes.io/zone";
const capacityKey = "karpenter.sh/capacity-type";
const poolKey = "karpenter.sh/nodepool";

/** Basic labels that a problem may leave out of a type. */
function derived({ name }: ProblemInstanceType): readonly (readonly [string, string])[] {
  return [
    ["node.kubernetes.io/instance-type", name],
    ["kubernetes.io/arch", "amd64"],
    ["kubernetes.io/os", "linux"],
  ];
}

/** Machines of a pool without a claim: `requirements` beyond the pool's own are none. */
export function poolMachines(problem: Problem, poolName: string): readonly Machine[] {
  return problem.instanceTypes.flatMap((type) =>
    machinesOf(problem, { nodePool: poolName, requirements: [], instanceTypes: [type.name], pods: [] }, type),
  );
}

export function claimMachines(problem: Problem, claim: CheckedClaim): readonly Machine[] {
  const named = new Set(claim.instanceTypes);
  return problem.instanceTypes
    .filter(({ name }) => named.has(name))
    .flatMap((type) => machinesOf(problem, claim, type));
}

function machinesOf(problem: Problem, claim: CheckedClaim, type: ProblemInstanceType): readonly Machine[] {
  const pool = problem.nodePools.find(({ metadata }) => metadata.name === claim.nodePool);
  const offered = type.nodePools.length === 0 || type.nodePools.includes(claim.nodePool);
  if (pool === undefined || !offered) return [];
  const { template } = pool.spec;
  const asked = [...template.spec.requirements, ...claim.requirements];
  const own: Labels = { ...template.metadata?.labels, [poolKey]: claim.nodePool };
  const capacity = amountsOf(type.capacity);
  const { kubeReserved, systemReserved, evictionThreshold } = type.overhead;
  const allocatable = [kubeReserved, systemReserved, evictionThreshold].map(amountsOf).reduce(minus, capacity);
  return type.offerings
    .filter(({ available }) => available)
    .flatMap((offering) => {
      const values = possibleValues(own, type, offering, asked);
      if ([...values.values()].some((list) => list.length === 0)) return [];
      const fixed = [...values].filter(([, list]) => list.length === 1);
      const open = [...values].filter(([, list]) => list.length > 1);
      const reservation = fixed.find(([key]) => key === problem.options.reservationIDLabel)?.[1][0];
      return [
        {
          type: type.name,
          zone: offering.zone,
          capacityType: offering.capacityType,
          reservation: offering.capacityType === "reserved" ? reservation : undefined,
          price: offering.price,
          labels: Object.fromEntries(fixed.flatMap(([key, [value]]) => (value === undefined ? [] : [[key, value]]))),
          open: new Map(open),
          capacity,
          allocatable,
        },
      ];
    });
}

type Values = readonly (string | undefined)[];

/** Of each label that type, offering, pool or claim speaks of, the values that all of them allow. */
function possibleValues(
  own: Labels,
  type: ProblemInstanceType,
  offering: ProblemOffering,
  asked: readonly RequirementSpec[],
): ReadonlyMap<string, Values> {
  const stated = new Map<string, Values>(derived(type).map(([key, value]) => [key, [value]]));
  for (const requirement of [...type.requirements, ...offering.requirements]) {
    stated.set(requirement.key, valuesOf(requirement));
  }
  stated.set(zoneKey, [offering.zone]);
  stated.set(capacityKey, [offering.capacityType]);
  for (const [key, value] of Object.entries(own)) {
    const before = stated.get(key);
    stated.set(key, before === undefined || before.includes(value) ? [value] : []);
  }
  for (const { key } of asked) {
    const known = stated.get(key);
    const about = asked.filter((requirement) => requirement.key === key);
    const candidates = known ?? candidatesFor(about);
    stated.set(
      key,
      candidates.filter((value) => about.every((requirement) => meets(value, requirement))),
    );
  }
  return stated;
}

function valuesOf({ operator, values = [] }: RequirementSpec): Values {
  if (operator === "In") return values;
  return operator === "DoesNotExist" ? [undefined] : [undefined, ...values];
}

/** Of a label that no type has: the values named, else some that nobody named, and none at all. */
function candidatesFor(about: readonly RequirementSpec[]): Values {
  const named = about.filter(({ operator }) => operator === "In").flatMap(({ values = [] }) => values);
  if (named.length > 0) return [...new Set(named)];
  const bounds = about.flatMap(({ values = [] }) => values.filter((value) => /^[0-9]+$/.test(value)).map(Number));
  const near = bounds.flatMap((bound) => [bound - 1, bound, bound + 1]).map(String);
  return [undefined, "some-value", ...near];
}

/** The machine's labels, once for each combination of values of `keys` that are open on it; at most so many. */
export function labelings(machine: Machine, keys: Iterable<string>, most = 64): readonly Labels[] {
  let list: Labels[] = [machine.labels];
  for (const key of new Set(keys)) {
    const values = machine.open.get(key);
    if (values === undefined) continue;
    list = list.flatMap((labels) =>
      values.map((value) => (value === undefined ? labels : { ...labels, [key]: value })),
    );
    if (list.length > most) return list.slice(0, most);
  }
  return list;
}

/** A label whose value the controller picks: it may pick the one that suits. In-lists are picked from at random. */
export function isFreeChoice(values: readonly (string | undefined)[]): boolean {
  return values.includes(undefined) || values.includes("some-value");
}
