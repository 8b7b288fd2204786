import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { dollars } from "#core/dollars.ts";
import { objectName } from "#core/object-ref.ts";
import { isOwnedByDaemonSet } from "#core/pod/pod-predicates.ts";
import { existingNode } from "#core/scheduling/nodes/cluster-capacity.ts";
import { describeTaint } from "#core/scheduling/requirements/taints.ts";
import { describeAmount } from "#core/scheduling/resources/amount-text.ts";
import { daemonsOf } from "#core/scheduling/resources/daemon-overhead.ts";
import { podRequests, resourcesOf, sum } from "#core/scheduling/resources/resources.ts";
import { type StateNode, stateNodes } from "#core/state/state-node.ts";
import { nodePrices } from "../plan/cost.ts";
import type { Look } from "../plan/decide.ts";
import { podsText } from "../plan/text.ts";
import { type Explanation, sectionsOf } from "./explanation.ts";
import { tickReasons } from "./tick-reasons.ts";

export function explainNode(look: Look, node: Node): Explanation {
  const { name } = node.metadata;
  const { cluster } = look.snapshot;
  const state = stateNodes(cluster).find((one) => one.node?.metadata.name === name);
  const claim = state?.claim?.metadata.name;
  const placed = look.plan.placements.find((one) => one.node.kind === "node" && one.node.name === name);
  const said = [
    ...tickReasons(look, "Node", name),
    ...(claim === undefined ? [] : tickReasons(look, "NodeClaim", claim)),
  ];
  return {
    kind: "Node",
    name,
    verdict: verdictOf(look, node, claim),
    found: false,
    sections: sectionsOf(
      { title: "Taints", rows: (node.spec.taints ?? []).map(describeTaint) },
      { title: "Room", rows: state === undefined ? [] : roomRows(look, state) },
      { title: "Pods", rows: (state?.pods ?? []).map(podRow) },
      {
        title: "Waiting pods that should schedule there",
        rows: placed === undefined ? [] : [podsText(placed.pods.map(nameOf))],
      },
      { title: "This tick", rows: [...new Set(said)] },
    ),
  };
}

function verdictOf(look: Look, { metadata }: Node, claim: string | undefined): string {
  const { labels = {} } = metadata;
  const price = nodePrices(look)(metadata.name);
  const machine = [labels[instanceTypeLabel], labels[capacityTypeLabel], labels[zoneLabel]].filter(
    (text) => text !== undefined,
  );
  const facts = [
    ...(machine.length === 0 ? [] : [machine.join(" ")]),
    price === undefined ? "price not known" : `${dollars(price)} an hour`,
    claim === undefined ? "no NodeClaim: not made by Outrigger" : `NodeClaim ${claim}`,
    ...(labels[nodePoolLabel] === undefined ? [] : [`NodePool ${labels[nodePoolLabel]}`]),
  ];
  return facts.join(", ");
}

function roomRows({ snapshot: { cluster } }: Look, state: StateNode): readonly string[] {
  const free = existingNode(state, daemonsOf(cluster.daemonSets, cluster.pods))?.free ?? {};
  const allocatable = resourcesOf(state.node?.status?.allocatable, "down");
  const asked = state.pods.map(({ spec, status }) => podRequests(spec, status)).reduce(sum, {});
  return Object.entries(allocatable)
    .filter(([, amount]) => amount > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => {
      const [all, taken, left] = [amount, asked[name] ?? 0, free[name] ?? 0].map((n) => describeAmount(name, n));
      return `${name}: ${all} allocatable, ${taken} asked for by its pods, ${left} free after daemons to come`;
    });
}

function podRow(pod: Pod): string {
  const { cpu = 0, memory = 0 } = podRequests(pod.spec, pod.status);
  const daemon = isOwnedByDaemonSet(pod) ? ", DaemonSet" : "";
  return `${nameOf(pod)} (cpu ${describeAmount("cpu", cpu)}, memory ${describeAmount("memory", memory)}${daemon})`;
}

function nameOf({ metadata }: Pod): string {
  return objectName(metadata);
}
