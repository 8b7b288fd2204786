import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json-fields.ts";
import { convertedTo } from "./version-conversion.ts";

interface Kind {
  readonly group: string;
  readonly kind: string;
}
const nodePool: Kind = { group: "karpenter.sh", kind: "NodePool" };
const nodeClaim: Kind = { group: "karpenter.sh", kind: "NodeClaim" };
const nodeClass: Kind = { group: "karpenter.k8s.aws", kind: "EC2NodeClass" };

function objectOf({ group, kind }: Kind, version: string, spec: JsonObject, annotations?: JsonObject): JsonObject {
  const metadata = annotations === undefined ? { name: "x" } : { name: "x", annotations };
  return { apiVersion: `${group}/${version}`, kind, metadata, spec };
}

function converted(kind: Kind, version: string, object: JsonObject): JsonObject {
  const answer = convertedTo(`${kind.group}/${version}`, object);
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer.object;
}

type Fields = JsonObject;
/** What is checked, v1beta1's spec, v1's spec, annotations of the v1 object that carry the rest. */
type Pair = readonly [title: string, beta: Fields, v1: Fields, v1Annotations?: JsonObject];

const inTemplate = (fields: Fields): Fields => ({ template: { spec: fields } });
const kubeletNote = "compatibility.karpenter.sh/v1beta1-kubelet-conversion";
const classNote = "compatibility.karpenter.sh/v1beta1-nodeclass-reference";
const ref = (name: string): Fields => ({ group: "karpenter.k8s.aws", kind: "EC2NodeClass", name });

/** Each is converted to v1 and back. */
const nodePools: readonly Pair[] = [
  ["weight", { weight: 10 }, { weight: 10 }],
  ["limits", { limits: { cpu: "1000" } }, { limits: { cpu: "1000" } }],
  [
    "labels and annotations of the template",
    { template: { metadata: { labels: { a: "b" }, annotations: { c: "d" } } } },
    { template: { metadata: { labels: { a: "b" }, annotations: { c: "d" } } } },
  ],
  [
    "taints",
    inTemplate({ taints: [{ key: "a", effect: "NoSchedule" }] }),
    inTemplate({ taints: [{ key: "a", effect: "NoSchedule" }] }),
  ],
  [
    "startup taints",
    inTemplate({ startupTaints: [{ key: "a", effect: "NoExecute" }] }),
    inTemplate({ startupTaints: [{ key: "a", effect: "NoExecute" }] }),
  ],
  [
    "requirements with minValues",
    inTemplate({ requirements: [{ key: "a", operator: "In", values: ["b", "c"], minValues: 2 }] }),
    inTemplate({ requirements: [{ key: "a", operator: "In", values: ["b", "c"], minValues: 2 }] }),
  ],
  [
    "expiry alone",
    { disruption: { expireAfter: "30h" }, ...inTemplate({}) },
    { disruption: { consolidateAfter: "0s" }, ...inTemplate({ expireAfter: "30h" }) },
  ],
  [
    "expiry switched off",
    { disruption: { consolidationPolicy: "WhenUnderutilized", expireAfter: "Never" }, ...inTemplate({}) },
    {
      disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" },
      ...inTemplate({ expireAfter: "Never" }),
    },
  ],
  [
    "WhenUnderutilized",
    { disruption: { consolidationPolicy: "WhenUnderutilized" } },
    { disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" } },
  ],
  [
    "consolidation switched off",
    { disruption: { consolidationPolicy: "WhenUnderutilized", consolidateAfter: "Never" } },
    { disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "Never" } },
  ],
  [
    "WhenEmpty",
    { disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "30s" } },
    { disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "30s" } },
  ],
  [
    "budgets with a schedule",
    { disruption: { budgets: [{ nodes: "0", schedule: "@daily", duration: "8h" }, { nodes: "10%" }] } },
    {
      disruption: {
        budgets: [{ nodes: "0", schedule: "@daily", duration: "8h" }, { nodes: "10%" }],
        consolidateAfter: "0s",
      },
    },
  ],
  [
    "a whole class reference",
    inTemplate({ nodeClassRef: { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", name: "a" } }),
    inTemplate({ nodeClassRef: ref("a") }),
  ],
  [
    "a class reference by name",
    inTemplate({ nodeClassRef: { name: "a" } }),
    inTemplate({ nodeClassRef: ref("a") }),
    { [classNote]: '{"name":"a"}' },
  ],
  [
    "a class reference of an older version",
    inTemplate({ nodeClassRef: { apiVersion: "karpenter.k8s.aws/v1alpha1", kind: "EC2NodeClass", name: "a" } }),
    inTemplate({ nodeClassRef: ref("a") }),
    { [classNote]: '{"apiVersion":"karpenter.k8s.aws/v1alpha1","kind":"EC2NodeClass","name":"a"}' },
  ],
  [
    "another cloud's class",
    inTemplate({ nodeClassRef: { apiVersion: "karpenter.azure.com/v1beta1", kind: "AKSNodeClass", name: "a" } }),
    inTemplate({ nodeClassRef: { group: "karpenter.azure.com", kind: "AKSNodeClass", name: "a" } }),
  ],
  [
    "the kubelet",
    inTemplate({ kubelet: { maxPods: 50 } }),
    { template: { spec: {} } },
    { [kubeletNote]: '{"maxPods":50}' },
  ],
  ["an empty kubelet", inTemplate({ kubelet: {} }), { template: { spec: {} } }, { [kubeletNote]: "{}" }],
];

const claims: readonly Pair[] = [
  [
    "resources",
    { resources: { requests: { cpu: "1" } } },
    { resources: { requests: { cpu: "1" } }, expireAfter: "Never" },
  ],
  [
    "requirements",
    { requirements: [{ key: "a", operator: "Exists" }] },
    { requirements: [{ key: "a", operator: "Exists" }], expireAfter: "Never" },
  ],
  ["taints", { taints: [] }, { taints: [], expireAfter: "Never" }],
  ["startup taints", { startupTaints: [] }, { startupTaints: [], expireAfter: "Never" }],
  [
    "the class",
    { nodeClassRef: { name: "a" } },
    { nodeClassRef: ref("a"), expireAfter: "Never" },
    { [classNote]: '{"name":"a"}' },
  ],
  ["the kubelet", { kubelet: { podsPerCore: 2 } }, { expireAfter: "Never" }, { [kubeletNote]: '{"podsPerCore":2}' }],
];

const hop = { httpPutResponseHopLimit: 2 };
const hopNote = { "outrigger.dev/v1beta1-metadata-options": "null" };
const same = (title: string, fields: Fields): Pair => [
  title,
  { amiFamily: "Custom", metadataOptions: hop, ...fields },
  { amiFamily: "Custom", metadataOptions: hop, ...fields },
];

const nodeClasses: readonly Pair[] = [
  ...["AL2", "AL2023", "Bottlerocket", "Windows2019", "Windows2022"].map(
    (family): Pair => [
      `${family} without terms`,
      { amiFamily: family, metadataOptions: hop },
      { amiSelectorTerms: [{ alias: `${family.toLowerCase()}@latest` }], metadataOptions: hop },
    ],
  ),
  [
    "a family with terms",
    { amiFamily: "AL2", amiSelectorTerms: [{ name: "n", owner: "self" }], metadataOptions: hop },
    { amiFamily: "AL2", amiSelectorTerms: [{ name: "n", owner: "self" }], metadataOptions: hop },
  ],
  [
    "Ubuntu with terms",
    { amiFamily: "Ubuntu", amiSelectorTerms: [{ id: "ami-1" }], metadataOptions: hop },
    { amiFamily: "AL2", amiSelectorTerms: [{ id: "ami-1" }], metadataOptions: hop },
    { "outrigger.dev/v1beta1-ami": '{"amiFamily":"Ubuntu","amiSelectorTerms":[{"id":"ami-1"}]}' },
  ],
  [
    "Ubuntu without terms, whose class is not ready",
    { amiFamily: "Ubuntu", metadataOptions: hop },
    { amiFamily: "AL2", amiSelectorTerms: [{ id: "ami-00000000000000000" }], metadataOptions: hop },
    { "outrigger.dev/v1beta1-ami": '{"amiFamily":"Ubuntu"}' },
  ],
  [
    "no family",
    { amiSelectorTerms: [{ id: "ami-1" }], metadataOptions: hop },
    { amiFamily: "Custom", amiSelectorTerms: [{ id: "ami-1" }], metadataOptions: hop },
    { "outrigger.dev/v1beta1-ami": '{"amiSelectorTerms":[{"id":"ami-1"}]}' },
  ],
  [
    "metadata options without a hop limit",
    { amiFamily: "Custom", metadataOptions: { httpTokens: "optional" } },
    { amiFamily: "Custom", metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 2 } },
    { "outrigger.dev/v1beta1-metadata-options": '{"httpTokens":"optional"}' },
  ],
  ["no metadata options", { amiFamily: "Custom" }, { amiFamily: "Custom", metadataOptions: hop }, hopNote],
  same("a hop limit of one's own", {
    metadataOptions: { httpPutResponseHopLimit: 1, httpEndpoint: "disabled", httpProtocolIPv6: "enabled" },
  }),
  same("subnets", { subnetSelectorTerms: [{ tags: { a: "b" } }, { id: "subnet-1" }] }),
  same("security groups", { securityGroupSelectorTerms: [{ name: "a" }] }),
  same("terms of a Custom class", { amiSelectorTerms: [{ tags: { a: "b" } }] }),
  same("role", { role: "r" }),
  same("instance profile", { instanceProfile: "p" }),
  same("tags", { tags: { a: "b" } }),
  same("user data", { userData: "#!/bin/sh\n" }),
  same("block devices", {
    blockDeviceMappings: [
      {
        deviceName: "/dev/xvda",
        rootVolume: true,
        ebs: { volumeSize: "20Gi", volumeType: "gp3", iops: 3000, throughput: 125 },
      },
      { deviceName: "/dev/xvdb", ebs: { encrypted: true, kmsKeyID: "k", snapshotID: "s", deleteOnTermination: true } },
    ],
  }),
  same("instance store policy", { instanceStorePolicy: "RAID0" }),
  same("detailed monitoring", { detailedMonitoring: true }),
  same("public address", { associatePublicIPAddress: false }),
  same("context", { context: "c" }),
];

const kinds: readonly (readonly [string, Kind, readonly Pair[]])[] = [
  ["NodePool", nodePool, nodePools],
  ["NodeClaim", nodeClaim, claims],
  ["EC2NodeClass", nodeClass, nodeClasses],
];

describe.each(kinds)("%s from v1beta1 to v1, and back whole", (_, kind, pairs) => {
  test.each(pairs.map(([title, ...rest]) => ({ title, rest })))("$title", ({ rest: [beta, v1, annotations] }) => {
    const before = objectOf(kind, "v1beta1", beta);
    const after = converted(kind, "v1", before);
    expect(after).toEqual(objectOf(kind, "v1", v1, annotations));
    expect(converted(kind, "v1beta1", after)).toEqual(before);
  });
});

/** What is checked, the kind, v1's spec, v1beta1's spec. What rides is seen by the way back. */
const downgrades: readonly (readonly [string, Kind, Fields, Fields])[] = [
  [
    "terminationGracePeriod of a pool",
    nodePool,
    inTemplate({ terminationGracePeriod: "1h" }),
    { template: { spec: {} } },
  ],
  ["replicas", nodePool, { replicas: 3 }, {}],
  [
    "reasons of budgets, without which a budget holds for all",
    nodePool,
    { disruption: { consolidateAfter: "0s", budgets: [{ nodes: "0", reasons: ["Drifted"] }] } },
    { disruption: { budgets: [{ nodes: "0" }] } },
  ],
  [
    "Balanced",
    nodePool,
    { disruption: { consolidationPolicy: "Balanced", consolidateAfter: "5m" } },
    { disruption: { consolidationPolicy: "WhenUnderutilized" } },
  ],
  [
    "consolidateAfter beside WhenEmptyOrUnderutilized",
    nodePool,
    { disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "5m" } },
    { disruption: { consolidationPolicy: "WhenUnderutilized" } },
  ],
  [
    "Gte and Lte",
    nodePool,
    inTemplate({
      requirements: [
        { key: "a", operator: "Gte", values: ["4"] },
        { key: "a", operator: "Lte", values: ["9"] },
      ],
    }),
    inTemplate({
      requirements: [
        { key: "a", operator: "Gt", values: ["3"] },
        { key: "a", operator: "Lt", values: ["10"] },
      ],
    }),
  ],
  ["expiry and grace of a claim", nodeClaim, { expireAfter: "720h", terminationGracePeriod: "1h" }, {}],
  ["a pinned alias", nodeClass, { amiSelectorTerms: [{ alias: "al2023@v20240807" }] }, { amiFamily: "AL2023" }],
  [
    "a Windows 2025 alias",
    nodeClass,
    { amiSelectorTerms: [{ alias: "windows2025@latest" }] },
    { amiFamily: "Windows2025" },
  ],
  [
    "an image by its parameter",
    nodeClass,
    { amiFamily: "AL2023", amiSelectorTerms: [{ ssmParameter: "/x" }, { id: "ami-1", ssmParameter: "/y" }] },
    { amiFamily: "AL2023", amiSelectorTerms: [{}, { id: "ami-1" }] },
  ],
  ["the kubelet of a class", nodeClass, { amiFamily: "Custom", kubelet: { maxPods: 9 } }, { amiFamily: "Custom" }],
  [
    "fields that v1beta1 does not know",
    nodeClass,
    {
      amiFamily: "Custom",
      capacityReservationSelectorTerms: [{ id: "cr-1" }],
      placementGroupSelector: { name: "p" },
      ipPrefixCount: 1,
      networkInterfaces: [],
      connectionTracking: { udpTimeout: 30 },
      cpuOptions: { nestedVirtualization: "enabled" },
    },
    { amiFamily: "Custom" },
  ],
  [
    "a volume's initialisation rate",
    nodeClass,
    {
      amiFamily: "Custom",
      blockDeviceMappings: [{ deviceName: "a", ebs: { snapshotID: "s", volumeInitializationRate: 100 } }, {}],
    },
    { amiFamily: "Custom", blockDeviceMappings: [{ deviceName: "a", ebs: { snapshotID: "s" } }, {}] },
  ],
];

describe("from v1 to v1beta1, and back whole", () => {
  test.each(downgrades)("%s", (_, kind, v1, beta) => {
    const before = objectOf(kind, "v1", v1);
    const after = converted(kind, "v1beta1", before);
    expect(after.spec).toEqual(beta);
    expect(converted(kind, "v1", after)).toEqual(before);
  });
});

describe("what rides", () => {
  test("is dropped when the part was changed in the version that cannot hold it", () => {
    const v1 = objectOf(nodePool, "v1", { disruption: { consolidationPolicy: "Balanced", consolidateAfter: "5m" } });
    const beta = converted(nodePool, "v1beta1", v1);
    const edited = { ...beta, spec: { disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "1m" } } };
    expect(converted(nodePool, "v1", edited)).toEqual(
      objectOf(nodePool, "v1", { disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "1m" } }),
    );
  });

  test("that is no JSON is somebody else's, and goes", () => {
    const v1 = objectOf(nodePool, "v1", inTemplate({}), { [kubeletNote]: "not json", own: "kept" });
    expect(converted(nodePool, "v1beta1", v1)).toEqual(objectOf(nodePool, "v1beta1", inTemplate({}), { own: "kept" }));
  });

  test("of Karpenter 1.0 is read: the version of an alias", () => {
    const note = { "compatibility.karpenter.k8s.aws/v1-alias-version": "v20240807" };
    const beta = objectOf(nodeClass, "v1beta1", { amiFamily: "AL2023", metadataOptions: hop }, note);
    const v1 = { amiSelectorTerms: [{ alias: "al2023@v20240807" }], metadataOptions: hop };
    expect(converted(nodeClass, "v1", beta).spec).toEqual(v1);
  });
});

test("an object that is in the version already is the very same", () => {
  const object = objectOf(nodePool, "v1", {});
  expect(converted(nodePool, "v1", object)).toBe(object);
});

test.each([
  ["no object", null, "karpenter.sh/v1", "an object is needed"],
  [
    "an object without spec",
    { apiVersion: "karpenter.sh/v1beta1", kind: "NodePool", spec: null },
    "karpenter.sh/v1",
    "spec must be an object",
  ],
  ["another kind", { apiVersion: "v1", kind: "Pod" }, "v1", '"v1" "Pod" is not converted'],
  [
    "an unknown kind of the group",
    { apiVersion: "karpenter.sh/v1", kind: "constructor" },
    "karpenter.sh/v1",
    "is not converted",
  ],
  [
    "an older version",
    { apiVersion: "karpenter.sh/v1alpha5", kind: "NodePool" },
    "karpenter.sh/v1",
    "is not converted",
  ],
  [
    "a version that is not served",
    objectOf(nodePool, "v1", {}),
    "karpenter.sh/v2",
    'is not served as "karpenter.sh/v2"',
  ],
])("%s is refused in words", (_, object, desired, message) => {
  const answer = convertedTo(desired, object);
  expect(answer).toMatchObject({ kind: "refused" });
  expect(answer.kind === "refused" ? answer.message : "").toContain(message);
});

test.each([nodePool, nodeClaim, nodeClass])("$kind of whatever form is converted without a defect", (kind) => {
  for (const spec of [
    { template: 1 },
    { disruption: [] },
    { template: { spec: { nodeClassRef: 2, requirements: "no" } } },
    {
      requirements: [1, null],
      nodeClassRef: [],
      amiFamily: 4,
      amiSelectorTerms: {},
      metadataOptions: 2,
      blockDeviceMappings: [4, { ebs: 2 }],
    },
  ]) {
    const object = {
      apiVersion: `${kind.group}/v1beta1`,
      kind: kind.kind,
      metadata: { name: "x" },
      spec,
    } as JsonObject;
    const there = converted(kind, "v1", object);
    expect(converted(kind, "v1beta1", there)).toEqual(object);
  }
});
