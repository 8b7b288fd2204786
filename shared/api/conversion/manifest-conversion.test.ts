import { describe, expect, test } from "vitest";
import type { JsonObject } from "./json-fields.ts";
import { convertManifests } from "./manifest-conversion.ts";

type Fields = JsonObject;

function provisioner(spec: Fields): Fields {
  const metadata = { name: "p", uid: "u", annotations: { "karpenter.sh/provisioner-hash": "1" } };
  return {
    apiVersion: "karpenter.sh/v1alpha5",
    kind: "Provisioner",
    metadata,
    spec: { providerRef: { name: "t" }, ...spec },
  };
}

function template(spec: Fields): Fields {
  const own = { amiFamily: "Bottlerocket", instanceProfile: "p", metadataOptions: { httpPutResponseHopLimit: 2 } };
  return {
    apiVersion: "karpenter.k8s.aws/v1alpha1",
    kind: "AWSNodeTemplate",
    metadata: { name: "t" },
    spec: { ...own, ...spec },
  };
}

function specOf(manifest: Fields): Fields {
  return convertManifests([manifest])[0]?.objects[0]?.spec as Fields;
}

const anyType = { key: "karpenter.k8s.aws/instance-size", operator: "Exists" };
const allKeys = [
  anyType,
  { key: "kubernetes.io/os", operator: "Exists" },
  { key: "kubernetes.io/arch", operator: "Exists" },
  { key: "karpenter.sh/capacity-type", operator: "Exists" },
];

describe("Provisioner", () => {
  const disruption = { consolidationPolicy: "WhenEmpty", consolidateAfter: "Never" };
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "t" };
  const bare = { nodeClassRef, requirements: allKeys, expireAfter: "Never" };

  test.each<readonly [string, Fields, Fields]>([
    ["nothing set: nodes stay", {}, { template: { spec: bare }, disruption }],
    [
      "ttlSecondsAfterEmpty",
      { ttlSecondsAfterEmpty: 30 },
      { template: { spec: bare }, disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "30s" } },
    ],
    [
      "consolidation",
      { consolidation: { enabled: true } },
      {
        template: { spec: bare },
        disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" },
      },
    ],
    ["consolidation switched off", { consolidation: { enabled: false } }, { template: { spec: bare }, disruption }],
    [
      "ttlSecondsUntilExpired",
      { ttlSecondsUntilExpired: 60 },
      { template: { spec: { ...bare, expireAfter: "60s" } }, disruption },
    ],
    [
      "labels and annotations",
      { labels: { a: "b" }, annotations: { c: "d" } },
      { template: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec: bare }, disruption },
    ],
    [
      "taints",
      { taints: [{ key: "a", effect: "NoSchedule" }], startupTaints: [] },
      { template: { spec: { ...bare, taints: [{ key: "a", effect: "NoSchedule" }], startupTaints: [] } }, disruption },
    ],
    ["limits", { limits: { resources: { cpu: 10 } } }, { template: { spec: bare }, disruption, limits: { cpu: 10 } }],
    ["weight", { weight: 7 }, { template: { spec: bare }, disruption, weight: 7 }],
  ])("%s", (_, spec, expected) => {
    expect(specOf(provisioner({ requirements: allKeys, ...spec }))).toEqual(expected);
  });

  test("what v1alpha5 required by itself is written down, and told", () => {
    const [answer] = convertManifests([provisioner({})]);
    expect(answer?.objects[0]).toMatchObject({
      metadata: { name: "p" },
      spec: {
        template: {
          spec: {
            requirements: [
              { key: "kubernetes.io/os", values: ["linux"] },
              { key: "kubernetes.io/arch", values: ["amd64"] },
              { key: "karpenter.sh/capacity-type", values: ["on-demand"] },
              { key: "karpenter.k8s.aws/instance-category", values: ["c", "m", "r"] },
              { key: "karpenter.k8s.aws/instance-generation", operator: "Gt", values: ["2"] },
            ],
          },
        },
      },
    });
    expect(answer?.findings.map(({ field }) => field)).toContain("spec.requirements");
  });

  test("names, labels and annotations stay; what the server or the old controller wrote goes", () => {
    expect(convertManifests([provisioner({})])[0]?.objects[0]?.metadata).toEqual({ name: "p" });
  });

  test("without a node template a person must name a class", () => {
    const [answer] = convertManifests([provisioner({ providerRef: null })]);
    expect(answer?.findings).toContainEqual(expect.objectContaining({ field: "spec.providerRef", mustDecide: true }));
  });

  test("with its provider inline becomes a pool and a class", () => {
    const [answer] = convertManifests([
      provisioner({ provider: { instanceProfile: "i", subnetSelector: { a: "b" } } }),
    ]);
    expect(answer?.objects.map(({ kind, metadata }) => [kind, metadata])).toEqual([
      ["EC2NodeClass", { name: "p" }],
      ["NodePool", { name: "p" }],
    ]);
  });

  test("its kubelet goes to the class of its template", () => {
    const answers = convertManifests([
      provisioner({ kubeletConfiguration: { maxPods: 5, containerRuntime: "dockerd" } }),
      template({}),
    ]);
    expect(answers[1]?.objects[0]).toMatchObject({ spec: { kubelet: { maxPods: 5 } } });
    expect(answers[0]?.objects[0]?.metadata).toEqual({ name: "p" });
  });
});

describe("AWSNodeTemplate", () => {
  const common = {
    amiSelectorTerms: [{ alias: "bottlerocket@latest" }],
    instanceProfile: "p",
    metadataOptions: { httpPutResponseHopLimit: 2 },
  };

  test.each<readonly [string, Fields, Fields]>([
    ["subnets by tag", { subnetSelector: { a: "b", c: "d" } }, { subnetSelectorTerms: [{ tags: { a: "b", c: "d" } }] }],
    [
      "subnets by a list of values",
      { subnetSelector: { a: "b, c" } },
      { subnetSelectorTerms: [{ tags: { a: "b" } }, { tags: { a: "c" } }] },
    ],
    [
      "subnets by id",
      { subnetSelector: { "aws-ids": "subnet-1,subnet-2" } },
      { subnetSelectorTerms: [{ id: "subnet-1" }, { id: "subnet-2" }] },
    ],
    [
      "security groups by id",
      { securityGroupSelector: { "aws::ids": "sg-1" } },
      { securityGroupSelectorTerms: [{ id: "sg-1" }] },
    ],
    ["tags", { tags: { a: "b" } }, { tags: { a: "b" } }],
    [
      "user data, devices, monitoring, context",
      { userData: "u", blockDeviceMappings: [], detailedMonitoring: true, context: "c" },
      { userData: "u", blockDeviceMappings: [], detailedMonitoring: true, context: "c" },
    ],
  ])("%s", (_, spec, expected) => {
    expect(specOf(template(spec))).toEqual({ ...common, ...expected });
  });

  test.each<readonly [string, Fields, Fields]>([
    [
      "images by tag, of the family",
      { amiSelector: { a: "b" } },
      { amiFamily: "Bottlerocket", amiSelectorTerms: [{ tags: { a: "b" } }] },
    ],
    [
      "images by name and owner",
      { amiSelector: { "aws::name": "n", "aws::owners": "self,123" } },
      {
        amiFamily: "Bottlerocket",
        amiSelectorTerms: [
          { name: "n", owner: "self" },
          { name: "n", owner: "123" },
        ],
      },
    ],
    [
      "images by id",
      { amiSelector: { "aws-ids": "ami-1" } },
      { amiFamily: "Bottlerocket", amiSelectorTerms: [{ id: "ami-1" }] },
    ],
  ])("%s", (_, spec, expected) => {
    const { amiSelectorTerms: __, ...rest } = common;
    expect(specOf(template(spec))).toEqual({ ...rest, ...expected });
  });

  test.each<readonly [string, Fields, string]>([
    ["a launch template", { launchTemplate: "x" }, "spec.launchTemplate"],
    ["ids beside tags", { subnetSelector: { "aws-ids": "subnet-1", a: "b" } }, "spec.subnetSelector"],
    ["a selector that is no map", { subnetSelector: "x" }, "spec.subnetSelector"],
    ["a value that selects nothing", { securityGroupSelector: { a: "," } }, "spec.securityGroupSelector"],
    ["more terms than v1 takes", { subnetSelector: { a: "1,2,3,4,5,6", b: "1,2,3,4,5,6" } }, "spec.subnetSelector"],
    ["no profile", { instanceProfile: null }, "spec.instanceProfile"],
    ["Ubuntu", { amiFamily: "Ubuntu" }, "spec.amiFamily"],
    ["AL2, whose images ended", { amiFamily: "AL2" }, "spec.amiFamily"],
    ["Custom without images", { amiFamily: "Custom" }, "spec.amiSelectorTerms"],
  ])("%s is for a person to decide", (_, spec, field) => {
    const answer = convertManifests([template(JSON.parse(JSON.stringify(spec)) as Fields)])[0];
    expect(answer?.findings).toContainEqual(expect.objectContaining({ field, mustDecide: true }));
  });
});

describe("a kubelet", () => {
  const pool = (name: string, kubelet?: Fields): Fields => ({
    apiVersion: "karpenter.sh/v1beta1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: {
        spec: { requirements: [], nodeClassRef: { name: "t" }, ...(kubelet === undefined ? {} : { kubelet }) },
      },
    },
  });

  test("whose class is elsewhere rides, and a person is told", () => {
    const [answer] = convertManifests([pool("a", { maxPods: 1 })]);
    expect(answer?.objects[0]?.metadata).toMatchObject({
      annotations: { "compatibility.karpenter.sh/v1beta1-kubelet-conversion": '{"maxPods":1}' },
    });
    expect(answer?.findings).toContainEqual(
      expect.objectContaining({ mustDecide: true, field: "spec.template.spec.kubelet" }),
    );
  });

  test("that two pools share is written once, and no class is split", () => {
    const answers = convertManifests([pool("a", { maxPods: 1 }), pool("b", { maxPods: 1 }), template({})]);
    expect(answers.flatMap(({ objects }) => objects)).toHaveLength(3);
    expect(answers[2]?.objects[0]).toMatchObject({ spec: { kubelet: { maxPods: 1 } } });
  });

  test("of one pool does not reach the other pools of its class", () => {
    const answers = convertManifests([pool("a", { maxPods: 1 }), pool("b"), template({})]);
    const classes = answers[2]?.objects.map(({ metadata, spec }) => [metadata, (spec as Fields).kubelet]);
    expect(classes).toEqual([
      [{ name: "t" }, undefined],
      [{ name: "t-a" }, { maxPods: 1 }],
    ]);
    expect(answers[0]?.objects[0]).toMatchObject({ spec: { template: { spec: { nodeClassRef: { name: "t-a" } } } } });
    expect(answers[1]?.objects[0]).toMatchObject({ spec: { template: { spec: { nodeClassRef: { name: "t" } } } } });
  });

  test("split off two classes whose names meet gets two names", () => {
    const on = (className: string, name: string, kubelet: Fields): Fields => {
      const { template: inner } = pool(name, kubelet).spec as { template: { spec: Fields } };
      const spec = { template: { spec: { ...inner.spec, nodeClassRef: { name: className } } } };
      return { ...pool(name), spec };
    };
    const named = (name: string): Fields => ({ ...template({}), metadata: { name } });
    const answers = convertManifests([
      ...[on("t", "a", { maxPods: 1 }), on("t", "u-b", { maxPods: 2 }), named("t")],
      ...[on("t-u", "a", { maxPods: 1 }), on("t-u", "b", { maxPods: 2 }), named("t-u")],
    ]);
    const names = answers.flatMap(({ objects }) => objects.filter(({ kind }) => kind === "EC2NodeClass"));
    expect(names.map(({ metadata }) => (metadata as Fields).name)).toEqual(["t", "t-u-b", "t-u", "t-u-b-2"]);
  });

  test("is the same split whatever the order of the manifests", () => {
    const manifests = [pool("a", { maxPods: 1 }), pool("b", { maxPods: 2 }), pool("c", { maxPods: 3 }), template({})];
    const namesOf = (all: readonly Fields[]): readonly string[] =>
      convertManifests(all)
        .flatMap(({ objects }) => objects.map(({ metadata, spec }) => JSON.stringify([metadata, spec])))
        .sort();
    expect(namesOf([...manifests].reverse())).toEqual(namesOf(manifests));
  });
});

describe("nothing is lost", () => {
  const refused = (field: string): object => expect.objectContaining({ field, mustDecide: true });

  test.each<readonly [string, Fields, string]>([
    ["a template with a launch template", template({ launchTemplate: "x" }), "spec.launchTemplate"],
    ["a template whose selector cannot be said in terms", template({ subnetSelector: "x" }), "spec.subnetSelector"],
    ["a template for Ubuntu", template({ amiFamily: "Ubuntu" }), "spec.amiFamily"],
    [
      "a Provisioner whose own provider is for Ubuntu",
      provisioner({ provider: { amiFamily: "Ubuntu" } }),
      "spec.provider.amiFamily",
    ],
  ])("%s stays as it is", (_, manifest, field) => {
    const [answer] = convertManifests([manifest]);
    expect(answer?.objects).toEqual([manifest]);
    expect(answer?.findings).toContainEqual(refused(field));
  });

  test("a kubelet annotation that is no JSON stays, and a person is told", () => {
    const metadata = { name: "a", annotations: { "compatibility.karpenter.sh/v1beta1-kubelet-conversion": "{" } };
    const spec = {
      template: {
        spec: { requirements: [], nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "t" } },
      },
    };
    const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata, spec };
    const [answer] = convertManifests([pool, template({})]);
    expect(answer?.objects).toEqual([pool]);
    expect(answer?.findings).toContainEqual(refused("spec.template.spec.kubelet"));
  });

  test("fields that v1 does not have are told: kubectl refuses them", () => {
    const spec = { nodeClassRef: { name: "default" }, requirements: [], resources: { requests: { cpu: "1" } } };
    const pool = {
      apiVersion: "karpenter.sh/v1beta1",
      kind: "NodePool",
      metadata: { name: "a" },
      spec: { template: { spec } },
    };
    const [answer] = convertManifests([pool]);
    expect(answer?.findings).toContainEqual(refused("spec.template.spec.resources"));
  });

  test("metadata options that are none are passed on for the validation to tell", () => {
    const spec = { amiFamily: "Custom", metadataOptions: "x" };
    const nodeClass = { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", metadata: { name: "t" }, spec };
    const [answer] = convertManifests([nodeClass]);
    expect(answer?.objects[0]).toMatchObject({ spec: { metadataOptions: "x" } });
    expect(answer?.findings).toContainEqual(refused("spec.metadataOptions"));
  });

  test("of an old name beside today's, today's value holds", () => {
    const annotations = { "karpenter.sh/do-not-disrupt": "true", "karpenter.sh/do-not-evict": "false" };
    const [answer] = convertManifests([{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", annotations } }]);
    expect(answer?.objects[0]?.metadata).toEqual({ name: "p", annotations: { "karpenter.sh/do-not-disrupt": "true" } });
  });

  test("each ConfigMap of the settings is told by its own values", () => {
    const settings = (namespace: string, data: Fields): Fields => ({
      ...{ apiVersion: "v1", kind: "ConfigMap", data },
      metadata: { name: "karpenter-global-settings", namespace },
    });
    const answers = convertManifests([
      settings("a", { "aws.clusterName": "x" }),
      settings("b", { batchMaxDuration: "1s" }),
    ]);
    expect(answers.map(({ findings }) => findings.map(({ field }) => field))).toEqual([
      ["", "data[aws.clusterName]"],
      ["", "data[batchMaxDuration]"],
    ]);
  });
});

test("AL2 is told of a Provisioner's own provider too", () => {
  const [answer] = convertManifests([provisioner({ provider: { instanceProfile: "p" } })]);
  expect(answer?.findings).toContainEqual(
    expect.objectContaining({ field: "spec.provider.amiFamily", mustDecide: true }),
  );
});

test("what is no object, and what needs nothing, is answered as it is", () => {
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" }, spec: {} };
  const answers = convertManifests([deployment, 3, null]);
  expect(answers[0]?.objects[0]).toBe(deployment);
  expect(answers.map(({ objects }) => objects.length)).toEqual([1, 0, 0]);
});
