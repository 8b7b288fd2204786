import type { Node } from "#api/core-v1/node.ts";
import type { Taint } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { notReadyTaintKey, unreachableTaintKey } from "../api-server/admission.ts";
import { asJson } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import { Workqueue } from "../workqueue.ts";

const unschedulableTaintKey = "node.kubernetes.io/unschedulable";
/** The taints that this controller alone puts on and takes off. */
const ownKeys: readonly string[] = [notReadyTaintKey, unreachableTaintKey, unschedulableTaintKey];

/** Kubernetes' node lifecycle controller: a node's Ready condition and cordon, as taints. */
export function startNodeTaints({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (name) => {
    const node = api.store.get("Node", name);
    if (node === undefined) return;
    const before = node.spec.taints ?? [];
    const taints = taintsFor(node, formatTime(clock.nowMs()));
    if (sameTaints(before, taints)) return;
    const { resourceVersion = "" } = node.metadata;
    const spec = { taints: taints.length === 0 ? null : asJson(taints) };
    const answer = api.patch("Node", name, undefined, { metadata: { resourceVersion }, spec });
    if (answer.kind === "refused") queue.add(name);
  });
  api.store.listen(({ object, type }) => {
    if (object.kind === "Node" && type !== "DELETED") queue.add(object.metadata.name);
  });
}

/** The whole list of taints: those of others untouched, ours by condition, in a fixed order. */
function taintsFor(node: Node, now: string): readonly Taint[] {
  const current = node.spec.taints ?? [];
  const wanted = ownTaints(node).map((taint): Taint => {
    const existing = current.find((other) => other.key === taint.key && other.effect === taint.effect);
    return existing ?? { ...taint, timeAdded: now };
  });
  return [...current.filter(({ key }) => !ownKeys.includes(key)), ...wanted];
}

function ownTaints(node: Node): readonly Taint[] {
  const cordon: readonly Taint[] =
    node.spec.unschedulable === true ? [{ key: unschedulableTaintKey, effect: "NoSchedule" }] : [];
  const ready = node.status?.conditions?.find(({ type }) => type === "Ready");
  if (ready?.status === "True") return cordon;
  const key = ready?.status === "Unknown" ? unreachableTaintKey : notReadyTaintKey;
  // A node whose kubelet has not spoken yet carries what admission gave it, and evicts nobody.
  const effects: readonly Taint["effect"][] = ready === undefined ? ["NoSchedule"] : ["NoSchedule", "NoExecute"];
  return [...effects.map((effect) => ({ key, effect })), ...cordon];
}

function sameTaints(a: readonly Taint[], b: readonly Taint[]): boolean {
  const text = (taint: Taint): string => `${taint.key}=${taint.value ?? ""}:${taint.effect}`;
  const sorted = (taints: readonly Taint[]): string => taints.map(text).sort().join(",");
  return sorted(a) === sorted(b);
}
