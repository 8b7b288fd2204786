import type { Machine } from "../machine.ts";
import { type InstanceRecord, instanceOf, stateOf } from "./instances.ts";
import type { Ready } from "./launch.ts";
import { machineResources } from "./machine-resources.ts";

/** The machine that boots on an instance, as its kubelet will know it. */
export function machineOf(record: InstanceRecord, launch: Ready, address: string, region: string): Machine {
  const { template, image, type, subnet } = launch;
  return {
    instanceId: record.id,
    providerID: instanceOf(record, stateOf(record)).providerID,
    nodeName: privateDnsName(address, region),
    instanceType: record.instanceType,
    zone: record.zone,
    zoneId: subnet.zoneId,
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

/** The address in a private DNS name: 10.0.0.4 of `ip-10-0-0-4.ec2.internal`. */
export function addressIn(nodeName: string): string | undefined {
  return /^ip-(\d+-\d+-\d+-\d+)[.]/.exec(nodeName)?.[1]?.replaceAll("-", ".");
}
