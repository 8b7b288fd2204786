import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { formatTime } from "#api/time.ts";
import { isTrue } from "#core/condition.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { nodePoolUsage } from "#core/provisioning/node-pool-usage.ts";
import { indicesOf } from "#core/scheduling/instance-types/bitset.ts";
import { describeAmount } from "#core/scheduling/resources/amount-text.ts";
import { resourcesOf } from "#core/scheduling/resources/resources.ts";
import { stateNodes } from "#core/state/state-node.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Look } from "../plan/decide.ts";
import { claimDocument } from "../plan/document.ts";
import { poolTypes } from "../plan/pool-types.ts";
import { choiceText, podsText } from "../plan/text.ts";
import { allowanceRows, budgetRows } from "./budgets.ts";
import { type Explanation, sectionsOf } from "./explanation.ts";
import { offHoursRows } from "./off-hours.ts";
import { tickReasons } from "./tick-reasons.ts";

export function explainNodePool(look: Look, nodePool: NodePool): Explanation {
  const { name } = nodePool.metadata;
  const isReady = isTrue(nodePool, "Ready");
  const claims = look.plan.claims.filter(({ planned }) => planned.nodePool.metadata.name === name).map(claimDocument);
  const said = tickReasons(look, "NodePool", name);
  const weight = nodePool.spec.weight === undefined ? "no weight" : `weight ${nodePool.spec.weight}`;
  return {
    kind: "NodePool",
    name,
    verdict: isReady ? `is ready (${weight})` : `is not ready: ${said[0] ?? "its condition Ready is not True"}`,
    found: !isReady,
    sections: sectionsOf(
      { title: "Off-hours", rows: offHoursRows(look.snapshot, nodePool) },
      { title: "Limits", rows: limitRows(look, nodePool) },
      { title: "Instance types", rows: typeRows(look, nodePool) },
      {
        title: `Nodes that may be disrupted now (${formatTime(look.snapshot.nowMs)})`,
        rows: allowanceRows(look.snapshot, nodePool),
      },
      { title: "Disruption budgets", rows: budgetRows(nodePool, look.snapshot.nowMs) },
      {
        title: "New NodeClaims",
        rows: claims.map((claim) => `${claim.name}: ${choiceText(claim.cheapest)} for ${podsText(claim.pods)}`),
      },
      { title: "This tick", rows: said },
    ),
  };
}

function limitRows({ snapshot }: Look, { metadata, spec }: NodePool): readonly string[] {
  const typesOf = (answer: ReturnType<typeof ec2Provider.instanceTypes>): readonly InstanceType[] =>
    answer.kind === "known" ? answer.instanceTypes : [];
  const usage = nodePoolUsage(stateNodes(snapshot.cluster), (claim) =>
    typesOf(ec2Provider.instanceTypesOfClaim(snapshot, claim)),
  ).get(metadata.name);
  const rows = Object.entries(resourcesOf(spec.limits, "down")).map(([resource, limit]) => {
    const used = usage?.[resource] ?? 0;
    return `${resource}: ${describeAmount(resource, used)} of ${describeAmount(resource, limit)} used`;
  });
  return rows.length === 0 ? ["none"] : rows.sort();
}

function typeRows({ snapshot }: Look, nodePool: NodePool): readonly string[] {
  const answer = poolTypes(snapshot, nodePool);
  if (answer.kind === "unknown") return [`not known: ${answer.message}`];
  const { index, set } = answer;
  const launchable = new Set(indicesOf(index.launchable(set)));
  const cheapest = index.priceOrder(set).find((type) => launchable.has(type));
  const offering = cheapest === undefined ? undefined : index.availableOfferings(cheapest, set)[0];
  const compatible = indicesOf(index.compatible(set)).length;
  return [
    `${index.types.length} in its node class, ${compatible} meet its requirements, ${launchable.size} of them can be had`,
    ...(cheapest === undefined || offering === undefined
      ? []
      : [`the cheapest is ${choiceText({ ...offering, instanceType: index.types[cheapest]?.name ?? "" })}`]),
  ];
}
