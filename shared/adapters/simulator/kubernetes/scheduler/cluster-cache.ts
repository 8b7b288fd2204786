import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import type { Change } from "../api-server/store.ts";
import { isTerminal } from "../controllers/ownership.ts";
import { NodeInfo } from "./node-info.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";

type Labels = Readonly<Record<string, string>>;

/** Nodes and the pods on them, bound or assumed, as the scheduler sees them; follows the store's changes. */
export class ClusterCache {
  readonly #api: ApiServer;
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #nodeOfPod = new Map<string, string>();
  readonly #withAntiAffinity = new Map<string, PodInfo>();
  readonly #withPreferences = new Map<string, PodInfo>();
  #sorted: readonly NodeInfo[] | undefined;
  /** Grows with every change that may alter an answer. */
  version = 0;

  constructor(api: ApiServer) {
    this.#api = api;
  }

  /** Sorted by name; pods of nodes that are not there are left out. */
  nodes(): readonly NodeInfo[] {
    this.#sorted ??= [...this.#nodes.values()]
      .filter(({ node }) => node !== undefined)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  nodeOf(uid: string): NodeInfo | undefined {
    const name = this.#nodeOfPod.get(uid);
    return name === undefined ? undefined : this.#nodes.get(name);
  }

  /** Pods on nodes whose required anti-affinity keeps others away. */
  podsWithAntiAffinity(): Iterable<PodInfo> {
    return this.#withAntiAffinity.values();
  }

  /** Pods on nodes that have required affinity, or preferences about others. */
  podsWithPreferences(): Iterable<PodInfo> {
    return this.#withPreferences.values();
  }

  readonly namespaceLabels = (namespace: string): Labels =>
    this.#api.store.get("Namespace", namespace)?.metadata.labels ?? {};

  hear({ object, type }: Change): void {
    if (object.kind === "Node") this.#hearNode(object as Node, type === "DELETED");
    else if (object.kind === "Pod") this.#hearPod(object as Pod, type === "DELETED");
    else if (object.kind !== "Event") this.version++;
  }

  /** Takes the pod's place on a node before the API server knows of it. */
  assume(info: PodInfo, nodeName: string): void {
    this.#place(info, nodeName);
  }

  forget(uid: string): void {
    this.#unplace(uid);
  }

  #hearNode(node: Node, gone: boolean): void {
    this.version++;
    const info = this.#info(node.metadata.name);
    if ((info.node === undefined) !== gone) this.#sorted = undefined;
    info.setNode(gone ? undefined : node);
    if (gone && info.pods.size === 0) this.#nodes.delete(node.metadata.name);
  }

  #hearPod(pod: Pod, gone: boolean): void {
    const uid = pod.metadata.uid ?? "";
    const { nodeName } = pod.spec;
    if (gone || isTerminal(pod)) this.#unplace(uid);
    else if (nodeName !== undefined) this.#place(podInfo(pod), nodeName);
  }

  #place(info: PodInfo, nodeName: string): void {
    const uid = info.pod.metadata.uid ?? "";
    if (this.#nodeOfPod.get(uid) !== nodeName) this.#unplace(uid);
    this.version++;
    this.#nodeOfPod.set(uid, nodeName);
    this.#info(nodeName).add(info);
    if (info.antiAffinity.length > 0) this.#withAntiAffinity.set(uid, info);
    if (info.affinity.length + info.preferredAffinity.length + info.preferredAntiAffinity.length > 0) {
      this.#withPreferences.set(uid, info);
    }
  }

  #unplace(uid: string): void {
    const name = this.#nodeOfPod.get(uid);
    if (name === undefined) return;
    this.version++;
    this.#nodeOfPod.delete(uid);
    this.#withAntiAffinity.delete(uid);
    this.#withPreferences.delete(uid);
    const info = this.#info(name);
    info.remove(uid);
    if (info.node === undefined && info.pods.size === 0) this.#nodes.delete(name);
  }

  #info(name: string): NodeInfo {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const info = new NodeInfo(name);
    this.#nodes.set(name, info);
    return info;
  }
}
