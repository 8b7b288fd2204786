import type { Machine } from "../machine.ts";
import { type InstanceRecord, instanceOf, stateOf } from "./instances.ts";
import type { Ready } from "./launch.ts";
import { machineResources } from "./machine-resources.ts";

/** The machine that boots on an instance, as its kubelet will know it. */
export function machineOf(record: InstanceRecord, launch: Ready, address: string, region: string): Machine {
  const { template, image, type } = launch;
  return {
    instanceId: record.id,
    providerID: instanceOf(record, stateOf(record)).providerID,
    nodeName: privateDnsName(address, region),
    instanceType: record.instanceType,
    zone: record.zone,
    region,
    arch: type.arch,
    os: image.name.startsWith("Windows_Server") ? "windows" : "linux",
    bootstrap: template.bootstrap,
    ...machineResources(type, template),
  };
}

/** us-east-1 is the one region whose names leave the region out. */
function privateDnsName(address: string, region: string): string {
  const domain = region === "us-east-1" ? "ec2.internal" : `${region}.compute.internal`;
  return `ip-${address.replaceAll(".", "-")}.${domain}`;
}
