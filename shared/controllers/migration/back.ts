/** From the loop to Karpenter's controller, in the same manner. */

import { fieldAt } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { scaling } from "./handover.ts";
import { done, type MigrationStep, refused, toDo } from "./step.ts";
import { annotationsOf, isOurs, metadataOf, phaseData, phaseOf, replicasAnnotation, titleOf } from "./view.ts";

/** Karpenter's chart: two, so that one may go. */
const replicasDefault = 2;

export const backPreflight: MigrationStep = {
  name: "preflight",
  does: "looks whether a Karpenter is there to take the cluster, and whether the loop is in the middle of something",
  undo: "nothing was written",
  judge: (view) => {
    const { deployments, objects, karpenter } = view;
    const [deployment, ...others] = deployments;
    const problems = [
      ...(deployment === undefined
        ? [
            "no Deployment of Karpenter is there: `helm upgrade --install karpenter oci://public.ecr.aws/karpenter/karpenter --version 1.14.1 -n kube-system --set replicas=0`",
          ]
        : []),
      ...(others.length > 0 ? ["more than one Deployment of Karpenter is there"] : []),
      ...(deployment?.version?.startsWith("0.") === true
        ? [
            `Deployment ${deployment.name} is Karpenter ${deployment.version}, which cannot read v1 alone; install 1.1 or newer`,
          ]
        : []),
    ];
    if (problems.length > 0) return refused(...problems);
    // Once Karpenter acts, what is in flight is its own.
    if (phaseOf(view) === "back" && karpenter.some(({ isAlive }) => isAlive)) return done;
    const busy = objects
      .filter((object) => object.kind === "NodeClaim" && isOurs(object) && isInFlight(object))
      .map(titleOf);
    return busy.length === 0
      ? done
      : refused(`in flight: ${busy.slice(0, 5).join(", ")}; wait until the loop is done with them`);
  },
};

function isInFlight(claim: Parameters<typeof metadataOf>[0]): boolean {
  const conditions = fieldAt(claim, ["status", "conditions"]);
  const initialized = Array.isArray(conditions)
    ? conditions.find((one) => isJsonObject(one) && one.type === "Initialized")
    : undefined;
  const isReady = isJsonObject(initialized) && initialized.status === "True";
  return metadataOf(claim).deletionTimestamp !== undefined || !isReady;
}

export const heldBack: MigrationStep = {
  name: "hold",
  does: "holds the deployed loop: its ticks look and do nothing",
  undo: "outrigger migrate",
  judge: (view) =>
    phaseOf(view) === "back"
      ? done
      : toDo("the state's key `pause`", { kind: "patch-state", data: phaseData("back", view.nowMs) }),
};

export const ownLeaseGone: MigrationStep = {
  name: "lease",
  does: "waits until no invocation of the loop is at work",
  undo: "nothing was written",
  judge: ({ outrigger, karpenter }) =>
    outrigger?.isAlive === true && !karpenter.some(({ isAlive }) => isAlive)
      ? { kind: "wait", what: `the invocation ${outrigger.name} ends` }
      : done,
};

export const scaledUp: MigrationStep = {
  name: "scale-up",
  does: "scales Karpenter's Deployment to what it had",
  undo: "kubectl scale deployment karpenter -n kube-system --replicas=0",
  judge: ({ deployments }) => {
    const [deployment] = deployments.filter(({ replicas }) => replicas === 0);
    if (deployment === undefined) return done;
    const before = Number(annotationsOf({ metadata: { annotations: deployment.annotations } })[replicasAnnotation]);
    const replicas = before > 0 ? before : replicasDefault;
    return toDo(`${deployment.name}: to ${replicas}`, scaling(deployment, replicas, null));
  },
};

export const leaseTaken: MigrationStep = {
  name: "karpenter-lease",
  does: "waits until Karpenter holds its lease",
  undo: "nothing was written",
  judge: ({ karpenter }) =>
    karpenter.some(({ isAlive }) => isAlive) ? done : { kind: "wait", what: "Karpenter starts and takes its lease" },
};
