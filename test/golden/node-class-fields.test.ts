import { expect, test } from "vitest";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { fleetRequest } from "#aws/fleet-request.ts";
import { nodeClasses } from "#ec2/node-class/node-classes.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { ec2Query } from "#ec2/query.ts";
import type { Ec2View, PlacementGroup } from "#ec2/view.ts";
import { claimOf, nodeClassOf, settings, snapshotOf } from "../support/ec2-world.ts";
import { capacityType, types } from "../support/launch-plans.ts";

type Spec = Partial<EC2NodeClassSpec>;
/** What EC2 is told: the fields of the launch template, the fleet request, and the reads before them. */
interface Told {
  readonly template?: object;
  readonly fleet?: object;
  readonly query?: object;
}

const ebs = {
  deleteOnTermination: true,
  encrypted: false,
  iops: 4_000,
  kmsKeyID: "arn:aws:kms:us-east-1:1:key/k",
  snapshotID: "snap-1",
  throughput: 300,
  volumeInitializationRate: 200,
  volumeSize: "1Ti",
  volumeType: "gp3",
} as const;
const device = {
  DeleteOnTermination: true,
  Encrypted: false,
  Iops: 4_000,
  KmsKeyId: ebs.kmsKeyID,
  SnapshotId: "snap-1",
  Throughput: 300,
  VolumeInitializationRate: 200,
  VolumeSize: 1_024,
  VolumeType: "gp3",
};
const nics = [
  { networkCardIndex: 0, deviceIndex: 0, interfaceType: "interface" },
  { networkCardIndex: 0, deviceIndex: 1, interfaceType: "efa-only" },
] as const;
const filters = (...named: readonly (readonly [string, string])[]) => [
  { filters: named.map(([name, value]) => ({ name, values: [value] })) },
];

/** A row for each field of the class: a field without one does not compile. */
const rows: { readonly [Field in keyof Required<EC2NodeClassSpec>]: readonly [Spec, Told] } = {
  subnetSelectorTerms: [
    { subnetSelectorTerms: [{ tags: { a: "*", b: "c" } }] },
    { query: { subnets: filters(["tag-key", "a"], ["tag:b", "c"]) }, fleet: overrides("subnet-1a") },
  ],
  securityGroupSelectorTerms: [
    { securityGroupSelectorTerms: [{ name: "my-*" }] },
    {
      query: { securityGroups: filters(["group-name", "my-*"]) },
      template: { NetworkInterfaces: [{ DeviceIndex: 0, Groups: ["sg-1", "sg-2"] }] },
    },
  ],
  capacityReservationSelectorTerms: [
    { capacityReservationSelectorTerms: [{ tags: { a: "b" }, ownerID: "123456789012" }] },
    {
      query: {
        capacityReservations: filters(["owner-id", "123456789012"], ["state", "active"], ["tag:a", "b"]),
      },
      template: { CapacityReservationSpecification: { CapacityReservationPreference: "none" } },
    },
  ],
  placementGroupSelector: [
    { placementGroupSelector: { name: "near" } },
    { query: { placementGroups: filters(["group-name", "near"]) }, template: { Placement: { GroupId: "pg-1" } } },
  ],
  amiFamily: [
    { amiFamily: "Bottlerocket", amiSelectorTerms: [{ id: "ami-9" }] },
    { template: { UserData: expect.stringContaining("[settings") } },
  ],
  associatePublicIPAddress: [
    { associatePublicIPAddress: false },
    { template: { NetworkInterfaces: [{ DeviceIndex: 0, AssociatePublicIpAddress: false }] } },
  ],
  ipPrefixCount: [{ ipPrefixCount: 3 }, { template: { NetworkInterfaces: [{ Ipv4PrefixCount: 3 }] } }],
  amiSelectorTerms: [
    { amiFamily: "AL2023", amiSelectorTerms: [{ name: "mine", owner: "self" }, { ssmParameter: "/mine" }] },
    {
      query: {
        parameters: ["/mine"],
        images: [
          ...filters(["image-id", "resolve:ssm:/mine"], ["state", "available"]),
          { ...filters(["name", "mine"], ["state", "available"])[0], owners: ["self"] },
        ],
      },
    },
  ],
  userData: [{ userData: "#!/bin/sh\necho own\n" }, { template: { UserData: expect.stringContaining("echo own") } }],
  role: [{ role: "path/to/other" }, { template: { IamInstanceProfile: { Name: "profile-of-other" } } }],
  instanceProfile: [{ instanceProfile: "own" }, { template: { IamInstanceProfile: { Name: "own" } } }],
  tags: [
    { tags: { team: "a", Name: "n" } },
    {
      template: { TagSpecifications: [{ Tags: expect.arrayContaining([{ Key: "team", Value: "a" }]) }] },
      fleet: {
        TagSpecifications: ["instance", "volume", "fleet"].map((ResourceType) => ({
          ResourceType,
          Tags: expect.arrayContaining([
            { Key: "team", Value: "a" },
            { Key: "Name", Value: "n" },
          ]),
        })),
      },
    },
  ],
  kubelet: [
    { kubelet: { maxPods: 17, clusterDNS: ["10.0.0.9"] } },
    { template: { UserData: expect.stringMatching(/clusterDNS:\s+- "10\.0\.0\.9"[\s\S]*maxPods: 17/) } },
  ],
  blockDeviceMappings: [
    { blockDeviceMappings: [{ deviceName: "/dev/xvdb", rootVolume: true, ebs }] },
    { template: { BlockDeviceMappings: [{ DeviceName: "/dev/xvdb", Ebs: device }] } },
  ],
  instanceStorePolicy: [
    { instanceStorePolicy: "RAID0" },
    { template: { UserData: expect.stringMatching(/localStorage:\s+strategy: "RAID0"/) } },
  ],
  networkInterfaces: [
    { networkInterfaces: nics, associatePublicIPAddress: true },
    {
      template: {
        NetworkInterfaces: [
          { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: "interface", AssociatePublicIpAddress: true },
          { NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: "efa-only", Groups: ["sg-1", "sg-2"] },
        ],
      },
    },
  ],
  detailedMonitoring: [{ detailedMonitoring: true }, { template: { Monitoring: { Enabled: true } } }],
  metadataOptions: [
    {
      metadataOptions: {
        httpEndpoint: "disabled",
        httpProtocolIPv6: "enabled",
        httpPutResponseHopLimit: 3,
        httpTokens: "optional",
      },
    },
    {
      template: {
        MetadataOptions: {
          HttpEndpoint: "disabled",
          HttpProtocolIpv6: "enabled",
          HttpPutResponseHopLimit: 3,
          HttpTokens: "optional",
          InstanceMetadataTags: "disabled",
        },
      },
    },
  ],
  connectionTracking: [
    { connectionTracking: { tcpEstablishedTimeout: 60, udpStreamTimeout: 61, udpTimeout: 31 } },
    {
      template: {
        NetworkInterfaces: [
          {
            ConnectionTrackingSpecification: { TcpEstablishedTimeout: 60, UdpStreamTimeout: 61, UdpTimeout: 31 },
          },
        ],
      },
    },
  ],
  context: [{ context: "reserved" }, { fleet: { Context: "reserved" } }],
  cpuOptions: [
    { cpuOptions: { nestedVirtualization: "disabled" } },
    { template: { CpuOptions: { NestedVirtualization: "disabled" } } },
  ],
};

function overrides(subnet: string): object {
  return {
    LaunchTemplateConfigs: [{ Overrides: expect.arrayContaining([expect.objectContaining({ SubnetId: subnet })]) }],
  };
}

/** Types that can do what the field asks for. */
const typeFor: Partial<Record<keyof EC2NodeClassSpec, string>> = { networkInterfaces: "c5n.18xlarge" };

test.each(Object.entries(rows))("%s", (field, [change, told]) => {
  const requirements = [types(typeFor[field as keyof EC2NodeClassSpec] ?? "m5.large"), capacityType("on-demand")];
  const { cluster, plan } = launchWith(change, requirements);
  if (told.query !== undefined) expect(ec2Query(cluster, settings)).toMatchObject(told.query);
  if (told.template !== undefined) {
    const [template] = plan.prepare.filter((command) => command.kind === "ensure-launch-template");
    expect(template?.details).toMatchObject(told.template);
  }
  if (told.fleet !== undefined) expect(fleetRequest(plan.launch)).toMatchObject(told.fleet);
});

test("in a cluster of IPv6 addresses every interface with addresses has one, and prefixes are of IPv6", () => {
  const clusterFacts = { endpoint: "https://demo", certificateAuthority: "Q0E=", serviceCidr: "fd30:1c53:5f8a::/108" };
  const interfacesOf = (change: Spec, type = "m5.large") => {
    const { plan } = launchWith(change, [types(type), capacityType("on-demand")], { clusterFacts });
    const [template] = plan.prepare.filter((command) => command.kind === "ensure-launch-template");
    return template?.details.NetworkInterfaces;
  };
  const primary = { Groups: ["sg-1", "sg-2"], Ipv6AddressCount: 1, PrimaryIpv6: true };
  expect(interfacesOf({ ipPrefixCount: 2 })).toEqual([{ DeviceIndex: 0, ...primary, Ipv6PrefixCount: 2 }]);
  expect(interfacesOf({ networkInterfaces: nics }, "c5n.18xlarge")).toEqual([
    { NetworkCardIndex: 0, DeviceIndex: 0, InterfaceType: "interface", ...primary },
    { NetworkCardIndex: 0, DeviceIndex: 1, InterfaceType: "efa-only", Groups: ["sg-1", "sg-2"] },
  ]);
});

/** The launch of a claim of a class with `change`, once it was resolved in an account where every selector finds something. */
function launchWith(change: Spec, requirements: readonly RequirementSpec[], more: Partial<Ec2View> = {}) {
  const group: PlacementGroup = { id: "pg-1", name: "near", strategy: "cluster" };
  const before = nodeClassOf(change);
  const view = (nodeClass: EC2NodeClass): Partial<Ec2View> => {
    const { placementGroups = [], images } = ec2Query(snapshotOf({ nodeClasses: [nodeClass] }).cluster, settings);
    const image = { id: "ami-9", name: "mine", arch: "amd64" as const, createdAt: "2026-08-07T00:00:00.000Z" };
    return {
      ...more,
      placementGroups: Object.fromEntries(placementGroups.map(({ key }) => [key, [group]])),
      ...(change.amiSelectorTerms === undefined
        ? {}
        : { images: Object.fromEntries(images.map(({ key }) => [key, [image]])) }),
    };
  };
  const { commands } = nodeClasses(snapshotOf({ nodeClasses: [before] }, view(before)));
  const status = commands.find((command) => command.kind === "patch-status")?.status ?? {};
  const nodeClass: EC2NodeClass = { ...before, status };
  const snapshot = snapshotOf({ nodeClasses: [nodeClass] }, view(nodeClass));
  const plan = ec2Provider.planLaunch(snapshot, claimOf({ requirements }), 1);
  if (plan.kind !== "launch") throw new Error(plan.message);
  return { cluster: snapshot.cluster, plan };
}
