/**
 * What any plan for some pods of a problem must cost at least: pods may be cut into pieces, nodes too, and most rules are
 * dropped. Kept are resources, what daemons and the system take of each node, which machines a pod may run on, and that
 * pods which keep away from their own kind by host take a node each. Shares no code with the scheduler.
 */
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { type Amounts, minus, podRequests } from "../checker/amounts.ts";
import { podName } from "../checker/claim-check.ts";
import { daemonAmounts, daemonsOn, lifecycleLabels } from "../checker/daemons.ts";
import { labelings, type Machine, poolMachines } from "../checker/machines.ts";
import { type Labels, repellingTaint, selectedKeys, selectsNode } from "../checker/matching.ts";
import { meansPod, podRules } from "../checker/pod-rules.ts";
import { standingNodes } from "../checker/standing-nodes.ts";
import { type Kind, lowerBound, type Standing } from "./covering.ts";

/** Pods that nothing here tells apart. */
interface PodClass {
  readonly pod: Pod;
  readonly requests: Amounts;
  /** Of the rule that no two of them share a host; undefined without one. */
  readonly apart: string | undefined;
  readonly count: number;
}

/** Where pods can go: some labels, taints, room. */
interface Site {
  /** One of them, as chance or choice has it. */
  readonly labels: (keys: readonly string[]) => readonly Labels[];
  readonly taints: readonly Taint[];
  readonly free: Amounts;
}

const hostKey = "kubernetes.io/hostname";

/** Per hour, for these of the problem's pods (`namespace/name`). `deadlineMs` by performance.now(). */
export function cheapestPossible(problem: Problem, placed: ReadonlySet<string>, deadlineMs?: number): number {
  const classes = podClasses(problem, placed);
  const machines = problem.nodePools.flatMap(({ metadata, spec }) => {
    const taints = spec.template.spec.taints ?? [];
    return poolMachines(problem, metadata.name).map((machine) => ({
      price: machine.price,
      site: siteOf(problem, machine, taints),
    }));
  });
  const standing = standingNodes(problem).filter(({ leaving }) => !leaving);
  const measure = new Measure(
    classes,
    machines.map(({ site }) => site.free),
  );
  const kinds = machines.map(({ price, site }) => ({ price, ...measure.placeOf(site) }));
  return lowerBound(
    {
      wanted: Float64Array.from(classes, ({ count }) => count),
      takes: measure.takes,
      kinds: cheapestOfEqual(kinds),
      standing: standing.map(({ labels, taints, free }) => measure.placeOf({ labels: () => [labels], taints, free })),
    },
    deadlineMs,
  );
}

/** Rows of room: each resource in shares of the largest machine, and a host of its own for each group that needs one. */
class Measure {
  readonly takes: readonly Float64Array[];
  readonly #classes: readonly PodClass[];
  readonly #resources: readonly string[];
  readonly #groups: readonly string[];
  readonly #scale: readonly number[];

  constructor(classes: readonly PodClass[], rooms: readonly Amounts[]) {
    this.#classes = classes;
    this.#resources = [...new Set(classes.flatMap(({ requests }) => [...requests.keys()]))].sort();
    this.#groups = [...new Set(classes.flatMap(({ apart }) => apart ?? []))].sort();
    this.#scale = this.#resources.map((name) => Math.max(1, ...rooms.map((room) => Number(room.get(name) ?? 0n))));
    this.takes = [
      ...this.#resources.map((name, d) => Float64Array.from(classes, ({ requests }) => this.#share(requests, name, d))),
      ...this.#groups.map((group) => Float64Array.from(classes, ({ apart }) => (apart === group ? 1 : 0))),
    ];
  }

  placeOf(site: Site): Standing {
    const room = [
      ...this.#resources.map((name, d) => Math.max(0, this.#share(site.free, name, d))),
      ...this.#groups.map(() => 1),
    ];
    return { room: Float64Array.from(room), holds: this.#classes.map(({ pod }) => mayRun(pod, site)) };
  }

  #share(amounts: Amounts, name: string, d: number): number {
    return Number(amounts.get(name) ?? 0n) / (this.#scale[d] ?? 1);
  }
}

function siteOf(problem: Problem, machine: Machine, taints: readonly Taint[]): Site {
  const daemons = daemonAmounts(daemonsOn(problem.daemonSets, { ...machine.labels, ...lifecycleLabels }, taints));
  return { labels: (keys) => labelings(machine, keys), taints, free: minus(machine.allocatable, daemons) };
}

function mayRun({ spec }: Pod, { labels, taints }: Site): boolean {
  if (repellingTaint(spec.tolerations, taints) !== undefined) return false;
  return labels(selectedKeys(spec)).some((one) => selectsNode(spec, one));
}

/** What reads the same here is one class, however many pods there are. */
function podClasses(problem: Problem, placed: ReadonlySet<string>): readonly PodClass[] {
  const byText = new Map<string, PodClass>();
  for (const pod of problem.pods) {
    if (!placed.has(podName(pod))) continue;
    const { spec, metadata } = pod;
    const choice = [spec.nodeSelector, spec.affinity?.nodeAffinity, spec.tolerations];
    const own = [metadata.namespace, metadata.labels, spec.affinity?.podAntiAffinity];
    const apart =
      spec.affinity?.podAntiAffinity === undefined ? undefined : ownHostRule(problem, pod, JSON.stringify(own));
    const requests = podRequests(pod);
    const text = JSON.stringify([choice, apart, [...requests].map(([name, amount]) => [name, String(amount)])]);
    const known = byText.get(text);
    byText.set(text, { pod, requests, apart, count: (known?.count ?? 0) + 1 });
  }
  return [...byText.values()];
}

const hostRules = new WeakMap<Problem, Map<string, string | undefined>>();

/** The rule by which pods like this one keep away from each other on a host. `text`: all that the rule depends on. */
function ownHostRule(problem: Problem, pod: Pod, text: string): string | undefined {
  const known = hostRules.get(problem) ?? new Map<string, string | undefined>();
  hostRules.set(problem, known);
  if (!known.has(text)) {
    const rule = podRules(problem, pod).antiAffinities.find(
      (term) => term.topologyKey === hostKey && meansPod(term, pod),
    );
    known.set(text, rule?.id);
  }
  return known.get(text);
}

/** Of machines that hold the same pods in the same room the cheapest. */
function cheapestOfEqual(kinds: readonly Kind[]): readonly Kind[] {
  const byText = new Map<string, Kind>();
  for (const kind of kinds) {
    const text = `${kind.room.join(" ")} ${kind.holds.map(Number).join("")}`;
    const known = byText.get(text);
    if (known === undefined || kind.price < known.price) byText.set(text, kind);
  }
  return [...byText.values()];
}
