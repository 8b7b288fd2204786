import { groupOf, type KindInfo, type KnownKind, kinds } from "#api/kinds.ts";
import type { Command } from "#core/command.ts";
import { unsupportedKinds, viewKinds } from "./view-kinds.ts";

/** Kubernetes RBAC: verbs on a resource of an API group ("" is the core group). */
export interface ClusterRight {
  readonly apiGroup: string;
  readonly resource: string;
  readonly verbs: readonly ("get" | "list" | "watch" | "create" | "patch" | "delete")[];
}

/**
 * AWS actions; `onlyOurs`: restricted to resources with, or requests of, this cluster's tag and a NodePool tag; an
 * instance profile carries its node class and its region in place of the NodePool.
 */
export interface CloudRight {
  readonly actions: readonly string[];
  readonly onlyOurs: boolean;
}

/** The groups that the roles of the functions belong to; the roles in the cluster are bound to them. */
export const reconcileGroup = "outrigger:reconcile";
export const interruptionGroup = "outrigger:interruption";

type Verb = ClusterRight["verbs"][number];

/** A right on the objects of a kind, or on a subresource of theirs. */
function right(kind: KnownKind, verb: Verb, subresource?: string): ClusterRight {
  return { ...resourceOf(kinds[kind], subresource), verbs: [verb] };
}

function resourceOf({ apiVersion, plural }: Pick<KindInfo, "apiVersion" | "plural">, subresource?: string) {
  return { apiGroup: groupOf(apiVersion), resource: subresource === undefined ? plural : `${plural}/${subresource}` };
}

/** What each command needs in the cluster. One row a command: roles are made of this table and of nothing else. */
export const clusterRights: Readonly<Record<Command["kind"], readonly ClusterRight[]>> = {
  "create-node-claim": [right("NodeClaim", "create"), right("NodeClaim", "get")],
  "patch-metadata": [
    right("Node", "patch"),
    right("NodeClaim", "patch"),
    right("NodePool", "patch"),
    right("EC2NodeClass", "patch"),
  ],
  "taint-node": [right("Node", "patch")],
  "patch-status": [
    right("NodeClaim", "patch", "status"),
    right("NodePool", "patch", "status"),
    right("EC2NodeClass", "patch", "status"),
  ],
  "delete-object": [right("NodeClaim", "delete"), right("Node", "delete"), right("Pod", "delete")],
  "evict-pod": [right("Pod", "create", "eviction")],
  "patch-state": [{ apiGroup: "", resource: "configmaps", verbs: ["create", "patch"] }],
  "record-event": [{ apiGroup: "", resource: "events", verbs: ["create"] }],
  "ensure-launch-template": [],
  "launch-instance": [],
  "terminate-instance": [],
  "tag-instance": [],
  "ensure-cloud-resource": [],
  "delete-cloud-resource": [],
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
  // Instance profiles for node classes that name a role.
  "ensure-cloud-resource": [
    {
      actions: [
        "iam:CreateInstanceProfile",
        "iam:TagInstanceProfile",
        "iam:AddRoleToInstanceProfile",
        "iam:DeleteInstanceProfile",
        "iam:PassRole",
      ],
      onlyOurs: true,
    },
    { actions: ["iam:GetInstanceProfile"], onlyOurs: false },
  ],
  // Launch templates and instance profiles that nothing uses.
  "delete-cloud-resource": [
    {
      actions: ["ec2:DeleteLaunchTemplate", "iam:RemoveRoleFromInstanceProfile", "iam:DeleteInstanceProfile"],
      onlyOurs: true,
    },
    { actions: ["iam:GetInstanceProfile"], onlyOurs: false },
  ],
};

const look: readonly Verb[] = ["list", "watch"];

/** What a look at the cluster needs: every kind of a view, the node classes, the state, and what is not supported yet. */
export const clusterObservation: readonly ClusterRight[] = [
  ...[...Object.values(viewKinds), "EC2NodeClass" as const, "ConfigMap" as const].map((kind) => kinds[kind]),
  ...Object.values(unsupportedKinds),
].map((kind) => ({ ...resourceOf(kind), verbs: look }));

/** What a look at AWS needs. */
export const cloudObservation: readonly CloudRight[] = [
  {
    actions: [
      "ec2:DescribeCapacityReservations",
      "ec2:DescribeImages",
      "ec2:DescribeInstanceStatus",
      "ec2:DescribeInstances",
      "ec2:DescribeLaunchTemplates",
      "ec2:DescribePlacementGroups",
      "ec2:DescribeSecurityGroups",
      "ec2:DescribeSubnets",
      "eks:DescribeAccessEntry",
      "eks:DescribeCluster",
      "eks:ListAccessEntries",
      "iam:ListInstanceProfiles",
      "ssm:GetParameters",
    ],
    onlyOurs: false,
  },
];

/** What a function needs to find the cluster's API server. */
export const connectionRights: readonly CloudRight[] = [{ actions: ["eks:DescribeCluster"], onlyOurs: false }];

/** What the `catalog` function needs to write the region's instance types and prices; its bucket apart. */
export const catalogueRights: readonly CloudRight[] = [
  {
    actions: [
      "ec2:DescribeInstanceTypeOfferings",
      "ec2:DescribeInstanceTypes",
      "ec2:DescribeSpotPriceHistory",
      "pricing:GetProducts",
    ],
    onlyOurs: false,
  },
];

/** What taking, keeping and handing over the Lease needs, and seeing whether an in-cluster Karpenter holds its own. */
export const leaseRights: readonly ClusterRight[] = [
  { apiGroup: "coordination.k8s.io", resource: "leases", verbs: ["get", "list", "create", "patch"] },
];

/** Seeing whether an in-cluster Karpenter holds its own: for functions that need no Lease. */
export const karpenterLeaseRights: readonly ClusterRight[] = [
  { apiGroup: "coordination.k8s.io", resource: "leases", verbs: ["list"] },
];

/** What a removal by force needs to end nodes by itself: it looks as the loop does, ends what is ours, and makes nothing. */
export const endingRights: readonly CloudRight[] = [
  ...cloudObservation,
  ...cloudRights["terminate-instance"],
  ...cloudRights["delete-cloud-resource"],
];

/** What `setup` does with an administrator's rights in the cluster, and beside them in AWS. */
export const setupRights: readonly CloudRight[] = [
  ...connectionRights,
  {
    actions: [
      "cloudformation:DescribeStacks",
      "eks:CreateAccessEntry",
      "eks:DescribeAccessEntry",
      "lambda:InvokeFunction",
      "sqs:GetQueueAttributes",
      "sqs:GetQueueUrl",
    ],
    onlyOurs: false,
  },
];
