import type { Instance } from "#core/instance.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import { withParameters } from "#ec2/node-class/image-query.ts";
import type { ClusterFacts, Ec2Query, Ec2View, FilterQuery } from "#ec2/view.ts";
import type { Account } from "./account.ts";
import type { ScriptedGap } from "./fault-script.ts";

/** Instances of the cluster: Karpenter's own filter. */
const poolTag = "karpenter.sh/nodepool";
const clusterTag = "eks:eks-cluster-name";

/** Nobody connects to it: the simulated kubelets know their cluster. */
const clusterFacts: ClusterFacts = {
  endpoint: "https://simulated.eks.amazonaws.com",
  certificateAuthority: "c2ltdWxhdGVk",
  serviceCidr: "10.100.0.0/16",
};

/** Answers `query` from the account as it is now, less what a script leaves out. */
export function read(
  query: Ec2Query,
  account: Account,
  catalogue: Catalogue,
  clusterName: string,
  gaps: readonly ScriptedGap[],
): CloudObservation<Ec2View> {
  const cut = <T>(what: string, items: readonly T[]): readonly T[] => {
    const gap = gaps.find((each) => each.what === what);
    if (gap === undefined) return items;
    return gap.how === "nothing" ? [] : items.filter((_, i) => i % 2 === 0);
  };
  const parameters = Object.fromEntries(
    cut("parameters", query.parameters).flatMap((name) => {
      const value = account.images.parameter(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const answers = <T>(queries: readonly FilterQuery[], answer: (each: FilterQuery) => readonly T[]) =>
    Object.fromEntries(queries.map((each) => [each.key, answer(each)]));
  return {
    instances: cut("instances", account.instances.observed().filter(isOf(clusterName))),
    incomplete: gaps.map(({ what }) => what),
    view: {
      ...(gaps.some(({ what }) => what === "catalogue") ? {} : { catalogue }),
      subnets: answers(query.subnets, (each) => cut("subnets", account.network.describeSubnets(each))),
      securityGroups: answers(query.securityGroups, (each) =>
        cut("securityGroups", account.network.describeSecurityGroups(each)),
      ),
      images: answers(query.images, (each) => cut("images", account.images.describe(withParameters(each, parameters)))),
      parameters,
      clusterFacts,
      // What is made for a class here costs nothing and is left: there is nothing to collect.
      ownTemplates: [],
      ...(gaps.some(({ what }) => what === "instanceProfiles") ? {} : { ownProfiles: [] }),
      capacityReservations: answers(query.capacityReservations ?? [], (each) => account.reservations.describe(each)),
      placementGroups: answers(query.placementGroups ?? [], (each) => account.reservations.describeGroups(each)),
      instanceProfiles: Object.fromEntries(
        cut("instanceProfiles", query.roles).flatMap((role) => {
          const name = account.profiles.ofRole(role);
          return name === undefined ? [] : [[role, name]];
        }),
      ),
    },
  };
}

function isOf(clusterName: string): (instance: Instance) => boolean {
  return ({ tags }) => tags[poolTag] !== undefined && tags[clusterTag] === clusterName;
}
