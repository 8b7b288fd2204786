import type { KubeObject } from "#api/core-v1/meta.ts";
import {
  capacityTypeLabel,
  minValuesRelaxedAnnotation,
  nodePoolLabel,
  terminationFinalizer,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import { replacementRecord } from "#core/nodeclaim/replacement-record.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";
import { transitionSamples } from "./transition-samples.ts";

/** The stages that decide on disruption, by the word of the metric. */
const disruptionStages: Readonly<Record<string, string>> = { disruption: "", rebalance: "rebalance" };
/** Karpenter: ConsolidationType of its methods; drift has none. */
const consolidationTypes: Readonly<Record<string, string>> = { emptiness: "empty", multi: "multi", single: "single" };

/** What the tick saw, and made. */
interface Seen {
  readonly claims: ReadonlyMap<string, NodeClaim>;
  readonly nodes: ReadonlyMap<string, KubeObject>;
  /** Zones by instance. */
  readonly zones: ReadonlyMap<string, string>;
  readonly nowMs: number;
}

/** What this tick counted and timed. */
export function tickSamples(report: TickReport): readonly Sample[] {
  const { cluster, cloud, nowMs } = report.snapshot;
  const made = report.steps.flatMap(({ command }) => (command.kind === "create-node-claim" ? [command.nodeClaim] : []));
  const seen: Seen = {
    claims: byName([...made, ...cluster.nodeClaims]),
    nodes: byName(cluster.nodes),
    zones: new Map(cloud.instances.map(({ id, zone }) => [id, zone])),
    nowMs,
  };
  return [
    ...report.decisions.flatMap(({ decision }) => decision.reasons.flatMap((reason) => ofReason(reason, seen))),
    ...report.steps.flatMap((step) => ofStep(step, seen)),
    ...transitionSamples(report),
    ...timings(report),
  ];
}

function byName<Named extends KubeObject>(objects: readonly Named[]): ReadonlyMap<string, Named> {
  return new Map(objects.map((object) => [object.metadata.name, object]));
}

function sample(name: string, labels: Readonly<Record<string, string>>, value = 1): Sample {
  return { name, labels, value };
}

function ofReason({ about, code, data = {} }: Reason, { claims, nodes, nowMs }: Seen): readonly Sample[] {
  if (about.kind === "Node" && code === "node-disrupted") {
    return ofDecision(data, placeOf(nodes.get(about.name)).nodepool);
  }
  if (about.kind !== "NodeClaim") return [];
  const claim = claims.get(about.name);
  const { nodepool, zone, capacity_type } = placeOf(claim);
  switch (code) {
    case "claim-created": {
      const replaces = claim === undefined ? undefined : replacementRecord(claim)?.reason.toLowerCase();
      const labels = { reason: replaces ?? "provisioned", nodepool: String(data.nodePool ?? "") };
      const min_values_relaxed = claim?.metadata.annotations?.[minValuesRelaxedAnnotation] ?? "false";
      return [sample("karpenter_nodeclaims_created_total", { ...labels, min_values_relaxed })];
    }
    case "claim-deleted":
      return [
        sample("karpenter_nodeclaims_disrupted_total", { reason: String(data.cause ?? ""), nodepool, capacity_type }),
      ];
    case "claim-registered":
      return [sample("karpenter_nodes_created_total", { nodepool, zone })];
    case "claim-terminated":
      return [
        sample("karpenter_nodeclaims_terminated_total", { nodepool, capacity_type, zone }),
        ...since("operator_nodeclaim_termination_duration_seconds", {}, claim?.metadata.deletionTimestamp, nowMs),
        ...since("karpenter_nodes_lifetime_duration_seconds", { nodepool }, claim?.metadata.creationTimestamp, nowMs),
        ...since(
          "karpenter_nodeclaims_termination_duration_seconds",
          { nodepool },
          claim?.metadata.deletionTimestamp,
          nowMs,
        ),
        ...since(
          "karpenter_nodeclaims_instance_termination_duration_seconds",
          { nodepool },
          claim?.status?.conditions?.find(({ type }) => type === "InstanceTerminating")?.lastTransitionTime,
          nowMs,
        ),
      ];
    default:
      return [];
  }
}

/** A method's; a node that goes because it ails is no voluntary one, and the end of one was counted as it began. */
function ofDecision(
  { method, reason = "", replacements = 0 }: NonNullable<Reason["data"]>,
  nodepool: string,
): readonly Sample[] {
  if (method === undefined) return [];
  const labels = {
    decision: replacements === 0 ? "delete" : "replace",
    reason: String(reason).toLowerCase(),
    consolidation_type: consolidationTypes[String(method)] ?? "",
  };
  return [
    sample("karpenter_voluntary_disruption_decisions_total", labels),
    sample("karpenter_voluntary_disruption_decisions_by_nodepool_total", { ...labels, nodepool }),
  ];
}

function since(name: string, labels: Sample["labels"], from: string | undefined, nowMs: number): readonly Sample[] {
  const fromMs = parseTime(from);
  return fromMs === undefined ? [] : [sample(name, labels, Math.max(0, nowMs - fromMs) / 1000)];
}

function ofStep({ command, outcome }: Step, { claims, nodes, zones, nowMs }: Seen): readonly Sample[] {
  const fault = outcome.kind === "failed" ? outcome.fault : undefined;
  switch (command.kind) {
    case "evict-pod":
      return [sample("karpenter_pods_eviction_requests_total", { code: fault?.code ?? "200" })];
    case "patch-metadata": {
      const isLetGo = command.finalizers !== undefined && !command.finalizers.includes(terminationFinalizer);
      if (command.target.kind !== "Node" || !isLetGo || fault !== undefined) return [];
      const node = nodes.get(command.target.name);
      const { nodepool, zone } = placeOf(node);
      const deleted = node?.metadata.deletionTimestamp;
      return [
        sample("karpenter_nodes_terminated_total", { nodepool, zone }),
        ...since("karpenter_nodes_termination_duration_seconds", { nodepool }, deleted, nowMs),
        ...since("operator_node_termination_duration_seconds", {}, deleted, nowMs),
      ];
    }
    case "launch-instance":
      return ofLaunch(outcome, placeOf(claims.get(command.nodeClaim)).nodepool);
    case "terminate-instance":
      if (fault === undefined || fault.kind === "not-found") return [];
      return [
        sample("karpenter_cloudprovider_instance_termination_failures_total", {
          zone: zones.get(command.instanceId) ?? "",
        }),
        cloudError("Delete", fault.kind),
      ];
    default:
      return [];
  }
}

function ofLaunch(outcome: Step["outcome"], nodepool: string): readonly Sample[] {
  const fault = outcome.kind === "failed" ? outcome.fault : undefined;
  const refused = (outcome.kind === "done" ? outcome.refused : outcome.fault.offerings) ?? [];
  const reason = fault?.reason ?? fault?.code ?? "InsufficientInstanceCapacity";
  return [
    ...refused.map(({ zone, capacityType }) =>
      sample("karpenter_cloudprovider_instance_launch_failures_total", {
        ...{ zone, capacity_type: capacityType, reason, nodepool },
      }),
    ),
    ...(fault === undefined ? [] : [cloudError("Create", fault.kind)]),
  ];
}

function cloudError(method: string, error: string): Sample {
  return sample("karpenter_cloudprovider_errors_total", { controller: "", method, provider: "aws", error });
}

function timings({ phases, cutShort }: TickReport): readonly Sample[] {
  const wholeMs = phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return [
    sample("outrigger_tick_duration_seconds", {}, wholeMs / 1000),
    ...phases.flatMap(({ name, durationMs }) => {
      const method = disruptionStages[name];
      const seconds = durationMs / 1000;
      return [
        sample("outrigger_phase_duration_seconds", { phase: name }, seconds),
        ...(name === "provisioning"
          ? [sample("karpenter_scheduler_scheduling_duration_seconds", { controller: "provisioner" }, seconds)]
          : []),
        ...(method === undefined
          ? []
          : [
              sample(
                "karpenter_voluntary_disruption_decision_evaluation_duration_seconds",
                { reason: method, consolidation_type: "" },
                seconds,
              ),
            ]),
      ];
    }),
    ...(cutShort === undefined ? [] : [sample("outrigger_ticks_cut_short_total", { cause: cutShort.cause })]),
  ];
}

function placeOf(object: KubeObject | undefined): Readonly<Record<"nodepool" | "zone" | "capacity_type", string>> {
  const labels = object?.metadata.labels ?? {};
  return {
    nodepool: labels[nodePoolLabel] ?? "",
    zone: labels[zoneLabel] ?? "",
    capacity_type: labels[capacityTypeLabel] ?? "",
  };
}
