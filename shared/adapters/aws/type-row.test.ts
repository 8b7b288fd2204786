import type { InstanceTypeInfo } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import { typeFacts } from "./type-row.ts";

const m5: InstanceTypeInfo = {
  InstanceType: "m5.large",
  SupportedUsageClasses: ["on-demand", "spot", "capacity-block"],
  BareMetal: false,
  Hypervisor: "nitro",
  ProcessorInfo: { SupportedArchitectures: ["x86_64"], SustainedClockSpeedInGhz: 3.1, Manufacturer: "Intel" },
  VCpuInfo: { DefaultVCpus: 2 },
  MemoryInfo: { SizeInMiB: 8192 },
  EbsInfo: { EbsOptimizedSupport: "default", EbsOptimizedInfo: { MaximumBandwidthInMbps: 4750 } },
  NetworkInfo: {
    MaximumNetworkInterfaces: 3,
    DefaultNetworkCardIndex: 0,
    NetworkCards: [{ NetworkCardIndex: 0, MaximumNetworkInterfaces: 3, BaselineBandwidthInGbps: 0.75 }],
    Ipv4AddressesPerInterface: 10,
    EncryptionInTransitSupported: false,
  },
  NitroEnclavesSupport: "unsupported",
};

test("a plain type", () => {
  expect(typeFacts(m5)).toEqual({
    ...{ name: "m5.large", arch: "amd64", vcpus: 2, memoryMiB: 8192, enis: 3, ipv4PerEni: 10 },
    ...{ cpuManufacturer: "Intel", clockMhz: 3100, hypervisor: "nitro", bareMetal: false, networkMbps: 750 },
    ...{ ebsMbps: 4750, encryptionInTransit: false, nitroEnclaves: false, usageClasses: ["on-demand", "spot"] },
    branchInterfaces: 9,
  });
});

describe("parts that some have", () => {
  test("interfaces are counted on the default card, bandwidth on all", () => {
    const cards = [0, 1].map((NetworkCardIndex) => ({
      ...{ NetworkCardIndex, MaximumNetworkInterfaces: NetworkCardIndex === 0 ? 15 : 2, BaselineBandwidthInGbps: 50 },
    }));
    const facts = typeFacts({ ...m5, NetworkInfo: { ...m5.NetworkInfo, NetworkCards: cards } });
    expect(facts).toMatchObject({ enis: 15, networkMbps: 100_000 });
  });

  test("one kind of GPU is told, several are not", () => {
    const gpu = { Name: "T4", Manufacturer: "NVIDIA", Count: 4, MemoryInfo: { SizeInMiB: 16384 } };
    expect(typeFacts({ ...m5, GpuInfo: { Gpus: [gpu] } })?.gpu).toEqual({
      ...{ name: "T4", manufacturer: "NVIDIA", count: 4, memoryMiB: 16384 },
    });
    expect(typeFacts({ ...m5, GpuInfo: { Gpus: [gpu, gpu] } })?.gpu).toBeUndefined();
  });

  test("Neuron devices are summed, and are AWS's own", () => {
    const device = { Name: "Inferentia2", Count: 6, CoreInfo: { Count: 2 } };
    expect(typeFacts({ ...m5, NeuronInfo: { NeuronDevices: [device, device] } })?.accelerator).toEqual({
      ...{ name: "Inferentia2", manufacturer: "AWS", count: 12, coresPerDevice: 2 },
    });
  });

  test("an instance store counts only where it is NVMe", () => {
    const store = (NvmeSupport: "required" | "unsupported") =>
      typeFacts({ ...m5, InstanceStorageInfo: { NvmeSupport, TotalSizeInGB: 75 } })?.nvmeGB;
    expect([store("required"), store("unsupported")]).toEqual([75, undefined]);
  });
});

test("a type without what every type states, or of another architecture, is left out", () => {
  expect(typeFacts({ ...m5, VCpuInfo: {} })).toBeUndefined();
  expect(typeFacts({ ...m5, ProcessorInfo: { SupportedArchitectures: ["i386"] } })).toBeUndefined();
  expect(typeFacts({})).toBeUndefined();
});
