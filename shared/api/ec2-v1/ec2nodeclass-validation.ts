/**
 * Karpenter counterpart: the EC2NodeClass CRD of its AWS provider (schema, defaults, CEL rules). Absent `ebs` and
 * `deviceName` are accepted as there; whoever reads a mapping guards for them.
 */
import { clusterObject } from "../core-v1/meta-validation.ts";
import { map } from "../shape/collection.ts";
import { defaulted, object, optional, required } from "../shape/object.ts";
import { boolean, integer, maxInt32, oneOf, text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import { blockDeviceMappings, networkInterfaces } from "./device-validation.ts";
import {
  amiFamilies,
  type EC2NodeClass,
  type EC2NodeClassSpec,
  ec2NodeClassLabel,
  type MetadataOptions,
  type Tags,
} from "./ec2nodeclass.ts";
import { defaultMetadataOptions } from "./ec2nodeclass-defaults.ts";
import { kubelet } from "./kubelet-validation.ts";
import {
  amiSelectorTerms,
  capacityReservationSelectorTerms,
  placementGroupSelector,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from "./selector-term-validation.ts";
import { ec2NodeClassStatus } from "./status-validation.ts";

const complete = { complete: true };

/** Tags that the controller itself puts on what it launches. */
const ownedTags: ReadonlySet<string> = new Set([
  "eks:eks-cluster-name",
  "karpenter.sh/nodepool",
  "karpenter.sh/nodeclaim",
  ec2NodeClassLabel,
]);

const tags: Shape<Tags> = map(text(), {
  wrongKey: (key) => {
    if (key === "") return "must not be an empty tag key";
    const owned = ownedTags.has(key) || key.startsWith("kubernetes.io/cluster");
    return owned ? "must not be set: the controller sets it" : undefined;
  },
});

const metadataOptions: Shape<MetadataOptions> = object<MetadataOptions>(
  {
    httpEndpoint: defaulted(oneOf(["enabled", "disabled"]), defaultMetadataOptions.httpEndpoint),
    httpProtocolIPv6: defaulted(oneOf(["enabled", "disabled"]), defaultMetadataOptions.httpProtocolIPv6),
    httpPutResponseHopLimit: defaulted(integer(1, 64), defaultMetadataOptions.httpPutResponseHopLimit),
    httpTokens: defaulted(oneOf(["required", "optional"]), defaultMetadataOptions.httpTokens),
  },
  complete,
);

type ConnectionTracking = NonNullable<EC2NodeClassSpec["connectionTracking"]>;

const connectionTracking: Shape<ConnectionTracking> = object<ConnectionTracking>(
  {
    tcpEstablishedTimeout: optional(integer(60, 432_000)),
    udpStreamTimeout: optional(integer(60, 180)),
    udpTimeout: optional(integer(30, 60)),
  },
  {
    ...complete,
    rules: [
      (tracking, note) => {
        const { tcpEstablishedTimeout, udpStreamTimeout, udpTimeout } = tracking;
        if ([tcpEstablishedTimeout, udpStreamTimeout, udpTimeout].every((timeout) => timeout === undefined)) {
          note("must have one of tcpEstablishedTimeout, udpStreamTimeout, udpTimeout");
        }
      },
    ],
  },
);

const oneIdentity: Rule<EC2NodeClassSpec> = ({ role, instanceProfile }, note) => {
  if ((role === undefined) === (instanceProfile === undefined)) note("must have either role or instanceProfile");
};

const familyOfAlias: Rule<EC2NodeClassSpec> = ({ amiFamily, amiSelectorTerms: terms }, note) => {
  const alias = terms.find((term) => term.alias !== undefined)?.alias;
  if (alias === undefined) {
    if (amiFamily === undefined) note("is required when amiSelectorTerms has no alias", "amiFamily");
    return;
  }
  if (amiFamily === undefined || amiFamily === "Custom" || alias.startsWith(`${amiFamily.toLowerCase()}@`)) return;
  note(`must be Custom or the family of the alias ${alias}; got ${amiFamily}`, "amiFamily");
};

const spec: Shape<EC2NodeClassSpec> = object<EC2NodeClassSpec>(
  {
    subnetSelectorTerms: required(subnetSelectorTerms),
    securityGroupSelectorTerms: required(securityGroupSelectorTerms),
    amiSelectorTerms: required(amiSelectorTerms),
    capacityReservationSelectorTerms: optional(capacityReservationSelectorTerms),
    placementGroupSelector: optional(placementGroupSelector),
    amiFamily: optional(oneOf(amiFamilies)),
    associatePublicIPAddress: optional(boolean),
    ipPrefixCount: optional(integer(0, maxInt32)),
    userData: optional(text()),
    role: optional(text({ min: 1, expects: "the name of an IAM role" })),
    instanceProfile: optional(text({ min: 1, expects: "the name of an instance profile" })),
    tags: optional(tags),
    kubelet: optional(kubelet),
    blockDeviceMappings: optional(blockDeviceMappings),
    instanceStorePolicy: optional(oneOf(["RAID0"])),
    networkInterfaces: optional(networkInterfaces),
    detailedMonitoring: optional(boolean),
    metadataOptions: defaulted(metadataOptions, defaultMetadataOptions),
    connectionTracking: optional(connectionTracking),
    context: optional(text()),
    cpuOptions: optional(
      object<NonNullable<EC2NodeClassSpec["cpuOptions"]>>(
        { nestedVirtualization: optional(oneOf(["enabled", "disabled"])) },
        complete,
      ),
    ),
  },
  { ...complete, rules: [oneIdentity, familyOfAlias] },
);

export const ec2NodeClass: Shape<EC2NodeClass> = object<EC2NodeClass>({
  ...clusterObject,
  spec: required(spec),
  status: optional(ec2NodeClassStatus),
});
