/** The plan as data: what `--json` prints and what the text is made of. */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { objectName } from "#core/object-ref.ts";
import { failedToSchedule, isScheduled, isTerminal, isTerminating } from "#core/pod/pod-predicates.ts";
import type { PlannedNodeClaim } from "#core/provisioning/plan.ts";
import type { Reason } from "#core/reason.ts";
import { specsOfRequirements } from "#core/scheduling/requirements/requirements.ts";
import { resourceListOf } from "#core/scheduling/resources/resources.ts";
import type { LaunchChoice, Unplaced } from "#core/scheduling/solution.ts";
import { usualScheduler } from "../simulate/unplaced.ts";
import { type Cost, costOf } from "./cost.ts";
import type { Look } from "./decide.ts";

export interface PlannedClaimDocument {
  readonly name: string;
  readonly nodePool: string;
  /** `namespace/name`. */
  readonly pods: readonly string[];
  readonly requests: ResourceList;
  /** Cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly capacityTypes: readonly string[];
  /** Empty: any that the types have. */
  readonly zones: readonly string[];
  readonly requirements: readonly RequirementSpec[];
  readonly cheapest: LaunchChoice;
  readonly runnerUp: LaunchChoice | null;
  /** Types of the NodePool: all; those that meet the requirements and can be had; those that also have room. */
  readonly considered: { readonly all: number; readonly launchable: number; readonly fitting: number };
}

/** Pods that share one answer. */
export interface PodsWithReason {
  readonly pods: readonly string[];
  readonly reason: string;
}

export interface PlanDocument {
  readonly claims: readonly PlannedClaimDocument[];
  /** Pods that wait and have room on what is there. */
  readonly placements: readonly {
    readonly kind: "node" | "claim";
    readonly name: string;
    readonly pods: readonly string[];
  }[];
  readonly unschedulable: readonly PodsWithReason[];
  readonly deferred: readonly PodsWithReason[];
  readonly ignored: readonly PodsWithReason[];
  /** Pods that nobody makes nodes for before something else happens: scheduling gates, another scheduler's verdict. */
  readonly gated: readonly PodsWithReason[];
  /** Of NodePools, nodes and others that are not told above: `Kind name: message`. */
  readonly findings: readonly string[];
  readonly short: readonly string[];
  readonly cost: Cost;
  readonly notes: readonly string[];
}

/** Codes that the rest of the document tells better, and those that say that all is well. */
const toldAlready: ReadonlySet<Reason["code"]> = new Set([
  "pod-placed-on-node",
  "pod-placed-on-claim",
  "pod-placed-on-new-claim",
  "pod-unschedulable",
  "pod-deferred",
  "pod-ignored",
  "claim-registered",
  "claim-initialized",
  "claim-consistent",
  "claim-waiting",
]);

export function planDocument(look: Look, notes: readonly string[]): PlanDocument {
  const { plan, reasons, short, snapshot } = look;
  return {
    claims: plan.claims.map(claimDocument),
    placements: plan.placements.map(({ node: { kind, name }, pods }) => ({ kind, name, pods: names(pods) })),
    unschedulable: plan.unschedulable.map(withReason),
    deferred: plan.deferred.map(withReason),
    ignored: plan.ignored.map(withReason),
    gated: gatedPods(snapshot.cluster.pods),
    findings: findingsOf(reasons, new Set(plan.claims.map(({ nodeClaim }) => nodeClaim.metadata.name))),
    short,
    cost: costOf(look),
    notes,
  };
}

/** Somebody has to do something about it. */
export function hasFindings({ unschedulable, deferred, short }: PlanDocument): boolean {
  // A StatefulSet makes its next pod when the one before runs, and here no time passes.
  const refused = short.filter((text) => !text.startsWith("StatefulSet "));
  return unschedulable.length + deferred.length + refused.length > 0;
}

export function claimDocument({ nodeClaim, planned }: PlannedNodeClaim): PlannedClaimDocument {
  const zones = planned.requirements.get(zoneLabel);
  return {
    name: nodeClaim.metadata.name,
    nodePool: planned.nodePool.metadata.name,
    pods: names(planned.pods),
    requests: resourceListOf(planned.requests),
    instanceTypes: planned.instanceTypes,
    capacityTypes: planned.capacityTypes,
    zones: zones === undefined || zones.complement ? [] : zones.values,
    requirements: specsOfRequirements(planned.requirements),
    cheapest: planned.cheapest,
    runnerUp: planned.runnerUp ?? null,
    considered: planned.considered,
  };
}

export function gatesOf({ spec }: Pod): readonly string[] {
  return (spec.schedulingGates ?? []).map(({ name }) => name);
}

function gatedPods(pods: readonly Pod[]): readonly PodsWithReason[] {
  const byReason = new Map<string, string[]>();
  for (const pod of pods) {
    const gates = gatesOf(pod);
    const reason = gates.length > 0 ? gatesText(gates) : untriedText(pod);
    if (reason === undefined || isScheduled(pod) || isTerminal(pod) || isTerminating(pod)) continue;
    byReason.set(reason, [...(byReason.get(reason) ?? []), objectName(pod.metadata)]);
  }
  return [...byReason].map(([reason, own]) => ({ pods: own.sort(), reason }));
}

function gatesText(gates: readonly string[]): string {
  return `its scheduling ${gates.length === 1 ? "gate" : "gates"} ${gates.join(", ")} must go first`;
}

/** Of a pod with a scheduler of its own: a node is made when that one finds none. */
function untriedText(pod: Pod): string | undefined {
  const { schedulerName = usualScheduler } = pod.spec;
  if (schedulerName === usualScheduler || failedToSchedule(pod)) return undefined;
  return `its scheduler ${schedulerName} must mark it Unschedulable first`;
}

/** Several stages may say the same of an object in their own words: the first to speak is heard. */
function findingsOf(reasons: readonly Reason[], planned: ReadonlySet<string>): readonly string[] {
  const byMatter = new Map<string, string>();
  for (const reason of reasons) {
    const { about, code, message } = reason;
    if (isTold(reason, planned) || isEchoed(reason, reasons)) continue;
    const object = `${about.objectKind ?? about.kind} ${objectName(about)}`;
    const matter = `${object} ${code}`;
    if (!byMatter.has(matter)) byMatter.set(matter, `${object}: ${message}`);
  }
  return [...byMatter.values()];
}

/** A claim that replaces others is in no list of the document. */
function isTold({ about, code }: Reason, planned: ReadonlySet<string>): boolean {
  return code === "claim-created" ? planned.has(about.name) : toldAlready.has(code);
}

/** What is said of a NodeClaim is said of its node too, which has events of its own. */
function isEchoed({ about, code, message }: Reason, reasons: readonly Reason[]): boolean {
  if (about.kind !== "Node" || code !== "node-disrupted") return false;
  return reasons.some((other) => other.about.kind === "NodeClaim" && other.code === code && other.message === message);
}

function withReason({ pods, message }: Unplaced): PodsWithReason {
  return { pods: names(pods), reason: message };
}

function names(pods: readonly Pod[]): readonly string[] {
  return pods.map(({ metadata }) => objectName(metadata)).sort();
}
