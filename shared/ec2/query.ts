/**
 * Karpenter counterpart: the List calls of pkg/providers/{subnet,securitygroup,amifamily,ssm,instanceprofile}, made class
 * by class behind caches of a minute and more. It differs: one set of queries a tick, each asked once.
 */
import type { Settings } from "#core/settings.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { capacityReservationQueries } from "./node-class/capacity-reservations.ts";
import { dryRunOf } from "./node-class/dry-run.ts";
import { distinctQueries } from "./node-class/filter-query.ts";
import { imageParameters, imageQueries } from "./node-class/image-query.ts";
import { roleName } from "./node-class/instance-profile.ts";
import { securityGroupQueries, subnetQueries } from "./node-class/network-queries.ts";
import { ec2NodeClassesOf } from "./node-class/node-class.ts";
import { placementGroupQueries } from "./node-class/placement-group.ts";
import { ec2Settings } from "./settings.ts";
import type { Ec2Query } from "./view.ts";

/** All reads that the cluster's EC2NodeClasses ask for, each once, in a fixed order. */
export function ec2Query(cluster: ClusterView, from: Settings): Ec2Query {
  const settings = ec2Settings(from);
  const classes = ec2NodeClassesOf(cluster);
  const specs = classes.map(({ spec }) => spec);
  const version = settings.kubernetesVersion;
  return {
    subnets: distinctQueries(specs.flatMap(subnetQueries)),
    securityGroups: distinctQueries(specs.flatMap(securityGroupQueries)),
    images: distinctQueries(specs.flatMap((spec) => imageQueries(spec, version))),
    parameters: distinctTexts(specs.flatMap((spec) => imageParameters(spec, version))),
    roles: distinctTexts(specs.flatMap(({ role }) => (role === undefined ? [] : [roleName(role)]))),
    capacityReservations: settings.featureGates.reservedCapacity
      ? distinctQueries(specs.flatMap(capacityReservationQueries))
      : [],
    placementGroups: distinctQueries(specs.flatMap(placementGroupQueries)),
    dryRuns: classes.flatMap((nodeClass) => dryRunOf(nodeClass, settings) ?? []),
  };
}

function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
