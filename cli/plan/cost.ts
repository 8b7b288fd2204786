import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Reason } from "#core/reason.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Look } from "./decide.ts";

export interface Cost {
  /** Of the nodes that are there, as far as their price is known. */
  readonly nowPerHour: number;
  /** With the new ones, each as the cheapest machine that it may become, and without those that are disrupted. */
  readonly plannedPerHour: number;
  /** Names of nodes whose type, zone or capacity type is not known or has no price. */
  readonly unpriced: readonly string[];
  /** Where the prices come from, in words. */
  readonly prices: string;
}

/** A recording does not say whether its account was a real one. */
const spotPrices: Readonly<Record<Look["account"], string>> = {
  simulated: "are synthesised",
  real: "as they are now",
  recorded: "as they were seen",
};

export function costOf(look: Look): Cost {
  const { snapshot, plan, account } = look;
  const priceOf = nodePrices(look);
  const prices = snapshot.cluster.nodes.map(({ metadata }) => ({ name: metadata.name, price: priceOf(metadata.name) }));
  const nowPerHour = prices.reduce((total, { price = 0 }) => total + price, 0);
  const added = plan.claims.reduce((total, { planned }) => total + planned.cheapest.pricePerHour, 0);
  return {
    nowPerHour: cents(nowPerHour),
    plannedPerHour: cents(nowPerHour + added + disruptionPerHour(look.reasons)),
    unpriced: prices.flatMap(({ name, price }) => (price === undefined ? [name] : [])).sort(),
    prices: `list prices, spot prices ${spotPrices[account]}`,
  };
}

/** What the commands of disruption add; they say it of each of their nodes, in the same words. */
function disruptionPerHour(reasons: readonly Reason[]): number {
  const commands = new Map(
    reasons.filter(({ code }) => code === "node-disrupted").map((one) => [one.message, one.data]),
  );
  const changes = [...commands.values()].map((data) => {
    const { costBeforePerHour: before, costAfterPerHour: after } = data ?? {};
    return typeof before === "number" && typeof after === "number" ? after - before : 0;
  });
  return changes.reduce((total, change) => total + change, 0);
}

/** Per hour, by the name of a node; undefined when it is not known. */
export function nodePrices({ snapshot }: Look): (nodeName: string) => number | undefined {
  const types = new Map<string, InstanceType>();
  for (const nodePool of snapshot.cluster.nodePools) {
    const answer = ec2Provider.instanceTypes(snapshot, nodePool);
    if (answer.kind === "known") for (const type of answer.instanceTypes) types.set(type.name, type);
  }
  const nodes = new Map(snapshot.cluster.nodes.map((node) => [node.metadata.name, node]));
  return (nodeName) => {
    const labels = nodes.get(nodeName)?.metadata.labels ?? {};
    const offering = types
      .get(labels[instanceTypeLabel] ?? "")
      ?.offerings.find(
        ({ zone, capacityType }) =>
          zone === labels[zoneLabel] && capacityType === (labels[capacityTypeLabel] ?? "on-demand"),
      );
    return offering === undefined || offering.pricePerHour <= 0 ? undefined : offering.pricePerHour;
  };
}

/** To a hundredth of a cent: sums of prices have long tails. */
function cents(perHour: number): number {
  return Math.round(perHour * 10_000) / 10_000;
}
