/** One valid object of every kind, as a user or kubectl writes it: defaults left out, fields that nobody reads left in. */
import type { KnownKind } from "#api/kinds.ts";

const template = {
  metadata: { creationTimestamp: null, labels: { app: "web" } },
  spec: { containers: [{ name: "web", image: "nginx", resources: { requests: { cpu: 0.5, memory: "1Gi" } } }] },
};
const selector = { matchLabels: { app: "web" } };
const requirements = [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }];
const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
const tagged = [{ tags: { "karpenter.sh/discovery": "demo" } }];

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "web-0",
    namespace: "shop",
    creationTimestamp: "2026-01-31T12:00:00Z",
    labels: { app: "web" },
    annotations: { "Example.com/Note": "any text at all" },
    managedFields: [{ manager: "kubectl" }],
    ownerReferences: [{ apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "1", controller: true }],
  },
  spec: {
    nodeSelector: { "kubernetes.io/os": "linux" },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: "a", operator: "Gt", values: ["1"] }] }],
        },
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 100, preference: { matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] } },
        ],
      },
      podAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: "kubernetes.io/hostname", labelSelector: selector, namespaceSelector: {} },
        ],
      },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { topologyKey: "kubernetes.io/hostname", namespaces: ["a"] } },
        ],
      },
    },
    tolerations: [
      { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 },
      { key: "a", operator: "", value: "b", effect: "" },
      { operator: "Exists" },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: selector,
        minDomains: 2,
        matchLabelKeys: ["pod-template-hash"],
      },
    ],
    containers: [
      {
        name: "web",
        image: "nginx",
        env: [{ name: "A", value: "b" }],
        ports: [{ name: "http", containerPort: 80 }],
        resources: { requests: { cpu: "100m" }, limits: { cpu: 1, memory: "1Gi", "nvidia.com/gpu": "1" } },
      },
    ],
    initContainers: [{ name: "proxy", restartPolicy: "Always", resources: { requests: { cpu: ".5" } } }],
    volumes: [
      { name: "data", persistentVolumeClaim: { claimName: "data" } },
      { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "gp3" } } } },
      { name: "token", projected: { sources: [] } },
    ],
    overhead: { memory: "10Mi" },
    schedulingGates: [{ name: "example.com/gate" }],
    nodeName: "",
  },
  status: {
    phase: "Pending",
    conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", lastProbeTime: null }],
  },
};

const controller = (kind: string) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name: "web" },
  spec: { selector, template },
});

const cluster = (apiVersion: string, kind: string, rest: object) => ({
  apiVersion,
  kind,
  metadata: { name: "a" },
  ...rest,
});

export const sampleObjects: { readonly [K in KnownKind]: unknown } = {
  Pod: pod,
  Deployment: controller("Deployment"),
  ReplicaSet: controller("ReplicaSet"),
  StatefulSet: controller("StatefulSet"),
  DaemonSet: controller("DaemonSet"),
  Job: {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { generateName: "job-" },
    spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } },
  },
  PodDisruptionBudget: cluster("policy/v1", "PodDisruptionBudget", { spec: { selector, maxUnavailable: "25%" } }),
  Node: cluster("v1", "Node", {
    spec: { providerID: "aws:///us-east-1a/i-0", taints: [{ key: "a", value: "", effect: "NoSchedule" }] },
    status: {
      capacity: { cpu: "4", memory: "16281612Ki", "hugepages-2Mi": "0", pods: 58 },
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "2026-01-31T12:00:00Z" }],
    },
  }),
  PersistentVolume: cluster("v1", "PersistentVolume", {
    spec: {
      capacity: { storage: "1Gi" },
      storageClassName: "gp3",
      csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-0" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["us-east-1a"] }] },
          ],
        },
      },
    },
  }),
  PersistentVolumeClaim: cluster("v1", "PersistentVolumeClaim", { spec: { storageClassName: "" } }),
  StorageClass: cluster("storage.k8s.io/v1", "StorageClass", {
    provisioner: "ebs.csi.aws.com",
    allowedTopologies: [{ matchLabelExpressions: [{ key: "topology.kubernetes.io/zone", values: ["us-east-1a"] }] }],
  }),
  CSINode: cluster("storage.k8s.io/v1", "CSINode", { spec: { drivers: null } }),
  VolumeAttachment: cluster("storage.k8s.io/v1", "VolumeAttachment", {
    spec: { attacher: "ebs.csi.aws.com", nodeName: "n", source: { persistentVolumeName: "pv" } },
  }),
  Namespace: cluster("v1", "Namespace", {}),
  PriorityClass: cluster("scheduling.k8s.io/v1", "PriorityClass", { value: 1000 }),
  ConfigMap: cluster("v1", "ConfigMap", { data: { a: "b" } }),
  NodePool: cluster("karpenter.sh/v1", "NodePool", { spec: { template: { spec: { requirements, nodeClassRef } } } }),
  NodeClaim: cluster("karpenter.sh/v1", "NodeClaim", { spec: { requirements, nodeClassRef } }),
  EC2NodeClass: cluster("karpenter.k8s.aws/v1", "EC2NodeClass", {
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: tagged,
      securityGroupSelectorTerms: tagged,
    },
  }),
};
