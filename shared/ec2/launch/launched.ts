/**
 * Karpenter counterpart: pkg/cloudprovider/cloudprovider.go, instanceToNodeClaim. It differs: the drift hash annotations
 * come with drift.
 */
import {
  capacityTypeLabel,
  instanceTypeLabel,
  nodePoolLabel,
  regionLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { integerToQuantity } from "#api/quantity.ts";
import type { LaunchedFacts } from "#core/cloud-provider.ts";
import type { Instance } from "#core/instance.ts";
import type { InstanceType, Resources } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { instanceTypesOf } from "../instance-type/instance-types.ts";
import { instanceProfileAnnotation, tenancyLabel, zoneIdLabel } from "../labels.ts";
import { findNodeClass } from "../node-class/node-class.ts";
import type { Ec2View } from "../view.ts";
import { requestsOf } from "./candidates.ts";
import { tenancyOf } from "./plan-launch.ts";

const efaResource = "vpc.amazonaws.com/efa";

/** A type that the catalogue does not know gives its name, place and price model, and no amounts. */
export function launchedFacts(snapshot: Snapshot<Ec2View>, claim: NodeClaim, instance: Instance): LaunchedFacts {
  const nodeClass = findNodeClass(snapshot.cluster, claim.spec.nodeClassRef);
  const answer = nodeClass === undefined ? undefined : instanceTypesOf(snapshot, nodeClass);
  const type =
    answer?.kind === "known" ? answer.instanceTypes.find(({ name }) => name === instance.instanceType) : undefined;
  const zoneId = nodeClass?.status?.subnets?.find(({ zone }) => zone === instance.zone)?.zoneID;
  const pool = claim.metadata.labels?.[nodePoolLabel];
  const profile = nodeClass?.status?.instanceProfile;
  const withEfa = (requestsOf(claim)[efaResource] ?? 0) > 0 || (nodeClass?.spec.networkInterfaces ?? []).length > 0;
  return {
    labels: {
      ...singleValues(type),
      [instanceTypeLabel]: instance.instanceType,
      [regionLabel]: snapshot.settings.region,
      [zoneLabel]: instance.zone,
      ...(zoneId === undefined ? {} : { [zoneIdLabel]: zoneId }),
      [capacityTypeLabel]: instance.capacityType,
      [tenancyLabel]: tenancyOf(claim),
      ...(pool === undefined ? {} : { [nodePoolLabel]: pool }),
    },
    annotations: profile === undefined ? {} : { [instanceProfileAnnotation]: profile },
    capacity: quantities(type?.capacity ?? {}, withEfa),
    allocatable: quantities(type?.allocatable ?? {}, withEfa),
  };
}

function singleValues(type: InstanceType | undefined): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const { key, operator, values } of type?.requirements ?? []) {
    const [value] = values ?? [];
    if (operator === "In" && values?.length === 1 && value !== undefined) labels[key] = value;
  }
  return labels;
}

/** EFA counts only where the instance has such interfaces. */
function quantities(amounts: Resources, withEfa: boolean): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(amounts)
      .filter(([name, amount]) => amount > 0 && (withEfa || name !== efaResource))
      .map(([name, amount]) => [name, integerToQuantity(name, amount)]),
  );
}
