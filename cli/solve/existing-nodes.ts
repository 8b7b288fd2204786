import type { Condition, ResourceList } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import {
  apiVersion,
  capacityTypeLabel,
  hostnameLabel,
  initializedLabel,
  instanceTypeLabel,
  nodePoolLabel,
  registeredLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { resourceListOf } from "#core/scheduling/resources/resources.ts";
import type { ProblemNode } from "./problem.ts";
import { standInClass } from "./problem-shapes.ts";

export interface MadeNode {
  readonly node: Node;
  readonly claim: NodeClaim | undefined;
}

/** The Node of a short form, and its NodeClaim when a NodePool made it. `createdAt`: RFC 3339, older than any pod. */
export function madeNode(short: ProblemNode, type: InstanceType | undefined, createdAt: string): MadeNode {
  const labels = labelsOf(short, type);
  const capacity = short.capacity ?? listOf(type?.capacity);
  const allocatable = short.allocatable ?? listOf(type?.allocatable) ?? capacity;
  const amounts = {
    ...(capacity === undefined ? {} : { capacity }),
    ...(allocatable === undefined ? {} : { allocatable }),
  };
  const providerID = `problem:///${short.name}`;
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: short.name, uid: `node-${short.name}`, labels, creationTimestamp: createdAt },
    spec: { providerID, ...(short.taints === undefined ? {} : { taints: short.taints }) },
    status: { ...amounts, conditions: [{ type: "Ready", status: "True" }] },
  };
  if (short.nodePool === undefined) return { node, claim: undefined };
  const claim: NodeClaim = {
    apiVersion,
    kind: "NodeClaim",
    metadata: { name: short.name, uid: `claim-${short.name}`, labels, creationTimestamp: createdAt },
    spec: { requirements: [], nodeClassRef: standInClass },
    status: { providerID, nodeName: short.name, ...amounts, conditions: conditions(short, createdAt) },
  };
  return { node, claim };
}

function conditions({ uninitialized }: ProblemNode, at: string): readonly Condition[] {
  const names = ["Launched", "Registered", ...(uninitialized === true ? [] : ["Initialized", "Consolidatable"])];
  return names.map((type) => ({ type, status: "True", reason: type, message: "", lastTransitionTime: at }));
}

function labelsOf(short: ProblemNode, type: InstanceType | undefined): Readonly<Record<string, string>> {
  const { name, instanceType, zone, capacityType, nodePool, uninitialized, labels } = short;
  const own: readonly (readonly [string, string | undefined])[] = [
    [hostnameLabel, name],
    [instanceTypeLabel, instanceType],
    [zoneLabel, zone],
    [capacityTypeLabel, capacityType],
    [nodePoolLabel, nodePool],
    [registeredLabel, nodePool === undefined ? undefined : "true"],
    [initializedLabel, nodePool === undefined || uninitialized === true ? undefined : "true"],
  ];
  const fixed = (type?.requirements ?? []).flatMap(({ key, operator, values = [] }) =>
    operator === "In" && values.length === 1 ? [[key, values[0] ?? ""] as const] : [],
  );
  const given = own.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  return { ...Object.fromEntries(fixed), ...Object.fromEntries(given), ...labels };
}

function listOf(amounts: InstanceType["capacity"] | undefined): ResourceList | undefined {
  return amounts === undefined ? undefined : resourceListOf(amounts);
}
