/**
 * Karpenter counterpart: pkg/controllers/node/termination/terminator, the eviction queue's calls and events. It differs: the
 * outcomes are read by the stage after (eviction-outcome.ts), and a budget does not hold a pod that is alone (pod/alone.ts).
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import type { Command } from "../command.ts";
import type { Decision } from "../decision.ts";
import { objectName, refOf } from "../object-ref.ts";
import { byText } from "../order.ts";
import type { Reason } from "../reason.ts";
import { type Drain, drainAgainAtMs, type ForcedDeletion } from "./drain.ts";
import { isRefused, mayEvict, type Refusals, retryAtMs } from "./eviction-retry.ts";

/** How many pods a message names. */
const namedMax = 5;

export interface DrainState {
  readonly drain: Drain;
  readonly deadlineMs: number | undefined;
  readonly refusals: Refusals | undefined;
  readonly isAlone: (pod: Pod) => boolean;
}

/** The calls that empty the node, as far as they are due, and what it still waits for. */
export function drainDecision(node: Node, state: DrainState, nowMs: number): Decision {
  const { drain, deadlineMs, refusals, isAlone } = state;
  // What its budget waits for comes with a user's pod only, and would keep this node until then.
  const alone = drain.evict.filter((pod) => isRefused(pod, refusals) && isAlone(pod));
  const others = drain.evict.filter((pod) => !alone.includes(pod));
  const evict = others.filter((pod) => mayEvict(pod, refusals, nowMs));
  const pausing = others.length > evict.length && refusals !== undefined ? retryAtMs(refusals) : undefined;
  const times = [drainAgainAtMs(drain, deadlineMs, nowMs), pausing].filter((ms) => ms !== undefined);
  return {
    commands: [...drain.force.map(forceCommand), ...alone.map(deleteCommand), ...evict.map(evictCommand)],
    reasons: [
      drainReason(node, state),
      ...drain.force.map((forced) => forcedReason(forced, deadlineMs ?? nowMs)),
      ...alone.map(aloneReason),
    ],
    ...(times.length === 0 ? {} : { againAtMs: Math.min(...times) }),
  };
}

function evictCommand(pod: Pod): Command {
  return { kind: "evict-pod", target: refOf("Pod", pod) };
}

/** With the grace that the pod asks for. */
function deleteCommand(pod: Pod): Command {
  return { kind: "delete-object", target: refOf("Pod", pod) };
}

function forceCommand({ pod, gracePeriodSeconds }: ForcedDeletion): Command {
  return { kind: "delete-object", target: refOf("Pod", pod), gracePeriodSeconds };
}

function drainReason(node: Node, { drain, refusals }: DrainState): Reason {
  const { waiting, held, unreadable } = drain;
  const refused = waiting.filter((pod) => isRefused(pod, refusals));
  const count = waiting.length + unreadable.length;
  const parts = [
    `${count} ${count === 1 ? "pod is" : "pods are"} still on the node: ${namedRefs([...waiting.map(({ metadata }) => metadata), ...unreadable])}`,
    ...(held.length === 0 ? [] : [`held by the annotation do-not-disrupt: ${named(held)}`]),
    ...(refused.length === 0 ? [] : [`held by a PodDisruptionBudget: ${named(refused)}`]),
    ...(unreadable.length === 0 ? [] : [`not to be read, and so not evicted: ${namedRefs(unreadable)}`]),
  ];
  return {
    about: refOf("Node", node),
    code: "node-draining",
    message: parts.join("; "),
    data: { waiting: waiting.length, held: held.length, refused: refused.length, unreadable: unreadable.length },
    event: { type: "Warning", reason: "FailedDraining" },
  };
}

function named(pods: readonly Pod[]): string {
  return namedRefs(pods.map(({ metadata }) => metadata));
}

function namedRefs(refs: readonly Parameters<typeof objectName>[0][]): string {
  const names = refs.map(objectName).sort(byText);
  const rest = names.length - namedMax;
  return rest > 0 ? `${names.slice(0, namedMax).join(", ")} and ${rest} more` : names.join(", ");
}

function forcedReason({ pod, gracePeriodSeconds }: ForcedDeletion, deadlineMs: number): Reason {
  return {
    about: refOf("Pod", pod),
    code: "node-draining",
    message: `Deleted with ${gracePeriodSeconds} s of grace: its node must be gone at ${formatTime(deadlineMs)}`,
    event: { type: "Normal", reason: "Disrupted" },
  };
}

function aloneReason(pod: Pod): Reason {
  return {
    about: refOf("Pod", pod),
    code: "node-draining",
    message:
      "Deleted in spite of its PodDisruptionBudget: pods of its namespace alone keep no node (ignoreWhenAloneNamespaces)",
    event: { type: "Normal", reason: "Disrupted" },
  };
}
