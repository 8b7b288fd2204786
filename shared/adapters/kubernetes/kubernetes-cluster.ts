import type { ConfigMap } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { ClusterCommand } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import { objectName } from "#core/object-ref.ts";
import type { Outcome } from "#core/outcome.ts";
import { type ClusterView, emptyCluster } from "#core/snapshot.ts";
import type { ChangesOf, Cluster, LookScope, Woken } from "#ports/cluster.ts";
import { HeardChanges } from "#ports/heard-changes.ts";
import { viewKinds } from "#ports/view-kinds.ts";
import { admit } from "./admission.ts";
import { CommandWriter, type Written } from "./command-writer.ts";
import { OwnWrites } from "./own-writes.ts";
import {
  capacityBufferResource,
  type ListName,
  nodeOverlayResource,
  type Resource,
  resourceOf,
  type WatchedResource,
} from "./resource.ts";
import { type FeedChange, ResourceFeed } from "./resource-feed.ts";
import type { Transport } from "./transport.ts";

/** Lists that are read at once; more would only queue at the one core of a small function. */
const lanesMax = 4;

/** The API server could not be read: no tick is possible. `fault` says why. */
export class ClusterUnreadable extends Error {
  readonly fault: Fault;

  constructor(fault: Fault, what: string) {
    super(`cannot read ${what}: ${fault.message} (${fault.code})`);
    this.name = "ClusterUnreadable";
    this.fault = fault;
  }
}

/**
 * A Kubernetes cluster behind its API server. The first look lists; from the first `nextChange` on watches keep the
 * stores, and a look costs no call.
 */
export class KubernetesCluster implements Cluster {
  readonly #writer: CommandWriter;
  readonly #feeds: ReadonlyMap<string, ResourceFeed>;
  readonly #own = new OwnWrites((change) => this.#wakeUp(change));
  readonly #heard = new HeardChanges();
  #wake: (() => void) | undefined;

  constructor(transport: Transport, nodeClass: Resource = resourceOf("EC2NodeClass")) {
    this.#writer = new CommandWriter(transport, nodeClass);
    this.#feeds = new Map(
      watchedResources(nodeClass).map((resource) => [
        resource.kind,
        new ResourceFeed(transport, resource, (change) => this.#own.hear(change)),
      ]),
    );
  }

  readonly observe = async (scope: LookScope): Promise<ClusterView> => {
    const feeds = [...this.#feeds.values()].filter(({ resource }) => isInScope(resource, scope));
    if (scope !== "everything") for (const feed of feeds) feed.distrust();
    // Pods last: a pod that was bound in between to a node that is not known yet is then the smaller error.
    const pods = feeds.filter(({ resource }) => resource.kind === "Pod");
    await refreshAll(feeds.filter((feed) => !pods.includes(feed)));
    await refreshAll(pods);
    this.#heard.look();
    return viewOf(feeds);
  };

  readonly apply = async (command: ClusterCommand): Promise<Outcome> => {
    const place = this.#placeOf(command);
    const settle = this.#own.begin(place.kind, place.key);
    const written = await this.#writer.write(command);
    const outcome = this.#outcomeOf(written, place);
    settle(written.kind, outcome.kind === "done" ? outcome.object?.metadata.resourceVersion : undefined);
    return outcome;
  };

  readonly nextChange = (deadlineMs: number, of: ChangesOf = "anything"): Promise<Woken> => {
    for (const feed of this.#feeds.values()) feed.watch();
    const woken = this.#heard.take(of);
    if (woken !== undefined) return Promise.resolve(woken);
    return new Promise((resolve) => {
      const end = (result: Woken): void => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(result);
      };
      const timer = setTimeout(() => end("deadline"), Math.max(0, deadlineMs - Date.now()));
      this.#wake = () => {
        const now = this.#heard.take(of);
        if (now !== undefined) end(now);
      };
    });
  };

  /** Ends the watches. The transport is another's: a warm function keeps its connections. */
  close(): void {
    for (const feed of this.#feeds.values()) feed.stop();
  }

  #wakeUp({ object }: FeedChange): void {
    this.#heard.hear(object);
    this.#wake?.();
  }

  /** The kind and key of the object that a command writes. */
  #placeOf(command: ClusterCommand): Place {
    switch (command.kind) {
      case "create-node-claim":
        return { kind: "NodeClaim", key: command.nodeClaim.metadata.name };
      case "patch-state":
        return { kind: "ConfigMap", key: `${stateNamespace}/${stateName}` };
      case "record-event":
        return { kind: "Event", key: command.name };
      default: {
        const { uid } = command.target;
        const place = { kind: this.#writer.resourceOf(command.target.kind).kind, key: objectName(command.target) };
        return uid === undefined ? place : { ...place, uid };
      }
    }
  }

  /** Shows the write to the store, so that the next look knows of it before any watch does. */
  #outcomeOf(written: Written, { kind, key, uid }: Place): Outcome {
    const feed = this.#feeds.get(kind);
    switch (written.kind) {
      case "failed":
        if (written.fault.kind === "unavailable") feed?.distrust();
        return { kind: "failed", fault: written.fault };
      case "accepted":
        return { kind: "done" };
      case "gone":
        feed?.store.bury(key, uid ?? feed.store.uidOf(key) ?? "");
        return { kind: "done" };
      case "object": {
        const entry = admit(written.resource, written.raw);
        if (entry === undefined) return { kind: "done" };
        feed?.store.put(entry);
        return entry.object === undefined ? { kind: "done" } : { kind: "done", object: entry.object };
      }
    }
  }
}

interface Place {
  readonly kind: string;
  readonly key: string;
  readonly uid?: string;
}

/** In the order in which they are read: the long lists first. */
function watchedResources(nodeClass: Resource): readonly WatchedResource[] {
  const lists = Object.entries(viewKinds) as readonly [
    keyof typeof viewKinds,
    (typeof viewKinds)[keyof typeof viewKinds],
  ][];
  const known = lists.map(([list, kind]) => ({ ...resourceOf(kind), list }));
  return [
    ...known.filter(({ kind }) => isLong(kind)),
    ...known.filter(({ kind }) => !isLong(kind)),
    { ...nodeClass, list: "nodeClasses" },
    { ...nodeOverlayResource, list: "unsupported", optional: true },
    { ...capacityBufferResource, list: "unsupported", optional: true },
    {
      ...resourceOf("ConfigMap"),
      list: "state",
      namespace: stateNamespace,
      selector: { fieldSelector: `metadata.name=${stateName}` },
    },
  ];
}

function isLong(kind: string): boolean {
  return kind === "Node" || kind === "NodeClaim";
}

function isInScope({ kind }: WatchedResource, scope: LookScope): boolean {
  switch (scope) {
    case "everything":
      return true;
    case "claims":
      return kind === "NodeClaim";
    case "around-claims":
      return kind === "Node" || kind === "NodePool" || kind === "ConfigMap";
  }
}

async function refreshAll(feeds: readonly ResourceFeed[]): Promise<void> {
  const waiting = [...feeds];
  const worker = async (): Promise<void> => {
    for (let feed = waiting.shift(); feed !== undefined; feed = waiting.shift()) {
      const fault = await feed.refresh();
      if (fault !== undefined) throw new ClusterUnreadable(fault, feed.resource.plural);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanesMax, waiting.length) }, worker));
}

function viewOf(feeds: readonly ResourceFeed[]): ClusterView {
  const lists: Partial<Record<ListName, readonly KubeObject[]>> = {};
  let state: ClusterView["state"] = {};
  for (const { resource, store } of feeds) {
    const objects = store.objects();
    if (resource.list === "state") state = (objects[0] as ConfigMap | undefined)?.data ?? {};
    else lists[resource.list] = [...(lists[resource.list] ?? []), ...objects];
  }
  const problems = feeds.flatMap(({ store }) => store.problems());
  return Object.freeze({ ...emptyCluster, ...(lists as object), state, problems });
}
