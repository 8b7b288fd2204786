import type { Condition, KubeObject } from "#api/core-v1/meta.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import { parseTime } from "#api/time.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";

type Conditioned = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };

/** Karpenter: operatorpkg's words for the kinds whose conditions it counts. */
const words: Readonly<Record<string, string>> = {
  NodeClaim: "nodeclaim",
  NodePool: "nodepool",
  NodeClass: "ec2nodeclass",
};

/** Conditions that the tick's writes changed, and nodes that have let their last pod go by them. */
export function transitionSamples({ snapshot, steps }: TickReport): readonly Sample[] {
  const { nodeClaims, nodePools, nodeClasses } = snapshot.cluster;
  const seen = new Map<string, Conditioned>([
    ...keyed("NodeClaim", nodeClaims),
    ...keyed("NodePool", nodePools),
    ...keyed("NodeClass", nodeClasses),
  ]);
  return steps.flatMap(({ command, outcome }): readonly Sample[] => {
    if (command.kind !== "patch-status" || outcome.kind !== "done") return [];
    const { kind, name } = command.target;
    const word = words[kind];
    const conditions = command.status.conditions;
    if (word === undefined || !Array.isArray(conditions)) return [];
    const before = seen.get(`${kind}/${name}`);
    return (conditions as unknown as readonly Condition[])
      .filter(({ type, status }) => statusOf(before, type) !== status)
      .flatMap((condition) => ofChange(word, condition, before, snapshot.nowMs));
  });
}

function keyed(kind: string, objects: readonly Conditioned[]): readonly (readonly [string, Conditioned])[] {
  return objects.map((object) => [`${kind}/${object.metadata.name}`, object] as const);
}

function statusOf(object: Conditioned | undefined, type: string): string {
  return object?.status?.conditions?.find((condition) => condition.type === type)?.status ?? "Unknown";
}

function ofChange(
  word: string,
  { type, status, reason = "" }: Condition,
  object: Conditioned | undefined,
  nowMs: number,
): readonly Sample[] {
  const labels = { type, status, reason };
  const before = object?.status?.conditions?.find((condition) => condition.type === type);
  const sinceMs = parseTime(before?.lastTransitionTime);
  const nodepool = object?.metadata.labels?.[nodePoolLabel] ?? "";
  return [
    { name: `operator_${word}_status_condition_transitions_total`, labels, value: 1 },
    ...(before === undefined || sinceMs === undefined
      ? []
      : [
          {
            name: `operator_${word}_status_condition_transition_seconds`,
            // operatorpkg: how long it had been so, by what it was.
            labels: { type, status: before.status },
            value: Math.max(0, nowMs - sinceMs) / 1000,
          },
        ]),
    ...(word === "nodeclaim" && type === "Drained" && status === "True"
      ? [{ name: "karpenter_nodes_drained_total", labels: { nodepool }, value: 1 }]
      : []),
  ];
}
