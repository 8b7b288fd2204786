import { describe, expect, test } from "vitest";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import { embeddedCatalogue } from "./embedded-catalogue.ts";
import { machineResources } from "./machine-resources.ts";

const types = new Map(embeddedCatalogue().types.map((type) => [type.name, type]));
const template: EnsureLaunchTemplate = {
  ...{ kind: "ensure-launch-template", name: "t", imageId: "ami-1" },
  ...{ bootstrap: { clusterName: "c", labels: {}, taints: [] }, details: {}, tags: {} },
};

function of(name: string, change: Partial<EnsureLaunchTemplate> = {}) {
  const type = types.get(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  return machineResources(type, { ...template, ...change });
}

describe("machineResources", () => {
  // Pods by interfaces and kube-reserved by the EKS formulas: 11 MiB a pod and 255 MiB; 60 + 10 + 5 + 5 millicores, …
  test.each([
    ["m5.large", "29", "1930m", 8192 - 312, 11 * 29 + 255],
    ["c5.xlarge", "58", "3920m", 8192 - 312, 11 * 58 + 255],
    ["m5.4xlarge", "234", "15890m", 65536 - 1173, 11 * 234 + 255],
    ["t3.small", "11", "1930m", 2048 - 143, 11 * 11 + 255],
    ["m6g.large", "29", "1930m", 8192 - 64 - 312, 11 * 29 + 255],
  ])("%s: %s pods, %s, %d MiB", (name, pods, cpu, memoryMiB, reservedMiB) => {
    const { capacity, allocatable } = of(name);
    expect(capacity).toMatchObject({ pods, memory: `${memoryMiB}Mi`, "ephemeral-storage": "20Gi" });
    expect(allocatable).toMatchObject({ pods, cpu, memory: `${memoryMiB - reservedMiB - 100}Mi` });
  });

  test("no machine has less memory than an estimate with 7.5 % overhead", () => {
    for (const type of types.values()) {
      const firmwareMiB = type.arch === "arm64" ? 64 : 0;
      const estimateMiB = type.memoryMiB - firmwareMiB - Math.ceil(type.memoryMiB * 0.075);
      expect(Number.parseInt(machineResources(type, template).capacity.memory ?? "", 10)).toBeGreaterThanOrEqual(
        estimateMiB,
      );
    }
  });

  test("devices are there under the names of their device plugins", () => {
    expect(of("g4dn.xlarge").capacity).toMatchObject({ "nvidia.com/gpu": "1" });
    expect(of("g4dn.xlarge").allocatable).toMatchObject({ "nvidia.com/gpu": "1" });
  });

  test("the disk is the last volume of the template, or the local disks made one", () => {
    const details = {
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { VolumeSize: 4 } }, { Ebs: { VolumeSize: 80 } }],
    };
    expect(of("m5.large", { details }).capacity["ephemeral-storage"]).toBe("80Gi");
    const bootstrap = { ...template.bootstrap, instanceStorePolicy: "RAID0" } as const;
    expect(of("m5d.large", { details, bootstrap }).capacity["ephemeral-storage"]).toBe("69Gi");
    expect(of("m5.large", { details, bootstrap }).capacity["ephemeral-storage"]).toBe("80Gi");
  });

  test("what the class's kubelet keeps is kept: its own figures in place of the image's, thresholds in percent too", () => {
    const kubelet = {
      kubeReserved: { cpu: "1" },
      systemReserved: { cpu: "100m", memory: "1Gi" },
      evictionHard: { "memory.available": "10%", "nodefs.available": "2Gi" },
    };
    const memoryMiB = 8192 - 312;
    expect(of("m5.large", { bootstrap: { ...template.bootstrap, kubelet } }).allocatable).toMatchObject({
      cpu: "900m",
      memory: `${memoryMiB - (11 * 29 + 255) - 1024 - memoryMiB / 10}Mi`,
      "ephemeral-storage": `${20 * 1024 - 1024 - 2048}Mi`,
    });
  });

  test("maxPods of the bootstrap bounds the pods", () => {
    expect(of("m5.large", { bootstrap: { ...template.bootstrap, maxPods: 110 } }).capacity.pods).toBe("110");
  });
});
