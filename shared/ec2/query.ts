import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Settings } from "#core/settings.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { distinctQueries } from "./node-class/filter-query.ts";
import { imageParameters, imageQueries } from "./node-class/image-query.ts";
import { securityGroupQueries, subnetQueries } from "./node-class/network-queries.ts";
import { ec2NodeClassesOf } from "./node-class/node-class.ts";
import type { Ec2Query } from "./view.ts";

/** All reads that the cluster's EC2NodeClasses ask for, each once, in a fixed order. */
export function ec2Query(cluster: ClusterView, settings: Settings): Ec2Query {
  const specs = ec2NodeClassesOf(cluster).map(({ spec }: EC2NodeClass) => spec);
  const version = settings.kubernetesVersion;
  return {
    subnets: distinctQueries(specs.flatMap(subnetQueries)),
    securityGroups: distinctQueries(specs.flatMap(securityGroupQueries)),
    images: distinctQueries(specs.flatMap((spec) => imageQueries(spec, version))),
    parameters: distinctTexts(specs.flatMap((spec) => imageParameters(spec, version))),
    roles: distinctTexts(specs.flatMap(({ role }) => (role === undefined ? [] : [role]))),
  };
}

function distinctTexts(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}
