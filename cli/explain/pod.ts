import type { Pod } from "#api/core-v1/pod.ts";
import { objectName } from "#core/object-ref.ts";
import {
  failedToSchedule,
  isMirror,
  isOwnedByDaemonSet,
  isPreempting,
  isTerminal,
  isTerminating,
} from "#core/pod/pod-predicates.ts";
import { describeAmount } from "#core/scheduling/resources/amount-text.ts";
import { podRequests } from "#core/scheduling/resources/resources.ts";
import type { Unplaced } from "#core/scheduling/solution.ts";
import type { Look } from "../plan/decide.ts";
import { claimDocument, gatesOf } from "../plan/document.ts";
import { claimFacts } from "../plan/text.ts";
import { usualScheduler } from "../simulate/unplaced.ts";
import { type Explanation, type Section, sectionsOf } from "./explanation.ts";
import { podOptions } from "./pool-verdicts.ts";

interface Answer {
  readonly verdict: string;
  readonly found: boolean;
  readonly sections?: readonly Section[];
}

export function explainPod(look: Look, pod: Pod): Explanation {
  const answer = planned(look, pod) ?? { verdict: notInThePlan(pod), found: false };
  const asks = Object.entries(podRequests(pod.spec, pod.status)).map(
    ([name, n]) => `${name} ${describeAmount(name, n)}`,
  );
  return {
    kind: "Pod",
    name: objectName(pod.metadata),
    verdict: answer.verdict,
    found: answer.found,
    sections: sectionsOf({ title: "It asks for", rows: [asks.join(", ")] }, ...(answer.sections ?? [])),
  };
}

function planned(look: Look, pod: Pod): Answer | undefined {
  const { claims, placements, unschedulable, deferred, ignored } = look.plan;
  const name = objectName(pod.metadata);
  const isHere = ({ pods }: { readonly pods: readonly Pod[] }): boolean =>
    pods.some(({ metadata }) => objectName(metadata) === name);
  const claim = claims.find(({ planned: own }) => isHere(own));
  if (claim !== undefined) {
    const { nodeClaim } = claim;
    const document = claimDocument(claim);
    const verdict = `should schedule on a new node: NodeClaim ${nodeClaim.metadata.name} of NodePool ${document.nodePool}`;
    const count = document.pods.length;
    const facts = [`for ${count} ${count === 1 ? "pod" : "pods"}`, ...claimFacts(document)];
    return {
      verdict,
      found: false,
      sections: [{ title: "That NodeClaim", rows: facts }, ...optionSections(look, pod)],
    };
  }
  const place = placements.find(isHere);
  if (place !== undefined) {
    const { kind, name: where } = place.node;
    return {
      verdict: `should schedule on ${kind === "node" ? "node" : "NodeClaim"} ${where}, which has room`,
      found: false,
    };
  }
  const without = (list: readonly Unplaced[]): string | undefined => list.find(isHere)?.message;
  const refusal = without(unschedulable);
  if (refusal !== undefined)
    return { verdict: `has no place: ${refusal}`, found: true, sections: optionSections(look, pod) };
  const wait = without(deferred);
  if (wait !== undefined) return { verdict: wait, found: true };
  const ignoring = without(ignored);
  return ignoring === undefined ? undefined : { verdict: `makes no demand: ${ignoring}`, found: false };
}

function optionSections(look: Look, pod: Pod): readonly Section[] {
  const { pools, nodes } = podOptions(look, pod);
  return [
    { title: "NodePools, in the order in which they are tried", rows: pools },
    { title: "Nodes that are there", rows: nodes },
  ];
}

/** Why the plan does not speak of it; the first that holds. */
function notInThePlan(pod: Pod): string {
  const { nodeName } = pod.spec;
  if (isTerminal(pod)) return `is over (${pod.status?.phase}); it needs no node`;
  if (nodeName !== undefined) return `has its node: ${nodeName}`;
  if (isTerminating(pod)) return "is being deleted and has no node; no node is made for it";
  const gates = gatesOf(pod);
  if (gates.length > 0) return `is not up for scheduling before its gates go: ${gates.join(", ")}`;
  if (isOwnedByDaemonSet(pod)) return "belongs to a DaemonSet: it comes with its node, no node is made for it";
  if (isMirror(pod)) return "is a static pod of its node";
  if (isPreempting(pod)) return `waits for pods that it displaces on node ${pod.status?.nominatedNodeName}`;
  if (!failedToSchedule(pod)) {
    return `${schedulerOf(pod)} has not marked it Unschedulable, and before that no node is made for it`;
  }
  return "asks for a node that no NodePool makes (karpenter.sh/nodepool must not exist): it is left to others";
}

function schedulerOf({ spec: { schedulerName = usualScheduler } }: Pod): string {
  return schedulerName === usualScheduler ? "kube-scheduler" : `its scheduler ${schedulerName}`;
}
