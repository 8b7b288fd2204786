/**
 * The plan in words: of each pod where it goes or why nowhere, of each claim why it is what it is. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/events.go. It differs: claims say why they are what they are.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { dollars } from "../dollars.ts";
import { objectName, refOf } from "../object-ref.ts";
import type { Reason, ReasonCode } from "../reason.ts";
import type { LaunchChoice, PlacedOnNode, PlannedClaim, Unplaced } from "../scheduling/solution.ts";
import type { Plan, PlannedNodeClaim } from "./plan.ts";

/** Order: pools that were left out, claims, pods with a place, pods without one. */
export function reasonsOf(plan: Plan): readonly Reason[] {
  return [
    ...plan.reasons,
    ...plan.claims.map(claimReason),
    ...plan.placements.flatMap(placementReasons),
    ...plan.claims.flatMap(newClaimReasons),
    ...plan.unschedulable.flatMap((unplaced) =>
      unplaced.pods.map((pod) => unplacedReason(pod, unplaced, plan.leaving)),
    ),
    ...plan.deferred.flatMap(({ pods, message }) => pods.map((pod) => reasonOf(pod, "pod-deferred", message))),
    ...plan.ignored.flatMap(({ pods, message }) => pods.map((pod) => reasonOf(pod, "pod-ignored", message))),
  ];
}

function placementReasons({ node, pods }: PlacedOnNode): readonly Reason[] {
  const code = node.kind === "node" ? "pod-placed-on-node" : "pod-placed-on-claim";
  const kind = node.kind === "node" ? "node" : "nodeclaim";
  return pods.map((pod) => nominated(pod, code, `should schedule on ${kind} ${node.name}`, { [kind]: node.name }));
}

function newClaimReasons({ nodeClaim, planned }: PlannedNodeClaim): readonly Reason[] {
  const { name } = nodeClaim.metadata;
  const message = `should schedule on a new node: nodeclaim ${name} of NodePool ${planned.nodePool.metadata.name}`;
  const onceWritten = { kind: "NodeClaim", name } as const;
  return planned.pods.map((pod) => ({
    ...nominated(pod, "pod-placed-on-new-claim", message, { nodeclaim: name }),
    onceWritten,
  }));
}

function nominated(pod: Pod, code: ReasonCode, message: string, data: NonNullable<Reason["data"]>): Reason {
  return { ...reasonOf(pod, code, message), data, event: { type: "Normal", reason: "Nominated" } };
}

/** A pod that still runs on a node that is going away is not failing to schedule: no event. */
function unplacedReason(pod: Pod, { message, resting }: Unplaced, leaving: ReadonlySet<string>): Reason {
  const said = reasonOf(pod, "pod-unschedulable", message);
  const reason = resting === undefined ? said : { ...said, data: { resting } };
  const runs = leaving.has(objectName(pod.metadata));
  return runs ? reason : { ...reason, event: { type: "Warning", reason: "FailedScheduling" } };
}

function reasonOf(pod: Pod, code: ReasonCode, message: string): Reason {
  return { about: refOf("Pod", pod), code, message };
}

/** Why the claim is what it is. */
export function claimReason({ nodeClaim, planned }: PlannedNodeClaim): Reason {
  const { cheapest, runnerUp, considered, pods } = planned;
  const why = choiceInWords(planned);
  return {
    about: { kind: "NodeClaim", name: nodeClaim.metadata.name },
    code: "claim-created",
    message: `for ${pods.length} ${pods.length === 1 ? "pod" : "pods"}: ${why}`,
    data: {
      nodePool: planned.nodePool.metadata.name,
      pods: pods.map(({ metadata }) => objectName(metadata)),
      typesOffered: considered.all,
      typesLaunchable: considered.launchable,
      typesConsidered: considered.fitting,
      cheapestType: cheapest.instanceType,
      zone: cheapest.zone,
      capacityType: cheapest.capacityType,
      pricePerHour: cheapest.pricePerHour,
      ...(runnerUp === undefined
        ? {}
        : { runnerUp: runnerUp.instanceType, runnerUpPricePerHour: runnerUp.pricePerHour }),
      why,
    },
  };
}

function choiceInWords({ cheapest, runnerUp, considered }: PlannedClaim): string {
  const next = runnerUp === undefined ? "there is no other" : `the next is ${choice(runnerUp)}`;
  return (
    `${considered.fitting} of ${considered.all} instance types meet the requirements and have room; ` +
    `the cheapest is ${choice(cheapest)}, ${next}`
  );
}

function choice({ instanceType, capacityType, zone, pricePerHour }: LaunchChoice): string {
  return `${instanceType} ${capacityType} in ${zone} at ${dollars(pricePerHour)} an hour`;
}
