import { describe, expect, test } from "vitest";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { catalogue, nodeClassOf, settings } from "../../../test/support/ec2-world.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";
import { ec2Settings } from "../settings.ts";
import { familyRules } from "./family-rules.ts";
import { allocatableOf, evictionThreshold, kubeReserved, reservedCpuMillis } from "./overhead.ts";
import { typeCapacity } from "./type-capacity.ts";

const mib = 1_048_576;
const gib = 1_024 * mib;

function figures(name: string, spec: Partial<EC2NodeClassSpec> = {}, reservedEnis = 0) {
  const type = catalogue.types.find((candidate) => candidate.name === name);
  if (type === undefined) throw new Error(`no ${name} in the catalogue`);
  const whole = nodeClassOf(spec).spec;
  const rules = familyRules[amiFamilyOf(whole)];
  const capacity = typeCapacity(type, whole, rules, { ...ec2Settings(settings), reservedEnis }, undefined);
  return {
    capacity,
    allocatable: allocatableOf(capacity, type, whole, rules),
    reserved: kubeReserved(capacity, type, whole, rules),
    eviction: evictionThreshold(capacity, whole),
  };
}

describe("capacity and allocatable of real types with AL2023 and nothing configured", () => {
  // name, cpu and memory (MiB) of the capacity, pods, cpu and memory (MiB) allocatable
  test.each([
    ["t3.micro", 2000, 947, 4, 1930, 548],
    ["t3.small", 2000, 1894, 11, 1930, 1418],
    ["t3.medium", 2000, 3788, 17, 1930, 3246],
    ["t3.large", 2000, 7577, 35, 1930, 6837],
    ["t3.xlarge", 4000, 15155, 58, 3920, 14162],
    ["m5.large", 2000, 7577, 29, 1930, 6903],
    ["m5.xlarge", 4000, 15155, 58, 3920, 14162],
    ["m5.2xlarge", 8000, 30310, 58, 7910, 29317],
    ["m5.4xlarge", 16000, 60620, 234, 15890, 57691],
    ["m5.8xlarge", 32000, 121241, 234, 31850, 118312],
    ["m5.12xlarge", 48000, 181862, 234, 47810, 178933],
    ["m5.16xlarge", 64000, 242483, 737, 63770, 234021],
    ["m5.24xlarge", 96000, 363724, 737, 95690, 355262],
    ["m5.metal", 96000, 363724, 737, 95690, 355262],
    ["c5.large", 2000, 3788, 29, 1930, 3114],
    ["c5.xlarge", 4000, 7577, 58, 3920, 6584],
    ["c5.9xlarge", 36000, 68198, 234, 35840, 65269],
    ["c5.18xlarge", 72000, 136396, 737, 71750, 127934],
    ["c5n.18xlarge", 72000, 181862, 737, 71750, 173400],
    ["c6g.medium", 1000, 1835, 8, 940, 1392],
    ["m6g.large", 2000, 7518, 29, 1930, 6844],
    ["m7g.16xlarge", 64000, 242424, 737, 63770, 233962],
    ["r5.large", 2000, 15155, 29, 1930, 14481],
    ["r6i.32xlarge", 128000, 969932, 737, 127610, 961470],
    ["r7a.48xlarge", 192000, 1454899, 737, 191450, 1446437],
    ["t4g.nano", 2000, 414, 4, 1930, 15],
    ["a1.medium", 1000, 1835, 8, 940, 1392],
    ["a1.4xlarge", 16000, 30251, 234, 15890, 27322],
    ["g4dn.xlarge", 4000, 15155, 29, 3920, 14481],
    ["g4dn.12xlarge", 48000, 181862, 234, 47810, 178933],
    ["g5g.xlarge", 4000, 7518, 58, 3920, 6525],
    ["inf1.xlarge", 4000, 7577, 38, 3920, 6804],
    ["inf2.xlarge", 4000, 15155, 58, 3920, 14162],
    ["p3dn.24xlarge", 96000, 727449, 737, 95690, 718987],
    ["i3.large", 2000, 14444, 29, 1930, 13770],
    ["i4i.32xlarge", 128000, 969932, 737, 127610, 961470],
    ["x1.16xlarge", 64000, 924467, 234, 63770, 921538],
    ["m4.16xlarge", 64000, 242483, 234, 63770, 239554],
    ["t2.micro", 1000, 947, 4, 940, 548],
  ])("%s", (name, cpu, memoryMiB, pods, cpuLeft, memoryLeftMiB) => {
    const { capacity, allocatable } = figures(name);
    expect(capacity).toMatchObject({ cpu, memory: memoryMiB * mib, pods, "ephemeral-storage": 20 * gib });
    expect(allocatable).toMatchObject({ cpu: cpuLeft, memory: memoryLeftMiB * mib, pods });
    // 20Gi less 1Gi for the kubelet less a tenth.
    expect(allocatable["ephemeral-storage"]).toBe(17 * gib);
  });
});

describe("reserved cpu", () => {
  test.each([
    [1, 60],
    [2, 70],
    [3, 75],
    [4, 80],
    [5, 82],
    [8, 90],
    [96, 310],
  ])("%i cores keep %i milli-CPU", (cores, millis) => expect(reservedCpuMillis(cores)).toBe(millis));
});

describe("devices", () => {
  test("GPUs, Neuron devices and branch interfaces are counted, resources without an amount are left out", () => {
    expect(figures("g4dn.12xlarge").capacity["nvidia.com/gpu"]).toBe(4);
    expect(figures("inf2.48xlarge").capacity).toMatchObject({
      "aws.amazon.com/neuron": 12,
      "aws.amazon.com/neuroncore": 24,
    });
    expect(figures("m5.large").capacity["vpc.amazonaws.com/pod-eni"]).toBe(9);
    expect(Object.keys(figures("t3.large").capacity)).toEqual(["cpu", "memory", "ephemeral-storage", "pods"]);
  });

  test("efa-only interfaces replace the hardware's EFA count and take interfaces of card 0 from the pods", () => {
    const networkInterfaces = [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" as const },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" as const },
    ];
    const { capacity } = figures("c5n.18xlarge", { networkInterfaces });
    // 15 interfaces of 50 addresses, one of them without: 14 × 49 + 2.
    expect(capacity).toMatchObject({ "vpc.amazonaws.com/efa": 1, pods: 688 });
    expect(figures("c5n.18xlarge").capacity["vpc.amazonaws.com/efa"]).toBe(1);
  });
});

describe("kubelet settings", () => {
  test("maxPods replaces the interfaces' limit, and podsPerCore lowers it", () => {
    expect(figures("m5.large", { kubelet: { maxPods: 110 } }).capacity.pods).toBe(110);
    expect(figures("m5.large", { kubelet: { podsPerCore: 5 } }).capacity.pods).toBe(10);
    expect(figures("m5.large", { kubelet: { podsPerCore: 0 } }).capacity.pods).toBe(29);
    expect(figures("m5.large", { kubelet: { maxPods: 4, podsPerCore: 5 } }).capacity.pods).toBe(4);
  });

  test("reserved interfaces lower the pods and not the memory kept for the kubelet", () => {
    const { capacity, reserved } = figures("m5.large", {}, 1);
    expect(capacity.pods).toBe(20);
    expect(reserved.memory).toBe(574 * mib);
    expect(figures("m5.large", {}, 3).capacity.pods).toBeUndefined();
  });

  test("the user's kubeReserved overrides by key, and systemReserved is subtracted as well", () => {
    const { allocatable, reserved } = figures("m5.large", {
      kubelet: { kubeReserved: { cpu: "200m" }, systemReserved: { cpu: "100m", memory: "100Mi", pid: "1000" } },
    });
    expect(reserved).toMatchObject({ cpu: 200, memory: 574 * mib });
    expect(allocatable).toMatchObject({ cpu: 1700, memory: 6803 * mib });
  });

  test("hard eviction thresholds are quantities or percentages rounded up, 100% is off, soft ones do not count", () => {
    const eviction = (memory: string, storage: string) =>
      figures("m5.large", {
        kubelet: {
          evictionHard: { "memory.available": memory, "nodefs.available": storage },
          evictionSoft: { "memory.available": "5Gi" },
        },
      }).eviction;
    expect(eviction("500Mi", "2Gi")).toEqual({ memory: 500 * mib, "ephemeral-storage": 2 * gib });
    expect(eviction("5%", "15%")).toEqual({
      memory: Math.ceil((7577 * mib) / 20),
      "ephemeral-storage": 3_221_225_472,
    });
    expect(eviction("100%", "100%")).toEqual({ memory: 0, "ephemeral-storage": 0 });
  });

  test("more reserved than there is leaves nothing, never less", () => {
    const { allocatable } = figures("t3.nano", { kubelet: { systemReserved: { memory: "4Gi" } } });
    expect(allocatable.memory).toBe(0);
  });
});

describe("families", () => {
  test("Bottlerocket keeps memory for the pods it really allows and ignores podsPerCore", () => {
    const spec = { amiSelectorTerms: [{ alias: "bottlerocket@latest" }], kubelet: { maxPods: 100, podsPerCore: 1 } };
    const { capacity, reserved } = figures("m5.large", spec);
    expect(capacity.pods).toBe(100);
    expect(reserved.memory).toBe((11 * 100 + 255) * mib);
  });

  test("AL2023 keeps memory for the interfaces' pods whatever maxPods says", () => {
    expect(figures("m5.large", { kubelet: { maxPods: 110 } }).reserved.memory).toBe(574 * mib);
  });

  test("Windows has 110 pods, a 50Gi disk and addresses of one interface", () => {
    const { capacity, reserved } = figures("m5.large", { amiSelectorTerms: [{ alias: "windows2022@latest" }] });
    expect(capacity).toMatchObject({
      pods: 110,
      "ephemeral-storage": 50 * gib,
      "vpc.amazonaws.com/PrivateIPv4Address": 9,
    });
    expect(reserved.memory).toBe((11 * 110 + 255) * mib);
  });
});

describe("ephemeral storage", () => {
  const volume = (deviceName: string, volumeSize: string, rootVolume = false) => ({
    deviceName,
    rootVolume,
    ebs: { volumeSize },
  });
  const storage = (spec: Partial<EC2NodeClassSpec>, name = "m5.large") =>
    figures(name, spec).capacity["ephemeral-storage"];

  test("the mapping of the family's device decides, else the default", () => {
    expect(storage({ blockDeviceMappings: [volume("/dev/xvda", "100Gi")] })).toBe(100 * gib);
    expect(storage({ blockDeviceMappings: [volume("/dev/xvdb", "100Gi")] })).toBe(20 * gib);
    expect(storage({ blockDeviceMappings: [volume("/dev/xvda", "100G")] })).toBe(100_000_000_000);
  });

  test("a root volume wins over the device's name", () => {
    const blockDeviceMappings = [volume("/dev/xvda", "4Gi"), volume("/dev/sdz", "50Gi", true)];
    expect(storage({ blockDeviceMappings })).toBe(50 * gib);
  });

  test("Bottlerocket's pods live on its second device", () => {
    const blockDeviceMappings = [volume("/dev/xvda", "4Gi"), volume("/dev/xvdb", "80Gi")];
    expect(storage({ amiSelectorTerms: [{ alias: "bottlerocket@latest" }], blockDeviceMappings })).toBe(80 * gib);
  });

  test("a Custom image has the last mapping, or 20Gi", () => {
    const spec = { amiFamily: "Custom" as const, amiSelectorTerms: [{ id: "ami-1" }] };
    expect(storage({ ...spec, blockDeviceMappings: [volume("/dev/a", "4Gi"), volume("/dev/b", "30Gi")] })).toBe(
      30 * gib,
    );
    expect(storage(spec)).toBe(20 * gib);
  });

  test("mappings without ebs, size or name do not crash", () => {
    expect(storage({ blockDeviceMappings: [{ deviceName: "/dev/xvda" }, {}] })).toBe(20 * gib);
    expect(storage({ blockDeviceMappings: [{ deviceName: "/dev/xvda", ebs: { snapshotID: "snap-1" } }] })).toBe(
      20 * gib,
    );
  });

  test("RAID0 takes the instance store where there is one", () => {
    expect(storage({ instanceStorePolicy: "RAID0" }, "i3en.large")).toBe(1_250_000_000_000);
    expect(storage({ instanceStorePolicy: "RAID0" }, "m5.large")).toBe(20 * gib);
  });
});
