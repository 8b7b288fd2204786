import { describe, expect, test } from "vitest";
import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";
import { coreWellKnownLabels, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import { catalogue } from "../../../test/support/ec2-world.ts";
import { ec2WellKnownLabels } from "../labels.ts";
import { readTypeName } from "./type-name.ts";
import { typeRequirements } from "./type-requirements.ts";

const zones = [
  { zone: "us-east-1a", zoneId: "use1-az1", zoneIdRequirements: [], requirements: [] },
  { zone: "us-east-1b", zoneId: "use1-az2", zoneIdRequirements: [], requirements: [] },
];
const places = { zones, reservations: [], placementGroup: undefined };

function labelsOf(name: string, family: AmiFamily = "AL2023"): Readonly<Record<string, readonly string[] | "absent">> {
  const type = catalogue.types.find((candidate) => candidate.name === name);
  if (type === undefined) throw new Error(`no ${name} in the catalogue`);
  return Object.fromEntries(
    typeRequirements(type, family, "us-east-1", places).map(({ key, operator, values }) => [
      key.replace("karpenter.k8s.aws/", ""),
      operator === "DoesNotExist" ? "absent" : (values ?? []),
    ]),
  );
}

describe("labels of a type", () => {
  test("a plain machine has every label of its name and make, and lacks those of devices", () => {
    expect(labelsOf("m5.large")).toEqual({
      "node.kubernetes.io/instance-type": ["m5.large"],
      "node.kubernetes.io/windows-build": "absent",
      "kubernetes.io/arch": ["amd64"],
      "kubernetes.io/os": ["linux"],
      "topology.kubernetes.io/region": ["us-east-1"],
      "topology.kubernetes.io/zone": ["us-east-1a", "us-east-1b"],
      "topology.k8s.aws/zone-id": ["use1-az1", "use1-az2"],
      "karpenter.sh/capacity-type": ["on-demand", "spot"],
      "instance-category": ["m"],
      "instance-generation": ["5"],
      "instance-family": ["m5"],
      "instance-size": ["large"],
      "instance-capability-flex": ["false"],
      "instance-cpu": ["2"],
      "instance-cpu-manufacturer": ["intel"],
      "instance-cpu-sustained-clock-speed-mhz": ["3100"],
      "instance-memory": ["8192"],
      "instance-ebs-bandwidth": ["4750"],
      "instance-network-bandwidth": ["750"],
      "instance-hypervisor": ["nitro"],
      "instance-encryption-in-transit-supported": ["false"],
      "nitro-sandbox": ["false"],
      "instance-tenancy": ["dedicated", "default"],
      "instance-local-nvme": "absent",
      "instance-gpu-name": "absent",
      "instance-gpu-manufacturer": "absent",
      "instance-gpu-count": "absent",
      "instance-gpu-memory": "absent",
      "instance-accelerator-name": "absent",
      "instance-accelerator-manufacturer": "absent",
      "instance-accelerator-count": "absent",
      "capacity-reservation-id": "absent",
      "capacity-reservation-type": "absent",
      "capacity-reservation-interruptible": "absent",
      "placement-group-id": "absent",
      "placement-group-partition": "absent",
    });
  });

  test("GPUs, Neuron devices, local disks and bare metal", () => {
    expect(labelsOf("g4dn.xlarge")).toMatchObject({
      "instance-gpu-name": ["t4"],
      "instance-gpu-manufacturer": ["nvidia"],
      "instance-gpu-count": ["1"],
      "instance-gpu-memory": ["16384"],
      "instance-local-nvme": ["125"],
    });
    expect(labelsOf("inf2.xlarge")).toMatchObject({
      "instance-accelerator-name": ["inferentia2"],
      "instance-accelerator-manufacturer": ["aws"],
      "instance-accelerator-count": ["1"],
      "instance-gpu-count": "absent",
    });
    expect(labelsOf("m5.metal")["instance-hypervisor"]).toEqual([""]);
    expect(labelsOf("t2.micro")["instance-ebs-bandwidth"]).toBe("absent");
    expect(labelsOf("m7i-flex.large")["instance-capability-flex"]).toEqual(["true"]);
    expect(labelsOf("m7g.large")).toMatchObject({
      "kubernetes.io/arch": ["arm64"],
      "instance-cpu-manufacturer": ["aws"],
    });
  });

  test("Windows is an operating system of amd64 types only", () => {
    expect(labelsOf("m5.large", "Windows2022")).toMatchObject({
      "kubernetes.io/os": ["windows"],
      "node.kubernetes.io/windows-build": ["10.0.20348"],
    });
    expect(labelsOf("m7g.large", "Windows2022")["kubernetes.io/os"]).toBe("absent");
  });

  test("every type defines every well-known label except the pool's", () => {
    const wanted = [...coreWellKnownLabels, ...ec2WellKnownLabels].filter((key) => key !== nodePoolLabel).sort();
    for (const type of catalogue.types) {
      const keys = typeRequirements(type, "AL2023", "us-east-1", places).map(({ key }) => key);
      expect(keys, type.name).toEqual(wanted);
    }
  });
});

describe("names", () => {
  test.each([
    ["m5.large", "m", "5", "m5", "large"],
    ["c7i-flex.8xlarge", "c", "7", "c7i-flex", "8xlarge"],
    ["im4gn.large", "im", "4", "im4gn", "large"],
    ["u-6tb1.56xlarge", "u", "1", "u-6tb1", "56xlarge"],
    ["u7i-12tb.224xlarge", "u", "7", "u7i-12tb", "224xlarge"],
    ["m7i.metal-24xl", "m", "7", "m7i", "metal-24xl"],
    ["p6-b200.48xlarge", "p", "6", "p6-b200", "48xlarge"],
  ])("%s", (name, category, generation, family, size) =>
    expect(readTypeName(name)).toEqual({ category, generation, family, size }),
  );

  test("a name outside the scheme has neither category nor generation", () => {
    expect(readTypeName("mac-m4.metal")).toEqual({ family: "mac-m4", size: "metal" });
  });
});
