import { describe, expect, test } from "vitest";
import type { NodeClaimSpec } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { resolvedClass } from "../../../test/support/ec2-world.ts";
import { capacityType, launchOf, templatesOf, types, type World } from "../../../test/support/launch-plans.ts";

const claim = { requirements: [types("m5.large"), capacityType("spot")] };

describe("what a template says", () => {
  test("the template says what the instance is and how it joins", () => {
    const taint = { key: "karpenter", value: "true", effect: "NoSchedule" as const };
    const startup = { key: "agent", effect: "NoExecute" as const };
    const labels = { team: "a", "node-role.kubernetes.io/x": "", "topology.kubernetes.io/zone": "z" };
    const [template] = templatesOf({ ...claim, taints: [taint], startupTaints: [startup] }, { labels });
    expect(template).toMatchObject({
      name: expect.stringMatching(/^karpenter\.k8s\.aws\/[0-9a-z]{12}$/),
      bootstrap: {
        clusterName: "demo",
        labels: {
          team: "a",
          "karpenter.sh/capacity-type": "spot",
          "karpenter.sh/do-not-sync-taints": "true",
          "karpenter.sh/nodepool": "default",
          "karpenter.k8s.aws/ec2nodeclass": "default",
        },
        taints: [taint, startup, { key: "karpenter.sh/unregistered", effect: "NoExecute" }],
        maxPods: 29,
      },
    });
    expect(template?.bootstrap.labels).not.toHaveProperty("node-role.kubernetes.io/x");
    expect(template?.details).toEqual({
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { Encrypted: true, VolumeSize: 20, VolumeType: "gp3" } }],
      IamInstanceProfile: { Name: "profile-of-node-role" },
      MetadataOptions: {
        HttpEndpoint: "enabled",
        HttpProtocolIpv6: "disabled",
        HttpPutResponseHopLimit: 1,
        HttpTokens: "required",
        InstanceMetadataTags: "disabled",
      },
      Monitoring: { Enabled: false },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: ["sg-1", "sg-2"] }],
      UserData: expect.stringContaining("Content-Type: application/node.eks.aws"),
      Placement: { Tenancy: "default" },
      CapacityReservationSpecification: { CapacityReservationPreference: "none" },
      TagSpecifications: [
        { ResourceType: "network-interface", Tags: expect.any(Array) },
        { ResourceType: "spot-instances-request", Tags: expect.any(Array) },
      ],
    });
  });
});

describe("which types share a template", () => {
  test("types with other images or pods get their own, and every option names its template", () => {
    const both = { requirements: [types("m5.large", "c5.large", "m5.xlarge", "m7g.large")] };
    const templates = templatesOf(both);
    // m5.large and c5.large share one: the same image and 29 pods.
    expect(templates.map(({ bootstrap }) => bootstrap.maxPods).sort()).toEqual([29, 29, 58]);
    expect(new Set(templates.map(({ imageId }) => imageId)).size).toBe(2);
    const names = new Set(templates.map(({ name }) => name));
    for (const { launchTemplate } of launchOf(both).options) expect(names).toContain(launchTemplate);
  });

  test("the name changes with the content and is the same for two claims alike", () => {
    const name = (spec: Partial<NodeClaimSpec>, world?: World) =>
      templatesOf(spec, world).map((template) => template.name);
    expect(name(claim)).toEqual(name({ ...claim, resources: { requests: { cpu: "1" } } }));
    expect(name(claim)).not.toEqual(name({ ...claim, taints: [{ key: "a", effect: "NoSchedule" }] }));
    expect(name(claim)).not.toEqual(name(claim, { nodeClass: { detailedMonitoring: true } }));
    expect(name(claim)).not.toEqual(name({ requirements: [types("m5.large"), capacityType("on-demand")] }));
  });

  test("GPU types boot the GPU image of the alias, Neuron types the Neuron image", () => {
    const amis = resolvedClass().status?.amis ?? [];
    const imageOf = (name: string) => templatesOf({ requirements: [types(name)] })[0]?.imageId;
    const named = (part: string) => amis.find(({ name }) => name?.includes(part))?.id;
    expect(imageOf("g4dn.xlarge")).toBe(named("x86_64/nvidia"));
    expect(imageOf("inf2.xlarge")).toBe(named("x86_64/neuron"));
    expect(imageOf("m7g.large")).toBe(named("arm64/standard"));
    expect(imageOf("g5g.xlarge")).toBe(named("arm64/nvidia"));
  });
});

describe("what the class and the claim change", () => {
  test("a class's devices, metadata options and interfaces go into the template", () => {
    const [template] = templatesOf(claim, {
      nodeClass: {
        blockDeviceMappings: [
          {
            deviceName: "/dev/xvda",
            ebs: { volumeSize: "100G", volumeType: "io2", iops: 9, kmsKeyID: "k", encrypted: true },
          },
          { deviceName: "/dev/xvdz" },
        ],
        metadataOptions: { httpTokens: "optional", httpPutResponseHopLimit: 2 },
        associatePublicIPAddress: false,
        connectionTracking: { udpTimeout: 30 },
        cpuOptions: { nestedVirtualization: "disabled" },
        detailedMonitoring: true,
      },
    });
    expect(template?.details).toMatchObject({
      BlockDeviceMappings: [
        {
          DeviceName: "/dev/xvda",
          Ebs: { VolumeSize: 94, VolumeType: "io2", Iops: 9, KmsKeyId: "k", Encrypted: true },
        },
      ],
      MetadataOptions: { HttpTokens: "optional", HttpPutResponseHopLimit: 2, HttpEndpoint: "enabled" },
      NetworkInterfaces: [
        { DeviceIndex: 0, AssociatePublicIpAddress: false, ConnectionTrackingSpecification: { UdpTimeout: 30 } },
      ],
      CpuOptions: { NestedVirtualization: "disabled" },
      Monitoring: { Enabled: true },
    });
  });

  test("a claim that asks for EFA gets an EFA interface a card", () => {
    const resources = { requests: { "vpc.amazonaws.com/efa": "1" } };
    const [template] = templatesOf({ requirements: [types("trn1.32xlarge")], resources });
    const nics = template?.details.NetworkInterfaces;
    expect(Array.isArray(nics) && nics.length).toBe(8);
    expect(nics).toMatchObject([
      { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: "efa" },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: "efa" },
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
  });

  test("dedicated tenancy only when the claim does not allow the default", () => {
    const tenancy = (operator: "In" | "NotIn", value: string) => {
      const requirement: RequirementSpec = { key: "karpenter.k8s.aws/instance-tenancy", operator, values: [value] };
      return templatesOf({ requirements: [types("m5.large"), requirement] })[0]?.details.Placement;
    };
    expect(tenancy("In", "dedicated")).toEqual({ Tenancy: "dedicated" });
    expect(tenancy("NotIn", "dedicated")).toEqual({ Tenancy: "default" });
  });

  test("the machine is told what the class's kubelet keeps of it, and nothing else of the kubelet", () => {
    const kubelet = { kubeReserved: { cpu: "500m" }, evictionHard: { "memory.available": "5%" }, maxPods: 20 };
    const [template] = templatesOf(claim, { nodeClass: { kubelet } });
    const { maxPods: _maxPods, ...kept } = kubelet;
    expect(template?.bootstrap.kubelet).toEqual(kept);
    expect(templatesOf(claim)[0]?.bootstrap).not.toHaveProperty("kubelet");
  });

  test("a Custom image is told nothing but what its own user data must do", () => {
    const nodeClass = { amiFamily: "Custom" as const, amiSelectorTerms: [{ id: "ami-0" }] };
    const [template] = templatesOf({ requirements: [types("m5.large")] }, { nodeClass });
    expect(template?.bootstrap).toEqual({
      clusterName: "demo",
      labels: {},
      taints: [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }],
    });
    expect(template?.details).not.toHaveProperty("BlockDeviceMappings");
  });
});
