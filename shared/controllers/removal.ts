import type { CloudProvider } from "#core/cloud-provider.ts";
import { isNothingLeft, type RemovalManner, removalCommands, removalLeft } from "#core/nodeclaim/removal.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { removalPatches } from "#core/state/removal.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cluster } from "#ports/cluster.ts";
import { act, noCloud } from "./act.ts";

/** Of what holds nodes up so much is said; CloudFormation cuts a reason after some thousand characters. */
const namedMax = 10;

export interface RemovalPorts {
  readonly cluster: Pick<Cluster, "observe" | "apply">;
  readonly clock: Clock;
}

/** What the provider says of its classes. */
export type RemovalProvider = Pick<CloudProvider<never, unknown>, "nodeClass"> & { readonly classFinalizer: string };

export interface RemovalProgress {
  readonly isOver: boolean;
  /** What is still there and what holds it up, in one line for people. */
  readonly message: string;
}

/**
 * One step of a removal: deletes what is not being deleted yet and counts what is left. The loop goes on and drains the
 * nodes; nothing here waits. Commutative writes only, so that no Lease is needed. Throws when a write failed, for the
 * next step to repeat it, or when the cluster cannot be read.
 */
export async function pursueRemoval(
  { cluster, clock }: RemovalPorts,
  { nodeClass, classFinalizer }: RemovalProvider,
  manner: RemovalManner,
): Promise<RemovalProgress> {
  const view = await cluster.observe("everything");
  const nowMs = clock.nowMs();
  await write(removalCommands(view, nodeClass, manner, nowMs), cluster);
  const left = removalLeft(view, nodeClass, classFinalizer, nowMs);
  const shown = left.blocking.slice(0, namedMax);
  const more = left.blocking.length > namedMax ? [`and ${left.blocking.length - namedMax} more pods`] : [];
  const counts = `${left.claims} NodeClaims, ${left.nodes} nodes, ${left.nodeClasses} node classes are left`;
  return { isOver: isNothingLeft(left), message: [counts, ...shown, ...more].join("; ") };
}

/** `keep`: nodes and claims stay, and nobody is left to look after them. */
export type OnDelete = "keep" | RemovalManner;

/**
 * What the end of the resource means for nodes. CloudFormation ends it in a rollback too, when it is renamed and when it
 * is left out of the template: only when the whole stack is being deleted is anything taken away.
 */
export async function onDeleteOf(wanted: OnDelete, isStackBeingDeleted: () => Promise<boolean>): Promise<OnDelete> {
  return wanted !== "keep" && (await isStackBeingDeleted()) ? wanted : "keep";
}

/** How long a removal may take, and what is done when nothing is left. */
export interface RemovalEnd {
  readonly untilMs: number;
  /** By force: brings what is being deleted to its end here too, since the loop may be what is broken. */
  readonly end?: () => Promise<void>;
  /** Takes away what Outrigger alone uses in the cluster. Rejects when that was refused. */
  readonly cleanUp: () => Promise<void>;
}

export type RemovalLook = { readonly kind: "over" } | { readonly kind: "going-on"; readonly message: string };

/**
 * One look of many at a removal, with its next step. What fails by itself is tried again by the next look. Throws when
 * the time is over, in words that name what is left and the pods that hold it up.
 */
export async function lookAtRemoval(
  ports: RemovalPorts,
  provider: RemovalProvider,
  manner: RemovalManner,
  { untilMs, end, cleanUp }: RemovalEnd,
): Promise<RemovalLook> {
  const progress = await pursueRemoval(ports, provider, manner).catch((error: unknown) => ({
    isOver: false,
    message: error instanceof Error ? error.message : String(error),
  }));
  if (progress.isOver) {
    await cleanUp();
    return { kind: "over" };
  }
  if (ports.clock.nowMs() >= untilMs) {
    throw new Error(
      `The nodes did not go in time: ${progress.message}. Mend that and delete the stack again, ` +
        "or set onDelete to keep or force and deploy before.",
    );
  }
  if (manner === "force") await end?.();
  return { kind: "going-on", message: progress.message };
}

/** After a removal that came to nothing, or before a deployment: the loop may make nodes again. */
export async function takeRemovalBack({ cluster }: Pick<RemovalPorts, "cluster">): Promise<void> {
  const view: ClusterView = await cluster.observe("around-claims");
  await write(removalPatches(view.state, undefined), cluster);
}

async function write(commands: Parameters<typeof act>[1], cluster: Pick<Cluster, "apply">): Promise<void> {
  const steps = await act("removal", commands, { cluster, cloud: noCloud });
  for (const { outcome } of steps) {
    if (outcome.kind === "failed" && outcome.fault.kind !== "not-found" && outcome.fault.kind !== "conflict") {
      throw new Error(`a write was refused: ${outcome.fault.message} (${outcome.fault.code})`);
    }
  }
}
