import type { Condition, KubeObject } from "#api/core-v1/meta.ts";
import type { PatchStatus } from "#core/command.ts";
import type { ObjectRef } from "#core/object-ref.ts";
import type { Step } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { Telling } from "./events.ts";
import { nameOf } from "./written-object.ts";

/** Kinds whose conditions are ours. A Node's are its kubelet's, which tells of them itself. */
const listOf = { NodeClaim: "nodeClaims", NodePool: "nodePools", NodeClass: "nodeClasses" } as const;

type PatchStep = Step & { readonly command: PatchStatus };

/**
 * Karpenter counterpart: the status controller of operatorpkg (status/controller.go): an event named by the condition for
 * each change of a status. It differs: what is told is what was written, in the tick that wrote it, and not for Nodes.
 * A condition that begins as Unknown, or is taken away, is no event. `before`: the cluster that the steps were decided on.
 */
export function conditionTellings(before: ClusterView, steps: readonly Step[]): readonly Telling[] {
  const known = new Map<string, readonly Condition[]>();
  return steps.filter(isWritten).flatMap(({ command: { target, status } }) => {
    const next = (status.conditions ?? []) as unknown as readonly Condition[];
    const last = known.get(nameOf(target)) ?? conditionsIn(before, target);
    known.set(nameOf(target), next);
    return next.flatMap((condition) => {
      const from = last.find(({ type }) => type === condition.type)?.status ?? "Unknown";
      return from === condition.status ? [] : [telling(target, condition, from)];
    });
  });
}

/** What a tick tells: its reasons, and the changes of conditions that no reason tells under the condition's name. */
export function tellingsOf(reasons: readonly Telling[], conditions: readonly Telling[]): readonly Telling[] {
  const said = new Set(reasons.map(titleOf));
  return [...reasons, ...conditions.filter((telling) => !said.has(titleOf(telling)))];
}

function titleOf({ about, event }: Telling): string {
  return `${nameOf(about)} ${event?.reason}`;
}

function isWritten(step: Step): step is PatchStep {
  const { command, outcome } = step;
  return command.kind === "patch-status" && outcome.kind === "done" && command.status.conditions !== undefined;
}

function conditionsIn(cluster: ClusterView, { kind, name }: ObjectRef): readonly Condition[] {
  if (!(kind in listOf)) return [];
  const objects: readonly KubeObject[] = cluster[listOf[kind as keyof typeof listOf]];
  const found = objects.find(({ metadata }) => metadata.name === name) as
    | { readonly status?: { readonly conditions?: readonly Condition[] } }
    | undefined;
  return found?.status?.conditions ?? [];
}

function telling(about: ObjectRef, { type, status, reason, message }: Condition, from: string): Telling {
  const why = reason === type ? "" : ` (${reason})`;
  return {
    about,
    message: `${type} was ${from} and is ${status}${why}${message === "" ? "" : `: ${message}`}`,
    event: { type: "Normal", reason: type, key: status },
  };
}
