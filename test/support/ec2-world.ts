import { readFileSync } from "node:fs";
import type { EC2NodeClass, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2ApiVersion, ec2Group, ec2NodeClassKind, ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import { apiVersion, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim, NodeClaimSpec } from "#api/karpenter-v1/nodeclaim.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { type ClusterView, emptyCluster, type NodeClass, type Snapshot } from "#core/snapshot.ts";
import { classHashAnnotations } from "#ec2/drift/class-hash-annotations.ts";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { readCatalogue } from "#ec2/instance-type/read-catalogue.ts";
import { withParameters } from "#ec2/node-class/image-query.ts";
import { nodeClasses } from "#ec2/node-class/node-classes.ts";
import { ec2Query } from "#ec2/query.ts";
import type { Ec2View, Image, Subnet } from "#ec2/view.ts";

/** A small EC2 account and a cluster that uses it, as data: what the tests of shared/ec2 start from. */

export const nowMs = Date.parse("2026-11-30T12:00:00Z");

export const settings: Settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "arn:demo@1" };

function readDataFile(): Catalogue {
  const file = new URL("../../shared/adapters/simulator/data/us-east-1.json", import.meta.url);
  const answer = readCatalogue(JSON.parse(readFileSync(file, "utf8")));
  if (answer.kind === "problems") throw new Error(answer.problems.join("\n"));
  return answer.catalogue;
}

export const catalogue: Catalogue = readDataFile();

export const subnets: readonly Subnet[] = [
  { id: "subnet-0a", zone: "us-east-1a", zoneId: "use1-az1", freeAddresses: 100 },
  { id: "subnet-0b", zone: "us-east-1b", zoneId: "use1-az2", freeAddresses: 300 },
  { id: "subnet-1a", zone: "us-east-1a", zoneId: "use1-az1", freeAddresses: 200 },
];

const plainSpec: EC2NodeClassSpec = {
  subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "demo" } }],
  securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "demo" } }],
  amiSelectorTerms: [{ alias: "al2023@v20240807" }],
  role: "node-role",
};

export function nodeClassOf(spec: Partial<EC2NodeClassSpec> = {}, name = "default"): EC2NodeClass {
  const nodeClass: EC2NodeClass = {
    apiVersion: ec2ApiVersion,
    kind: ec2NodeClassKind,
    metadata: {
      name,
      uid: `uid-${name}`,
      generation: 1,
      resourceVersion: "1",
      creationTimestamp: "2026-11-30T11:00:00Z",
      finalizers: ["karpenter.k8s.aws/termination"],
    },
    spec: { ...plainSpec, ...spec },
  };
  return { ...nodeClass, metadata: { ...nodeClass.metadata, annotations: classHashAnnotations(nodeClass) } };
}

/** The account answers every query alike: the three subnets, two groups, an image for each parameter that is asked for. */
export function viewOf(cluster: ClusterView, of: Settings = settings): Ec2View {
  const query = ec2Query(cluster, of);
  const parameters = Object.fromEntries(query.parameters.map((name, index) => [name, `ami-${index}`]));
  const images = Object.fromEntries(
    query.images.map((image) => {
      const asked = withParameters(image, parameters).filters.find(({ name }) => name === "image-id")?.values ?? [];
      return [image.key, asked.map((id) => imageOf(id, parameters))];
    }),
  );
  return {
    catalogue,
    subnets: Object.fromEntries(query.subnets.map(({ key }) => [key, subnets])),
    securityGroups: Object.fromEntries(
      query.securityGroups.map(({ key }) => [
        key,
        [
          { id: "sg-2", name: "b" },
          { id: "sg-1", name: "a" },
        ],
      ]),
    ),
    images,
    parameters,
    capacityReservations: Object.fromEntries((query.capacityReservations ?? []).map(({ key }) => [key, []])),
    placementGroups: Object.fromEntries((query.placementGroups ?? []).map(({ key }) => [key, []])),
    clusterFacts: {
      endpoint: "https://demo.eks.amazonaws.com",
      certificateAuthority: "Q0E=",
      serviceCidr: "10.100.0.0/16",
    },
    ownProfiles: [],
    ownTemplates: [],
    instanceProfiles: Object.fromEntries(query.roles.map((role) => [role, `profile-of-${role}`])),
  };
}

function imageOf(id: string, parameters: Readonly<Record<string, string>>): Image {
  const path = Object.entries(parameters).find(([, value]) => value === id)?.[0] ?? "";
  const arch = path.includes("arm64") ? "arm64" : "amd64";
  return { id, name: `image ${path}`, arch, createdAt: "2026-08-07T00:00:00.000Z" };
}

export function snapshotOf(
  cluster: Partial<Omit<ClusterView, "nodeClasses">> & { readonly nodeClasses: readonly EC2NodeClass[] },
  view?: Partial<Ec2View>,
  of: Settings = settings,
): Snapshot<Ec2View> {
  const whole: ClusterView = { ...emptyCluster, ...cluster, nodeClasses: cluster.nodeClasses.map(asNodeClass) };
  return {
    nowMs,
    seed: 1,
    decisionId: "tick-1",
    settings: of,
    cluster: whole,
    cloud: { instances: [], incomplete: [], view: { ...viewOf(whole, of), ...view } },
    steps: [],
  };
}

function asNodeClass(nodeClass: EC2NodeClass): NodeClass {
  const { status, ...rest } = nodeClass;
  return { ...rest, ...(status === undefined ? {} : { status }) };
}

/** The class after one tick against the account: with status and conditions. */
export function resolvedClass(spec: Partial<EC2NodeClassSpec> = {}, of: Settings = settings): EC2NodeClass {
  const nodeClass = nodeClassOf(spec);
  const decision = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, {}, of));
  const patch = decision.commands.find((command) => command.kind === "patch-status");
  return patch === undefined ? nodeClass : { ...nodeClass, status: patch.status };
}

export function claimOf(spec: Partial<NodeClaimSpec> = {}, labels: Readonly<Record<string, string>> = {}): NodeClaim {
  return {
    apiVersion,
    kind: "NodeClaim",
    metadata: {
      name: "default-abcde",
      uid: "11111111-2222-3333-4444-555555555555",
      labels: { [nodePoolLabel]: "default", [ec2NodeClassLabel]: "default", ...labels },
    },
    spec: {
      requirements: [],
      nodeClassRef: { group: ec2Group, kind: ec2NodeClassKind, name: "default" },
      ...spec,
    },
  };
}
