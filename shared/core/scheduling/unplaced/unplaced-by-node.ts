/**
 * What keeps the nodes that are there from taking a pod; see unplaced.ts. Karpenter counterpart: the errors of
 * pkg/controllers/provisioning/scheduling/existingnode.go, Add. It differs: nodes with the same obstacle are counted
 * together, each kind with one example and its numbers.
 */

import type { NodeInWork, Tolerance } from "../nodes/existing-node.ts";
import type { Ask } from "../pods/ask.ts";
import { describeRequirement } from "../requirements/requirement-text.ts";
import { labelsMeet } from "../requirements/requirements.ts";
import { describeTaint, firstUntolerated } from "../requirements/taints.ts";
import { describeAmount, describeResource } from "../resources/amount-text.ts";
import type { Dimensions } from "../resources/resource-vector.ts";

type AskOfNode = Ask & { readonly tolerance: Tolerance };

/** "existing nodes: 1 with an untolerated taint (…), 2 without room (…)": undefined when there are no nodes. */
export function nodesObstacle(
  nodes: readonly NodeInWork[],
  step: AskOfNode,
  dimensions: Dimensions,
): string | undefined {
  if (nodes.length === 0) return undefined;
  const rest = new Set(nodes);
  const out = (isOut: (node: NodeInWork) => boolean): readonly NodeInWork[] => {
    const found = [...rest].filter(isOut);
    for (const node of found) rest.delete(node);
    return found;
  };
  const taintOf = ({ node }: NodeInWork) => firstUntolerated(node.taints, step.tolerance.tolerations);
  const tainted = out((node) => taintOf(node) !== undefined);
  const unlike = out((node) => !node.meets(step.alternatives));
  const full = out((node) => lacks(node, step).length > 0);
  const ported = out((node) => node.portConflict(step.hostPorts) !== undefined);
  const parts = [
    inWords(tainted, "with an untolerated taint", (node) => {
      const taint = taintOf(node);
      return taint === undefined ? "" : describeTaint(taint);
    }),
    inWords(unlike, "with other labels", (node) => unmetBy(node, step)),
    inWords(full, "without room", () => shortOf(full, step, dimensions)),
    inWords(ported, "with its host port taken", (node) => {
      const port = node.portConflict(step.hostPorts);
      return port === undefined ? "" : `${port.port}/${port.protocol}`;
    }),
    inWords([...rest], "where rules between pods keep it away", () => ""),
  ];
  return `existing nodes: ${parts.filter((part) => part !== "").join(", ")}`;
}

function inWords(nodes: readonly NodeInWork[], what: string, detailOf: (node: NodeInWork) => string): string {
  const [first] = nodes;
  if (first === undefined) return "";
  const detail = detailOf(first);
  return `${nodes.length} ${what}${detail === "" ? "" : ` (${detail})`}`;
}

/** Dimensions of which the node has too little. */
function lacks({ free }: NodeInWork, { requests }: Ask): readonly number[] {
  return [...requests.keys()].filter((d) => (requests[d] ?? 0) > 0 && (requests[d] ?? 0) > (free[d] ?? 0));
}

/** What all of them lack; where each lacks another thing, what the one lacks that comes closest. */
function shortOf(nodes: readonly NodeInWork[], step: Ask, dimensions: Dimensions): string {
  const wantedOf = (d: number): number => step.requests[d] ?? 0;
  for (const [d, name] of dimensions.names.entries()) {
    const most = Math.max(0, ...nodes.map(({ free }) => free[d] ?? 0));
    if (wantedOf(d) > most) {
      return `${describeResource(name)}: ${describeAmount(name, wantedOf(d))} wanted, at most ${describeAmount(name, most)} free`;
    }
  }
  let closest: { readonly share: number; readonly text: string } | undefined;
  for (const node of nodes) {
    for (const d of lacks(node, step)) {
      const [wanted, free] = [wantedOf(d), Math.max(0, node.free[d] ?? 0)];
      const share = (wanted - free) / wanted;
      if (closest !== undefined && closest.share <= share) continue;
      const name = dimensions.names[d] ?? "";
      const amounts = `${describeAmount(name, wanted)} wanted, ${describeAmount(name, free)} free`;
      closest = { share, text: `the closest, ${node.node.name}: ${describeResource(name)}: ${amounts}` };
    }
  }
  return closest?.text ?? "";
}

/** The first rule that the node's labels do not meet. */
function unmetBy({ node: { is } }: NodeInWork, { alternatives }: Ask): string {
  if (!("labels" in is)) return "";
  const [first] = alternatives;
  const rules = [...(first?.requirements.values() ?? [])].sort((a, b) => (a.key < b.key ? -1 : 1));
  const unmet = rules.find((rule) => !labelsMeet(is.labels, new Map([[rule.key, rule]])));
  if (unmet === undefined) return "";
  const has = Object.hasOwn(is.labels, unmet.key) ? `it has ${is.labels[unmet.key]}` : "the label is not there";
  return `${describeRequirement(unmet)} is wanted, ${has}`;
}
