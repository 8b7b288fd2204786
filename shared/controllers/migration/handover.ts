/** From Karpenter's controller to the loop: it is held first, so that never two of them act. */

import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { parseObject } from "#api/parse.ts";
import type { PatchMetadata } from "#core/command.ts";
import { hashPatches } from "#core/nodepool/hash-annotations.ts";
import { classHashPatches } from "#ec2/drift/class-hash-annotations.ts";
import type { MergePatch } from "#ports/raw-objects.ts";
import { karpenterReturned, phaseWrite, scaledAgain, turnedBack } from "./phase-write.ts";
import { deploymentKind } from "./served-kinds.ts";
import { done, type MigrationStep, refused, type StepState, toDo, unless } from "./step.ts";
import {
  isKarpenterThere,
  isOurs,
  type KarpenterDeployment,
  type MigrationView,
  pauseBeforeKey,
  phaseKey,
  phaseOf,
  replicasAnnotation,
} from "./view.ts";

export const rehearsed: MigrationStep = {
  name: "rehearsal",
  does: "decides the loop's first tick on a copy, and stops if it cannot be decided or would end nodes",
  undo: "nothing was written",
  judge: (view) => {
    const isPast = !isKarpenterThere(view) && turnedBack(view) === undefined;
    return isPast || view.isRehearsed ? done : toDo("one tick, on a copy", { kind: "rehearse" });
  },
};

export const held: MigrationStep = {
  name: "hold",
  does: "holds the deployed loop: its ticks look and do nothing",
  undo: ({ state }) => {
    const data = { pause: state[pauseBeforeKey] ?? null, [phaseKey]: null, [pauseBeforeKey]: null };
    return `kubectl patch configmap outrigger -n kube-system --type=merge -p '${JSON.stringify({ data })}'`;
  },
  judge: (view) => {
    const phase = phaseOf(view);
    // On, and Karpenter came back: it begins anew, so that the loop does not act the moment Karpenter goes.
    const isBegun = phase === "held" || phase === "shown" || (phase === "on" && !isKarpenterThere(view));
    return isBegun ? done : toDo("the state's key `pause`", phaseWrite(view, "held"));
  },
};

export const scaledDown: MigrationStep = unless(turnedBack, {
  name: "scale-down",
  does: "scales Karpenter's Deployment to none, and writes down how many it had",
  undo: scaleUndo,
  judge: (view) => {
    const { deployments } = view;
    const running = deployments.filter(({ replicas }) => replicas > 0);
    if (running.length > 0) {
      return toDo(
        running.map(fromWhat).join(", "),
        // What was shown was decided while Karpenter was gone, and it came back.
        ...(phaseOf(view) === "shown" ? [phaseWrite(view, "held")] : []),
        ...running.map((one) => scaling(one, 0, String(one.replicas))),
      );
    }
    const ending = deployments.filter(({ pods }) => pods > 0);
    return ending.length === 0 ? done : { kind: "wait", what: `the pods of ${ending[0]?.name} end` };
  },
});

function fromWhat({ name, replicas, replicasBy }: KarpenterDeployment): string {
  return `${name}: from ${replicas}${replicasBy === undefined ? "" : ` (written by ${replicasBy})`} to none`;
}

function scaleUndo({ deployments }: MigrationView): string {
  const scale = ({ namespace, name, replicas, annotations }: KarpenterDeployment) =>
    `kubectl scale deployment ${name} -n ${namespace} --replicas=${replicas > 0 ? replicas : (annotations[replicasAnnotation] ?? "N")}`;
  return `${deployments.map(scale).join("; ")}, with the loop held; or outrigger migrate --back`;
}

export function scaling(deployment: KarpenterDeployment, replicas: number, remembered: string | null): MergePatch {
  const { namespace, name, uid, resourceVersion } = deployment;
  const annotations = { [replicasAnnotation]: remembered };
  return {
    ...{ kind: "merge-patch", resource: deploymentKind, namespace, name },
    body: { metadata: { uid, resourceVersion, annotations }, spec: { replicas } },
  };
}

export const leaseGone: MigrationStep = unless(scaledAgain, {
  name: "lease",
  does: "waits until nobody holds Karpenter's lease",
  undo: "nothing was written",
  judge: ({ karpenter, deployments }) => {
    const alive = karpenter.find(({ isAlive }) => isAlive);
    if (alive === undefined) return done;
    if (deployments.length === 0)
      return refused(`${alive.name} holds Karpenter's lease, and no Deployment of it is known: end it`);
    return { kind: "wait", what: `Karpenter's lease, held by ${alive.name}, runs out` };
  },
});

export const stamped: MigrationStep = unless(karpenterReturned, {
  name: "hashes",
  does: "writes the loop's hashes to pools, classes and claims, so that no node counts as drifted by another way of hashing",
  undo: "not needed: Karpenter writes its own again when it starts",
  judge: (view): StepState => {
    const writes = hashStamps(view);
    return writes.length === 0 ? done : toDo(`annotations of ${writes.length} objects`, ...writes);
  },
});

/** The very writes of the loop's own first tick. */
function hashStamps({ objects }: MigrationView): readonly PatchMetadata[] {
  const parsed = objects
    .filter(isOurs)
    .map(parseObject)
    .flatMap((one) => (one.kind === "object" ? [one] : []));
  const claims = parsed.flatMap((one) => (one.objectKind === "NodeClaim" ? [one.object satisfies NodeClaim] : []));
  const pools = parsed.flatMap((one) => (one.objectKind === "NodePool" ? [one.object satisfies NodePool] : []));
  const classes = parsed.flatMap((one) =>
    one.objectKind === "EC2NodeClass" ? [one.object satisfies EC2NodeClass] : [],
  );
  const ofClass = (name: string) => claims.filter(({ spec }) => spec.nodeClassRef.name === name);
  return [
    ...pools.flatMap((pool) => hashPatches(pool, claims)),
    ...classes.flatMap((nodeClass) => classHashPatches(nodeClass, ofClass(nodeClass.metadata.name))),
  ];
}

export const planned: MigrationStep = unless(karpenterReturned, {
  name: "plan",
  does: "shows what the loop's first tick would do, and does none of it",
  undo: "nothing was done; `outrigger migrate --back` gives the cluster back",
  judge: (view) => {
    const phase = phaseOf(view);
    if (phase === "shown" || phase === "on") return done;
    return toDo("one tick, not carried out", { kind: "show-plan" }, phaseWrite(view, "shown"));
  },
});

/** The schedule's minute, a cold start, and a second. */
const tickIdleMsMax = 90_000;

export const ticking: MigrationStep = unless(karpenterReturned, {
  name: "loop",
  does: "waits for a tick of the deployed loop, which is held: it runs, signs in, and takes its Lease",
  undo: "nothing was written",
  judge: (view) => {
    const { outrigger } = view;
    // It rests beside Karpenter and leaves its Lease alone: one that was used of late was used since Karpenter went.
    const isSeen = outrigger !== undefined && outrigger.idleMs <= tickIdleMsMax;
    if (phaseOf(view) === "on" || isSeen) return done;
    return {
      kind: "wait",
      what: "the loop's Lease is taken by its next tick; if none comes, the log of its function says why",
    };
  },
});

export const on: MigrationStep = unless(karpenterReturned, {
  name: "on",
  does: "lets the loop act, from its next tick on",
  undo: "outrigger migrate --back",
  judge: (view) => (phaseOf(view) === "on" ? done : toDo("the state's key `pause` goes", phaseWrite(view, "on"))),
});
