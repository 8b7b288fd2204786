/** Short ways to write the objects of disruption tests, beside scheduling-objects.ts. */
import type { Condition } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { boundPod, launched, node, nodeClass, nodePool } from "./scheduling-objects.ts";

export interface NodeSketch {
  readonly pool?: string;
  readonly type: InstanceType;
  readonly zone?: string;
  readonly capacityType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Requests of CPU of its pods, or the pods themselves (bound to it here). */
  readonly pods?: readonly (string | Pod)[];
  /** Conditions of the claim that are True; absent: all up to Consolidatable. */
  readonly conditions?: readonly string[];
  readonly lastPodEventTime?: string;
}

const yesterday = "2025-12-31T12:00:00Z";
const allConditions = ["Launched", "Registered", "Initialized", "Consolidatable"];

/** A NodePool without budgets that consolidates at once. */
export function eagerPool(name = "default", disruption: Partial<NodePool["spec"]["disruption"]> = {}): NodePool {
  const pool = nodePool(name);
  return { ...pool, spec: { ...pool.spec, disruption: { ...pool.spec.disruption, budgets: [], ...disruption } } };
}

/** Nodes by name, with their claims and pods. */
export function nodesWithPods(
  sketches: Readonly<Record<string, NodeSketch>>,
): Pick<ClusterView, "nodes" | "nodeClaims" | "pods"> {
  const made = Object.entries(sketches).map(([name, sketch]) => oneNode(name, sketch));
  return {
    nodes: made.map((one) => one.node),
    nodeClaims: made.map((one) => one.claim),
    pods: made.flatMap(({ pods }) => pods),
  };
}

function oneNode(
  name: string,
  sketch: NodeSketch,
): { readonly node: Node; readonly claim: NodeClaim; readonly pods: readonly Pod[] } {
  const { pool = "default", type, zone = "zone-a", capacityType = "on-demand", lastPodEventTime } = sketch;
  const bare: NodeClaim = {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: {
      name,
      labels: { "karpenter.sh/nodepool": pool, "kubernetes.io/hostname": name, [nodeClass.label]: "default" },
    },
    spec: { requirements: [], nodeClassRef: { group: nodeClass.group, kind: nodeClass.kind, name: "default" } },
  };
  const claim = launched(bare, type, zone, capacityType);
  const conditions: readonly Condition[] = (sketch.conditions ?? allConditions).map((one) => {
    return { type: one, status: "True", reason: one, message: "", lastTransitionTime: yesterday };
  });
  const labels = {
    ...claim.metadata.labels,
    "karpenter.sh/registered": "true",
    "karpenter.sh/initialized": "true",
    ...sketch.labels,
  };
  const pods = (sketch.pods ?? []).map((pod, i): Pod => {
    return typeof pod === "string"
      ? boundPod(`${name}-${i}`, name, { cpu: pod })
      : { ...pod, spec: { ...pod.spec, nodeName: name }, status: { phase: "Running" } };
  });
  return {
    node: node(name, claim.status?.allocatable ?? {}, { labels }),
    claim: {
      ...claim,
      metadata: { ...claim.metadata, creationTimestamp: yesterday },
      status: {
        ...claim.status,
        nodeName: name,
        conditions,
        ...(lastPodEventTime === undefined ? {} : { lastPodEventTime }),
      },
    },
    pods,
  };
}
