import type { PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";
import type { ClusterCache } from "./cluster-cache.ts";
import { classKey, filterFor, pinnedNode, unavailableMessage } from "./filters.ts";
import type { NodeInfo } from "./node-info.ts";
import type { PodInfo } from "./pod-info.ts";
import { bestNode } from "./scores.ts";
import { volumeFilter } from "./volume-filter.ts";

export type Verdict =
  | { readonly kind: "node"; readonly node: NodeInfo; readonly toBind: readonly PersistentVolumeClaim[] }
  | { readonly kind: "none"; readonly message: string };

/** Finds a pod its node: filters, then scores. What failed once is not tried again while the cluster stays as it is. */
export class NodeSearch {
  readonly #cache: ClusterCache;
  readonly #api: ApiServer;
  readonly #random: () => number;
  /** Failures that hold while the cluster is as it is, by pod class. */
  readonly #failures = new Map<string, string>();
  #failuresVersion = -1;
  /** Where the search over nodes goes on, so that all nodes get their turn. */
  #nextNode = 0;

  constructor(cache: ClusterCache, parts: Parts) {
    this.#cache = cache;
    this.#api = parts.api;
    this.#random = parts.random;
  }

  nodeFor(info: PodInfo): Verdict {
    if (this.#failuresVersion !== this.#cache.version) this.#failures.clear();
    this.#failuresVersion = this.#cache.version;
    const key = classKey(info);
    const known = this.#failures.get(key);
    if (known !== undefined) return { kind: "none", message: known };
    const verdict = this.#search(info);
    if (verdict.kind === "none") this.#failures.set(key, verdict.message);
    return verdict;
  }

  #search(info: PodInfo): Verdict {
    const all = this.#cache.nodes();
    const volumes = volumeFilter(info.pod, this.#api);
    if (volumes.kind === "waits") {
      return { kind: "none", message: `0/${all.length} nodes are available: ${volumes.message}.` };
    }
    const filter = filterFor(info, volumes, this.#cache);
    const pin = pinnedNode(info);
    const nodes = pin === undefined ? all : all.filter(({ name }) => name === pin);
    const enough = feasibleEnough(nodes.length);
    const feasible: NodeInfo[] = [];
    const reasons: (readonly string[])[] =
      pin === undefined ? [] : [others(all.length - nodes.length)].filter((r) => r.length > 0);
    let looked = 0;
    for (; looked < nodes.length && feasible.length < enough; looked++) {
      const node = nodes[(this.#nextNode + looked) % nodes.length];
      if (node === undefined) continue;
      const refused = filter(node);
      if (refused.length === 0) feasible.push(node);
      else reasons.push(refused);
    }
    if (nodes.length > 0) this.#nextNode = (this.#nextNode + looked) % nodes.length;
    const node = bestNode(info, feasible, this.#cache, this.#random);
    if (node !== undefined) return { kind: "node", node, toBind: volumes.toBind };
    return { kind: "none", message: unavailableMessage(all.length, reasons) };
  }
}

function others(count: number): readonly string[] {
  return Array.from({ length: count }, () => "node(s) didn't satisfy plugin(s) [NodeAffinity]");
}

/**
 * kube-scheduler looks at all nodes of a small cluster, and stops in a large one when it has found enough to choose from:
 * 50 % less one for each 125 nodes, at least 5 % and at least 100 nodes.
 */
function feasibleEnough(nodeCount: number): number {
  const nodesMin = 100;
  if (nodeCount < nodesMin) return nodeCount;
  const percent = Math.max(5, 50 - Math.floor(nodeCount / 125));
  return Math.max(nodesMin, Math.floor((nodeCount * percent) / 100));
}
