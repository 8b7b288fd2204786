import { capacityTypeLabel, nodePoolLabel, terminationFinalizer, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";

/** The stages that decide on disruption, by the word of the metric. */
const disruptionStages: Readonly<Record<string, string>> = { disruption: "", rebalance: "rebalance" };

/** What this tick counted and timed. */
export function tickSamples(report: TickReport): readonly Sample[] {
  const claims = new Map(report.snapshot.cluster.nodeClaims.map((claim) => [claim.metadata.name, claim]));
  const { nowMs } = report.snapshot;
  return [
    ...report.decisions.flatMap(({ decision }) =>
      decision.reasons.flatMap((reason) => ofReason(reason, claims, nowMs)),
    ),
    ...report.steps.flatMap((step) => ofStep(step, claims)),
    ...timings(report),
  ];
}

function sample(name: string, labels: Readonly<Record<string, string>>, value = 1): Sample {
  return { name, labels, value };
}

function ofReason(reason: Reason, claims: ReadonlyMap<string, NodeClaim>, nowMs: number): readonly Sample[] {
  const { about, code, data = {} } = reason;
  if (code === "node-disrupted") {
    const labels = { decision: "delete", reason: String(data.reason ?? "").toLowerCase(), consolidation_type: "" };
    return [sample("karpenter_voluntary_disruption_decisions_total", labels)];
  }
  if (about.kind !== "NodeClaim") return [];
  const claim = claims.get(about.name);
  const { nodepool, zone, capacity_type } = placeOf(claim);
  switch (code) {
    case "claim-created": {
      const labels = { reason: "provisioned", nodepool: String(data.nodePool ?? ""), min_values_relaxed: "false" };
      return [sample("karpenter_nodeclaims_created_total", labels)];
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
        ...since("karpenter_nodes_lifetime_duration_seconds", nodepool, claim?.metadata.creationTimestamp, nowMs),
        ...since(
          "karpenter_nodeclaims_termination_duration_seconds",
          nodepool,
          claim?.metadata.deletionTimestamp,
          nowMs,
        ),
        ...since(
          "karpenter_nodeclaims_instance_termination_duration_seconds",
          nodepool,
          claim?.status?.conditions?.find(({ type }) => type === "InstanceTerminating")?.lastTransitionTime,
          nowMs,
        ),
      ];
    default:
      return [];
  }
}

function since(name: string, nodepool: string, from: string | undefined, nowMs: number): readonly Sample[] {
  const fromMs = parseTime(from);
  return fromMs === undefined ? [] : [sample(name, { nodepool }, Math.max(0, nowMs - fromMs) / 1000)];
}

function ofStep({ command, outcome }: Step, claims: ReadonlyMap<string, NodeClaim>): readonly Sample[] {
  const fault = outcome.kind === "failed" ? outcome.fault : undefined;
  switch (command.kind) {
    case "evict-pod":
      return [sample("karpenter_pods_eviction_requests_total", { code: fault?.code ?? "200" })];
    case "patch-metadata": {
      const isLetGo = command.finalizers !== undefined && !command.finalizers.includes(terminationFinalizer);
      if (command.target.kind !== "Node" || !isLetGo || fault !== undefined) return [];
      return [sample("karpenter_nodes_terminated_total", { nodepool: "", zone: "" })];
    }
    case "launch-instance":
      return ofLaunch(outcome, placeOf(claims.get(command.nodeClaim)).nodepool);
    case "terminate-instance":
      if (fault === undefined || fault.kind === "not-found") return [];
      return [
        sample("karpenter_cloudprovider_instance_termination_failures_total", { zone: "" }),
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

function placeOf(claim: NodeClaim | undefined): Readonly<Record<"nodepool" | "zone" | "capacity_type", string>> {
  const labels = claim?.metadata.labels ?? {};
  return {
    nodepool: labels[nodePoolLabel] ?? "",
    zone: labels[zoneLabel] ?? "",
    capacity_type: labels[capacityTypeLabel] ?? "",
  };
}
