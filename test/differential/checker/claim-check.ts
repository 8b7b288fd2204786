/** Would all pods of a claim run on whatever it is launched as? */
import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { minus, podRequests, shortage, total } from "./amounts.ts";
import type { CheckedClaim, Rule, Violation } from "./answer.ts";
import { daemonAmounts, daemonSpecs, daemonsOn, lifecycleLabels } from "./daemons.ts";
import { sharedPort } from "./host-ports.ts";
import { claimMachines, isFreeChoice, labelings, type Machine } from "./machines.ts";
import { type Labels, repellingTaint, selectedKeys, selectsNode } from "./matching.ts";
import { mountsOf, reachable, volumeKeys } from "./volumes.ts";

/** Karpenter: MaxInstanceTypes. */
const mostTypes = 600;

export interface ClaimVerdict {
  /** On which all the pods that are left run. Empty: the claim is worth nothing. */
  readonly machines: readonly Machine[];
  /** Without those that would not run. */
  readonly pods: readonly Pod[];
  readonly violations: readonly Violation[];
}

interface Complaint {
  readonly rule: Rule;
  readonly pod: string | undefined;
  readonly message: string;
}

export function checkClaim(problem: Problem, claim: CheckedClaim, pods: readonly Pod[], where: string): ClaimVerdict {
  const pool = problem.nodePools.find(({ metadata }) => metadata.name === claim.nodePool);
  if (pool === undefined) return worthless(claim, "unknown-name", where, `there is no NodePool ${claim.nodePool}`);
  const possible = claimMachines(problem, claim);
  const violations = listViolations(problem, claim, possible, where);
  if (possible.length === 0) {
    return worthless(claim, "offering", where, "none of its types can be launched", violations);
  }
  const taints = pool.spec.template.spec.taints ?? [];
  return settled(problem, taints, possible, pods, where, violations);
}

/** Takes away machines on which the pods do not run; where none is left, pods that run on none; and again, once. */
function settled(
  problem: Problem,
  taints: readonly Taint[],
  possible: readonly Machine[],
  pods: readonly Pod[],
  where: string,
  before: readonly Violation[],
): ClaimVerdict {
  const judged = possible.map((machine) => ({ machine, complaints: complaintsOn(problem, taints, machine, pods) }));
  const good = judged.filter(({ complaints }) => complaints.length === 0).map(({ machine }) => machine);
  if (good.length > 0) {
    const told = judged.flatMap(({ machine, complaints }) =>
      complaints.slice(0, 1).map(
        (one): Violation => ({
          rule: one.rule,
          pods: [],
          where,
          message: `${nameOf(machine)} is no machine for it: ${one.message}`,
        }),
      ),
    );
    return { machines: good, pods, violations: [...before, ...firstOfEachRule(told)] };
  }
  const least = judged.reduce((a, b) => (b.complaints.length < a.complaints.length ? b : a));
  const blamed = new Set(least.complaints.flatMap(({ pod }) => pod ?? []));
  const told = least.complaints.map(
    (one): Violation => ({
      rule: one.rule,
      pods: one.pod === undefined ? pods.map(podName) : [one.pod],
      where,
      message: `${nameOf(least.machine)}: ${one.message}`,
    }),
  );
  const all = [...before, ...told];
  const left = blamed.size === 0 ? [] : pods.filter((pod) => !blamed.has(podName(pod)));
  if (left.length === 0) return { machines: [], pods: [], violations: all };
  return settled(problem, taints, possible, left, where, all);
}

function complaintsOn(
  problem: Problem,
  taints: readonly Taint[],
  machine: Machine,
  pods: readonly Pod[],
): readonly Complaint[] {
  const mounts = pods.map((pod) => mountsOf(problem, pod));
  const keys = [
    ...pods.flatMap(({ spec }) => selectedKeys(spec)),
    ...mounts.flatMap((one) => (one.kind === "mounts" ? volumeKeys(one.volumes) : [])),
  ];
  const free = keys.filter((key) => isFreeChoice(machine.open.get(key) ?? []));
  const given = labelings(
    machine,
    keys.filter((key) => !free.includes(key)),
  );
  const judged = given.map((labels) => {
    const choices = labelings({ ...machine, labels }, free).map((chosen) =>
      ownComplaints(problem, taints, chosen, pods),
    );
    return choices.reduce((a, b) => (b.length < a.length ? b : a));
  });
  const own = judged.find((complaints) => complaints.length > 0) ?? [];
  return [...own, ...sharedComplaints(problem, taints, machine, pods)];
}

/** What each pod has against a node with such labels. */
function ownComplaints(
  problem: Problem,
  taints: readonly Taint[],
  labels: Labels,
  pods: readonly Pod[],
): readonly Complaint[] {
  return pods.flatMap((pod): readonly Complaint[] => {
    const name = podName(pod);
    const taint = repellingTaint(pod.spec.tolerations, taints);
    if (taint !== undefined) return [{ rule: "taints", pod: name, message: `${name} does not tolerate ${taint.key}` }];
    if (!selectsNode(pod.spec, labels)) {
      return [{ rule: "node-affinity", pod: name, message: `${name} does not select such a node` }];
    }
    const mounts = mountsOf(problem, pod);
    if (mounts.kind === "impossible") return [{ rule: "volumes", pod: name, message: `${name}: ${mounts.why}` }];
    if (reachable(mounts.volumes, labels)) return [];
    return [{ rule: "volumes", pod: name, message: `${name}: a volume of it cannot be reached from there` }];
  });
}

/** What the pods have against each other's company on that machine. */
function sharedComplaints(
  problem: Problem,
  taints: readonly Taint[],
  machine: Machine,
  pods: readonly Pod[],
): readonly Complaint[] {
  const daemons = daemonsOn(problem.daemonSets, { ...machine.labels, ...lifecycleLabels }, taints);
  const wanted = total(pods.map(podRequests));
  const complaints: Complaint[] = [];
  const short = shortage(wanted, machine.allocatable);
  const shortWithDaemons = shortage(wanted, minus(machine.allocatable, daemonAmounts(daemons)));
  const tooMuch = short ?? shortWithDaemons;
  if (tooMuch !== undefined) {
    complaints.push({ rule: short === undefined ? "daemons" : "resources", pod: undefined, message: tooMuch });
  }
  const port = sharedPort(
    pods.map(({ spec }) => spec),
    daemonSpecs(daemons),
  );
  if (port !== undefined) complaints.push({ rule: "host-ports", pod: undefined, message: `${port} is wanted twice` });
  return complaints;
}

/** What is wrong with the claim's list of types. */
function listViolations(
  problem: Problem,
  claim: CheckedClaim,
  possible: readonly Machine[],
  where: string,
): readonly Violation[] {
  const violations: Violation[] = [];
  const tell = (rule: Rule, message: string): void => {
    violations.push({ rule, pods: [], where, message });
  };
  if (claim.instanceTypes.length > mostTypes)
    tell("truncation", `${claim.instanceTypes.length} types are more than ${mostTypes}`);
  const known = new Set(problem.instanceTypes.map(({ name }) => name));
  const launchable = new Set(possible.map(({ type }) => type));
  const strange = claim.instanceTypes.find((name) => !known.has(name));
  if (strange !== undefined) tell("unknown-name", `there is no instance type ${strange}`);
  const useless = claim.instanceTypes.filter((name) => known.has(name) && !launchable.has(name));
  if (useless.length > 0) tell("offering", `${useless.slice(0, 3).join(", ")} cannot be launched as it asks`);
  return violations;
}

function worthless(
  claim: CheckedClaim,
  rule: Rule,
  where: string,
  message: string,
  before: readonly Violation[] = [],
): ClaimVerdict {
  return { machines: [], pods: [], violations: [...before, { rule, pods: claim.pods, where, message }] };
}

function firstOfEachRule(violations: readonly Violation[]): readonly Violation[] {
  return violations.filter((one, i) => violations.findIndex(({ rule }) => rule === one.rule) === i);
}

function nameOf({ type, zone, capacityType }: Machine): string {
  return `${type} ${zone} ${capacityType}`;
}

export function podName({ metadata }: Pod): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}
