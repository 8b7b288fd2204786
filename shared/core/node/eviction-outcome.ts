/**
 * Karpenter counterpart: pkg/controllers/node/termination/terminator/eviction.go, what it does with the API's answers.
 * It differs: a refusal is remembered in the state ConfigMap, a node at a time.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { EvictPod } from "../command.ts";
import { type Decision, together } from "../decision.ts";
import { refOf } from "../object-ref.ts";
import type { Step } from "../outcome.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { evictionKey, orphanedRefusals, refusalPatch, refusalsOf, retryAtMs } from "./eviction-retry.ts";
import { podsByNode } from "./node-index.ts";

type EvictStep = Step & { readonly command: EvictPod };

export const evictionOutcome: Stage = {
  name: "evicted",
  decide: (snapshot) => {
    const steps = snapshot.steps.filter((step): step is EvictStep => step.command.kind === "evict-pod");
    const pods = podsByNode(snapshot.cluster.pods);
    const { state, nodes } = snapshot.cluster;
    const byUid = new Map(steps.map((step) => [step.command.target.uid ?? "", step]));
    const concerned = nodes.filter(
      (node) =>
        state[evictionKey(node)] !== undefined ||
        (pods.get(node.metadata.name) ?? []).some((pod) => byUid.has(pod.metadata.uid ?? "")),
    );
    return together([
      ...concerned.map((node) => outcomes(node, pods.get(node.metadata.name) ?? [], byUid, snapshot)),
      { commands: orphanedRefusals(state, nodes), reasons: [] },
    ]);
  },
};

function outcomes(
  node: Node,
  pods: readonly Pod[],
  steps: ReadonlyMap<string, EvictStep>,
  snapshot: Snapshot,
): Decision {
  const { nowMs } = snapshot;
  const { state } = snapshot.cluster;
  const answered = pods.flatMap((pod) => {
    const step = steps.get(pod.metadata.uid ?? "");
    return step === undefined ? [] : [{ pod, outcome: step.outcome }];
  });
  const refused = answered.flatMap(({ pod, outcome }) => (isRefusal(outcome) ? [pod.metadata.uid ?? ""] : []));
  const present = new Set(pods.map((pod) => pod.metadata.uid ?? ""));
  const patch = refusalPatch(state, node, refused, present, nowMs);
  const after = patch === undefined ? state : { ...state, [patch.key]: patch.value ?? "" };
  const refusals = refusalsOf(after, node);
  const atMs = refused.length === 0 || refusals === undefined ? undefined : retryAtMs(refusals);
  return {
    commands: patch === undefined ? [] : [patch],
    reasons: answered.flatMap(({ pod, outcome }) => evictedReason(node, pod, outcome)),
    ...(atMs === undefined ? {} : { againAtMs: atMs }),
  };
}

/** Any answer but success and "it is gone": the pod pauses. */
function isRefusal(outcome: Step["outcome"]): boolean {
  return outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict";
}

function evictedReason(node: Node, pod: Pod, outcome: Step["outcome"]): readonly Reason[] {
  const about = refOf("Pod", pod);
  if (outcome.kind === "done") {
    const message = `Evicted from ${node.metadata.name}, which is being terminated`;
    return [{ about, code: "node-draining", message, event: { type: "Normal", reason: "Evicted" } }];
  }
  if (!isRefusal(outcome)) return [];
  return [
    { about, code: "node-draining", message: `Not evicted from ${node.metadata.name}: ${outcome.fault.message}` },
  ];
}
