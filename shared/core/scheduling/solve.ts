/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, Solve. The answers follow it: big pods
 * first, existing nodes before claims of this batch before new claims, pools by weight, preferences given up one by one.
 *
 * The method is another, and this is where its speed comes from. Pods that cannot be told apart form a class
 * (pods/pod-class.ts), and as many of a class as a place can take go there at once. Nodes and claims that are the same but for
 * their load form a lane (nodes/node-lanes.ts, claims/claim-lanes.ts): what a class may do with a lane is found once, and a tree finds
 * the place in it that has room (nodes/room-tree.ts). Rules between pods ask counts that all classes share
 * (topology/topology.ts). Which instance types suit a set of requirements is a bitset, made once
 * (instance-types/instance-type-index.ts), and the cheapest one for a load a rank in a short list (instance-types/launch-profile.ts).
 */
import { bestAttempt } from "./best-attempt.ts";
import { plannedClaims } from "./claims/planned-claim.ts";
import { type Budget, noBudget } from "./improvement/budget.ts";
import { improved } from "./improvement/improvement.ts";
import type { ClassInWork } from "./pods/class-in-work.ts";
import { prepared } from "./prepared-problem.ts";
import type { SchedulingProblem } from "./problem.ts";
import type { Solution } from "./solution.ts";
import { explainUnplaced } from "./unplaced/unplaced.ts";

/** `budget`: of the search for a cheaper plan, once one is found (improvement/improvement.ts). */
export function solve(problem: SchedulingProblem, budget: Budget = noBudget): Solution {
  const ready = prepared(problem);
  const { sets, dimensions, pools, topology } = ready;
  const { nodes, claims, classes } = improved(ready, bestAttempt(ready), budget);
  const { minValuesPolicy: policy, reservationIdLabel } = problem;
  return {
    nodes: nodes.filter(({ pods }) => pods.length > 0).map(({ node, pods }) => ({ node, pods })),
    claims: plannedClaims(claims, dimensions, { sets, policy, reservationIdLabel }),
    ...restOf(classes, ({ podClass, steps, apartFrom }) =>
      explainUnplaced({ podClass, steps, apartFrom, pools, nodes, sets, dimensions, topology }),
    ),
  };
}

const deferredMessage =
  "it waits for the next look: reserved capacity could take it, and every unit is held by claims that are being made now";

function restOf(
  classes: readonly ClassInWork[],
  messageOf: (one: ClassInWork) => string,
): Pick<Solution, "deferred" | "unplaced"> {
  const left = classes.filter(({ waiting }) => waiting.length > 0);
  return {
    deferred: left.filter((one) => one.deferred).map(({ waiting }) => ({ pods: waiting, message: deferredMessage })),
    unplaced: left.filter((one) => !one.deferred).map((one) => ({ pods: one.waiting, message: messageOf(one) })),
  };
}
