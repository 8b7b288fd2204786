/**
 * Daemons with which pods of a class must not share a node. Karpenter counterpart: none; it looks at anti-affinity between
 * pods that are there, so that it makes a node for such a pod on which the daemon then starts, and the pod never does.
 */
import { instanceTypeLabel } from "#api/karpenter-v1/labels.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import { countOf, indicesOf } from "../instance-types/bitset.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { PodClass } from "../pods/pod-class.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import { requirementsOf } from "../requirements/requirements.ts";
import { type NearRule, requiredAntiAffinities } from "../topology/pod-rules.ts";
import { identityOf, type PodIdentity, type PodSelectors } from "../topology/pod-selector.ts";
import { type Daemon, keyOfDaemon } from "./daemon-overhead.ts";

interface Company {
  readonly daemon: Daemon;
  readonly identity: PodIdentity;
  readonly keepsAway: readonly NearRule[];
}

const noDaemons: readonly Daemon[] = [];

/** Where a daemon runs it is in every domain of its node, so the topology key of a rule makes no difference. */
export class DaemonCompany {
  readonly #all: readonly Company[];
  readonly #isQuiet: boolean;

  constructor(daemons: readonly Daemon[], selectors: PodSelectors) {
    this.#all = daemons.map((daemon) => {
      const identity = identityOf(daemon.pod);
      return { daemon, identity, keepsAway: requiredAntiAffinities(daemon.pod.spec, identity, selectors) };
    });
    this.#isQuiet = this.#all.every(({ keepsAway }) => keepsAway.length === 0);
  }

  /** Daemons that the class keeps away from, or that keep it away. */
  against({ ladder, identity }: PodClass): readonly Daemon[] {
    const { antiAffinities } = ladder.required;
    return this.#isQuiet && antiAffinities.length === 0 ? noDaemons : this.#against(antiAffinities, identity);
  }

  #against(antiAffinities: PodClass["ladder"]["required"]["antiAffinities"], identity: PodIdentity): readonly Daemon[] {
    return this.#all
      .filter(
        (one) =>
          antiAffinities.some(({ selector }) => selector.selects(one.identity)) ||
          one.keepsAway.some(({ selector }) => selector.selects(identity)),
      )
      .map(({ daemon }) => daemon);
  }
}

/** NodePools and types on which none of the daemons runs. */
export function withoutDaemons(
  part: Pick<Step, "alternatives" | "tolerance" | "pools">,
  daemons: readonly Daemon[],
  sets: RequirementSets,
): Pick<Step, "alternatives" | "tolerance" | "pools"> {
  if (daemons.length === 0) return part;
  const excluded = new Set<string>();
  const pools = part.pools.filter((pool) => {
    const types = typesWith(pool, daemons);
    if (types.length === pool.index.types.length) return false;
    for (const name of types) excluded.add(name);
    return true;
  });
  if (excluded.size === 0) return { ...part, pools };
  const others = sets.intern(
    requirementsOf([{ key: instanceTypeLabel, operator: "NotIn", values: [...excluded].sort() }]),
  );
  return { ...part, pools, alternatives: part.alternatives.flatMap((one) => sets.narrow(one, others) ?? []) };
}

/** "DaemonSet ns/name": the first of them that runs on every type of the pool; undefined: on none or on some. */
export function daemonEverywhere(pool: CandidatePool, daemons: readonly Daemon[]): string | undefined {
  if (typesWith(pool, daemons).length < pool.index.types.length) return undefined;
  const found = daemons.find((daemon) => pool.groups.some((group) => group.daemons.includes(daemon)));
  return found === undefined ? undefined : `DaemonSet ${keyOfDaemon(found)}`;
}

/** Names of the types on which one of the daemons runs. */
function typesWith({ groups, index }: CandidatePool, daemons: readonly Daemon[]): readonly string[] {
  return groups
    .filter((group) => countOf(group.types) > 0 && group.daemons.some((daemon) => daemons.includes(daemon)))
    .flatMap(({ types }) => indicesOf(types).map((type) => index.types[type]?.name ?? ""));
}
