import type { Command } from "#core/command.ts";
import type { ObjectKind } from "#core/object-ref.ts";

/** Kubernetes RBAC: verbs on a resource of an API group ("" is the core group). */
export interface ClusterRight {
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly ("get" | "list" | "watch" | "create" | "patch" | "delete")[];
}

/** AWS actions; `onlyOurs`: restricted to resources with, or requests of, this cluster's tag and a NodePool tag. */
export interface CloudRight {
  readonly actions: readonly string[];
  readonly onlyOurs: boolean;
}

const karpenter = "karpenter.sh";

/** Where objects of a kind live. Node classes are the provider's. */
const resourceOf = {
  Pod: { apiGroup: "", resource: "pods" },
  Node: { apiGroup: "", resource: "nodes" },
  NodeClaim: { apiGroup: karpenter, resource: "nodeclaims" },
  NodePool: { apiGroup: karpenter, resource: "nodepools" },
  NodeClass: { apiGroup: "karpenter.k8s.aws", resource: "ec2nodeclasses" },
} as const satisfies Partial<Record<ObjectKind, { apiGroup: string; resource: string }>>;

function right(kind: keyof typeof resourceOf, verb: ClusterRight["verbs"][number], subresource?: string): ClusterRight {
  const { apiGroup, resource } = resourceOf[kind];
  return { apiGroup, resource: subresource === undefined ? resource : `${resource}/${subresource}`, verbs: [verb] };
}

/** What each command needs in the cluster. One row a command: roles are made of this table and of nothing else. */
export const clusterRights: Readonly<Record<Command["kind"], readonly ClusterRight[]>> = {
  "create-node-claim": [right("NodeClaim", "create"), right("NodeClaim", "get")],
  "patch-metadata": [
    right("Node", "patch"),
    right("NodeClaim", "patch"),
    right("NodePool", "patch"),
    right("NodeClass", "patch"),
  ],
  "taint-node": [right("Node", "patch")],
  "patch-status": [
    right("NodeClaim", "patch", "status"),
    right("NodePool", "patch", "status"),
    right("NodeClass", "patch", "status"),
  ],
  "delete-object": [right("NodeClaim", "delete"), right("Node", "delete"), right("Pod", "delete")],
  "evict-pod": [right("Pod", "create", "eviction")],
  "patch-state": [{ apiGroup: "", resource: "configmaps", verbs: ["get", "create", "patch"] }],
  "record-event": [{ apiGroup: "", resource: "events", verbs: ["create"] }],
  "ensure-launch-template": [],
  "launch-instance": [],
  "terminate-instance": [],
  "tag-instance": [],
};

/** What each command needs in AWS. */
export const cloudRights: Readonly<Record<Command["kind"], readonly CloudRight[]>> = {
  "create-node-claim": [],
  "patch-metadata": [],
  "taint-node": [],
  "patch-status": [],
  "delete-object": [],
  "evict-pod": [],
  "patch-state": [],
  "record-event": [],
  "ensure-launch-template": [
    { actions: ["ec2:CreateLaunchTemplate", "ec2:CreateTags"], onlyOurs: true },
    { actions: ["ec2:DescribeLaunchTemplates"], onlyOurs: false },
  ],
  "launch-instance": [
    { actions: ["ec2:CreateFleet", "ec2:RunInstances", "ec2:CreateTags"], onlyOurs: true },
    { actions: ["iam:PassRole"], onlyOurs: true },
  ],
  "terminate-instance": [{ actions: ["ec2:TerminateInstances"], onlyOurs: true }],
  "tag-instance": [{ actions: ["ec2:CreateTags"], onlyOurs: true }],
};

/** What a look at the cluster needs. */
export const clusterObservation: readonly ClusterRight[] = [
  ...Object.values(resourceOf).map(({ apiGroup, resource }) => ({
    apiGroup,
    resource,
    verbs: ["get", "list", "watch"] as const,
  })),
  ...["persistentvolumes", "persistentvolumeclaims", "namespaces"].map((resource) => ({
    apiGroup: "",
    resource,
    verbs: ["get", "list", "watch"] as const,
  })),
  ...["storageclasses", "csinodes", "volumeattachments"].map((resource) => ({
    apiGroup: "storage.k8s.io",
    resource,
    verbs: ["get", "list", "watch"] as const,
  })),
  { apiGroup: "apps", resource: "daemonsets", verbs: ["get", "list", "watch"] },
  { apiGroup: "policy", resource: "poddisruptionbudgets", verbs: ["get", "list", "watch"] },
];

/** What a look at AWS needs. */
export const cloudObservation: readonly CloudRight[] = [
  {
    actions: [
      "ec2:DescribeImages",
      "ec2:DescribeInstances",
      "ec2:DescribeSecurityGroups",
      "ec2:DescribeSubnets",
      "ssm:GetParameter",
      "iam:GetInstanceProfile",
    ],
    onlyOurs: false,
  },
];
