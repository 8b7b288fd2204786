/** From the loop to Karpenter's controller, in the same manner. */

import { isPaused } from "#core/state/pause.ts";
import { flightProblems } from "./flight.ts";
import { scaling } from "./handover.ts";
import { phaseWrite, turnedForth } from "./phase-write.ts";
import { rightProblems } from "./preflight.ts";
import { done, type MigrationStep, refused, toDo, unless } from "./step.ts";
import { annotationsOf, isKarpenterThere, phaseOf, replicasAnnotation } from "./view.ts";

/** Karpenter's chart: two, so that one may go. */
const replicasDefault = 2;

export const backPreflight: MigrationStep = {
  name: "preflight",
  does: "looks whether a Karpenter is there to take the cluster, and whether the loop is in the middle of something",
  undo: "nothing was written",
  judge: (view) => {
    const { deployments, missingRights } = view;
    const [deployment, ...others] = deployments;
    const problems = [
      ...rightProblems(missingRights),
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
    // Held or not deployed, nobody but Karpenter would bring to an end what is in flight.
    const isActing = !isPaused(view.state, view.nowMs) && !isKarpenterThere(view);
    const busy = isActing ? flightProblems(view, "the loop") : [];
    return busy.length === 0 ? done : refused(...busy);
  },
};

export const heldBack: MigrationStep = {
  name: "hold",
  does: "holds the deployed loop: its ticks look and do nothing",
  undo: "outrigger migrate",
  judge: (view) => (phaseOf(view) === "back" ? done : toDo("the state's key `pause`", phaseWrite(view, "back"))),
};

export const ownLeaseGone: MigrationStep = unless(turnedForth, {
  name: "lease",
  does: "waits until no invocation of the loop is at work",
  undo: "nothing was written",
  judge: ({ outrigger, karpenter }) =>
    outrigger?.isAlive === true && !karpenter.some(({ isAlive }) => isAlive)
      ? { kind: "wait", what: `the invocation ${outrigger.name} ends` }
      : done,
});

export const scaledUp: MigrationStep = unless(turnedForth, {
  name: "scale-up",
  does: "scales Karpenter's Deployment to what it had",
  undo: ({ deployments }) =>
    deployments
      .map(({ namespace, name }) => `kubectl scale deployment ${name} -n ${namespace} --replicas=0`)
      .join("; "),
  judge: ({ deployments }) => {
    const [deployment] = deployments.filter(({ replicas }) => replicas === 0);
    if (deployment === undefined) return done;
    const before = Number(annotationsOf({ metadata: { annotations: deployment.annotations } })[replicasAnnotation]);
    const replicas = before > 0 ? before : replicasDefault;
    return toDo(`${deployment.name}: to ${replicas}`, scaling(deployment, replicas, null));
  },
});

export const leaseTaken: MigrationStep = unless(turnedForth, {
  name: "karpenter-lease",
  does: "waits until Karpenter holds its lease",
  undo: "nothing was written",
  judge: ({ karpenter }) =>
    karpenter.some(({ isAlive }) => isAlive) ? done : { kind: "wait", what: "Karpenter starts and takes its lease" },
});
