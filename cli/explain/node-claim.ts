import { capacityTypeLabel, instanceTypeLabel, nodePoolLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isTrue } from "#core/condition.ts";
import type { PlannedNodeClaim } from "#core/provisioning/plan.ts";
import type { Look } from "../plan/decide.ts";
import { claimDocument } from "../plan/document.ts";
import { claimFacts, podsText } from "../plan/text.ts";
import { type Explanation, sectionsOf } from "./explanation.ts";
import { tickReasons } from "./tick-reasons.ts";

export function explainPlannedClaim(planned: PlannedNodeClaim): Explanation {
  const document = claimDocument(planned);
  const { minValuesRelaxed } = planned.planned;
  return {
    kind: "NodeClaim",
    name: document.name,
    verdict: `would be made for ${podsText(document.pods)}, from NodePool ${document.nodePool}`,
    found: false,
    sections: sectionsOf(
      { title: "What it may become", rows: claimFacts(document) },
      { title: "Note", rows: minValuesRelaxed ? ["minValues could not be met and were lowered (BestEffort)"] : [] },
      { title: "Instance types, the cheapest first", rows: [document.instanceTypes.join(" ")] },
    ),
  };
}

export function explainClaim(look: Look, claim: NodeClaim): Explanation {
  const { name } = claim.metadata;
  const conditions = (claim.status?.conditions ?? []).map(({ type, status, reason, message }) => {
    const why =
      status === "True" ? "" : `: ${[reason, message].filter((text) => text !== "" && text !== type).join(", ")}`;
    return `${type} ${status}${why}`;
  });
  const placed = look.plan.placements.find(({ node }) => node.kind === "claim" && node.name === name);
  return {
    kind: "NodeClaim",
    name,
    verdict: verdictOf(claim),
    found: false,
    sections: sectionsOf(
      { title: "Conditions", rows: conditions },
      {
        title: "Waiting pods that should schedule there",
        rows: placed === undefined ? [] : [podsText(placed.pods.map(({ metadata }) => metadata.name))],
      },
      { title: "This tick", rows: tickReasons(look, "NodeClaim", name) },
    ),
  };
}

function verdictOf({ metadata, status, ...claim }: NodeClaim): string {
  const { labels = {} } = metadata;
  const pool = labels[nodePoolLabel] === undefined ? "" : ` of NodePool ${labels[nodePoolLabel]}`;
  const facts = [labels[instanceTypeLabel], labels[capacityTypeLabel], labels[zoneLabel]].filter(
    (text) => text !== undefined,
  );
  const machine = status?.providerID === undefined ? "not launched yet" : facts.join(" ");
  const node = status?.nodeName === undefined ? "without node yet" : `node ${status.nodeName}`;
  if (metadata.deletionTimestamp !== undefined) return `is going away (${machine}, ${node})${pool}`;
  const whole = { metadata, ...claim, ...(status === undefined ? {} : { status }) };
  return `${isTrue(whole, "Initialized") ? "is up" : "is on its way"} (${machine}, ${node})${pool}`;
}
