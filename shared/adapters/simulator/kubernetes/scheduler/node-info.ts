import type { Node } from "#api/core-v1/node.ts";
import type { HostPort, PodInfo } from "./pod-info.ts";
import { type Amounts, amounts } from "./pod-requests.ts";

/** kube-scheduler counts pods without requests as if they asked for so much, when it compares nodes. */
const assumedCpuMillis = 100;
const assumedMemoryBytes = 200 * 1024 * 1024;

/** A node and what is on it, kept up to date in place. */
export class NodeInfo {
  readonly name: string;
  /** Absent while pods name a node that is not there. */
  node: Node | undefined;
  allocatable: Amounts = {};
  readonly requested: Record<string, number> = {};
  scoredCpuMillis = 0;
  scoredMemoryBytes = 0;
  readonly pods = new Map<string, PodInfo>();
  /** How many pods of each controller are here and not on their way out. */
  readonly #ofController = new Map<string, number>();

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: Node | undefined): void {
    if (node?.status?.allocatable !== this.node?.status?.allocatable) {
      this.allocatable = amounts(node?.status?.allocatable, "down");
    }
    this.node = node;
  }

  add(info: PodInfo): void {
    const uid = info.pod.metadata.uid ?? "";
    if (this.pods.has(uid)) this.remove(uid);
    this.pods.set(uid, info);
    this.#count(info, 1);
  }

  remove(uid: string): void {
    const info = this.pods.get(uid);
    if (info === undefined) return;
    this.pods.delete(uid);
    this.#count(info, -1);
  }

  /** The resources of which there is not enough left; `pods` among them. */
  lacking(info: PodInfo): readonly string[] {
    const lacking: string[] = [];
    if (this.pods.size + 1 > (this.allocatable.pods ?? 0)) lacking.push("pods");
    for (const name in info.requests) {
      const amount = info.requests[name] ?? 0;
      if (amount > 0 && amount > (this.allocatable[name] ?? 0) - (this.requested[name] ?? 0)) lacking.push(name);
    }
    return lacking;
  }

  portTaken(wanted: HostPort): boolean {
    for (const { hostPorts } of this.pods.values()) {
      if (hostPorts.some((port) => collides(port, wanted))) return true;
    }
    return false;
  }

  countOf(controller: string): number {
    return this.#ofController.get(controller) ?? 0;
  }

  #count({ requests, controller, pod }: PodInfo, sign: 1 | -1): void {
    if (controller !== undefined && pod.metadata.deletionTimestamp === undefined) {
      this.#ofController.set(controller, this.countOf(controller) + sign);
    }
    for (const name in requests) this.requested[name] = (this.requested[name] ?? 0) + sign * (requests[name] ?? 0);
    this.scoredCpuMillis += sign * scoredCpu(requests);
    this.scoredMemoryBytes += sign * scoredMemory(requests);
  }
}

export function scoredCpu(requests: Amounts): number {
  return requests.cpu ?? assumedCpuMillis;
}

export function scoredMemory(requests: Amounts): number {
  return requests.memory ?? assumedMemoryBytes;
}

function collides(a: HostPort, b: HostPort): boolean {
  const everywhere = a.ip === "0.0.0.0" || b.ip === "0.0.0.0" || a.ip === b.ip;
  return a.port === b.port && a.protocol === b.protocol && everywhere;
}
