import type { KubeObject } from "#api/core-v1/meta.ts";
import type { NodeCondition } from "#api/core-v1/node.ts";
import {
  archLabel,
  hostnameLabel,
  instanceTypeLabel,
  osLabel,
  regionLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { Machine } from "../../machine.ts";
import type { CsiDriver } from "../parts.ts";

/** Labels that agents on the node give it, by the CSI driver that brings them. */
const driverLabels: Readonly<Record<string, (machine: Machine) => Readonly<Record<string, string>>>> = {
  "ebs.csi.aws.com": ({ zone }) => ({ "topology.ebs.csi.aws.com/zone": zone }),
};

/** Kubelet and the cloud controller manager still write the old names of these labels beside the new ones. */
function ownLabels(machine: Machine): Readonly<Record<string, string>> {
  return {
    [archLabel]: machine.arch,
    "beta.kubernetes.io/arch": machine.arch,
    [osLabel]: machine.os,
    "beta.kubernetes.io/os": machine.os,
    [instanceTypeLabel]: machine.instanceType,
    "beta.kubernetes.io/instance-type": machine.instanceType,
    [zoneLabel]: machine.zone,
    "failure-domain.beta.kubernetes.io/zone": machine.zone,
    [regionLabel]: machine.region,
    "failure-domain.beta.kubernetes.io/region": machine.region,
    ...(machine.zoneId === undefined ? {} : { "topology.k8s.aws/zone-id": machine.zoneId }),
  };
}

/** The Node as kubelet registers it, with the labels that are there when it is Ready; not Ready yet. */
export function nodeOf(machine: Machine, drivers: readonly CsiDriver[], now: string): object {
  const { bootstrap, providerID, nodeName } = machine;
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName,
      labels: {
        ...bootstrap.labels,
        [hostnameLabel]: nodeName,
        ...ownLabels(machine),
        ...Object.assign({}, ...drivers.map(({ name }) => driverLabels[name]?.(machine) ?? {})),
      },
    },
    spec: { providerID, taints: bootstrap.taints },
    status: {
      capacity: machine.capacity,
      allocatable: machine.allocatable,
      conditions: conditionsOf("False", now),
      nodeInfo: { architecture: machine.arch, operatingSystem: machine.os },
    },
  };
}

const readyReason = { True: "KubeletReady", False: "KubeletNotReady", Unknown: "NodeStatusUnknown" } as const;

/** The conditions that kubelet reports; pressure is unknown when kubelet is silent. */
export function conditionsOf(ready: "True" | "False" | "Unknown", now: string): readonly NodeCondition[] {
  const pressure = ready === "Unknown" ? "Unknown" : "False";
  const names = {
    MemoryPressure: "KubeletHasSufficientMemory",
    DiskPressure: "KubeletHasNoDiskPressure",
    PIDPressure: "KubeletHasSufficientPID",
  };
  return [
    ...Object.entries(names).map(([type, reason]) => ({
      type,
      status: pressure as NodeCondition["status"],
      reason: ready === "Unknown" ? readyReason.Unknown : reason,
      message: "",
      lastTransitionTime: now,
    })),
    { type: "Ready", status: ready, reason: readyReason[ready], message: "", lastTransitionTime: now },
  ];
}

export function csiNodeOf(node: KubeObject, drivers: readonly CsiDriver[]): object {
  const { name, uid } = node.metadata;
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid }] },
    spec: {
      drivers: drivers.map(({ name: driver, volumesMax }) => ({
        name: driver,
        nodeID: name,
        topologyKeys: [zoneLabel],
        allocatable: { count: volumesMax },
      })),
    },
  };
}
