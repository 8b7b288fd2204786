/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/existingnode.go. It differs: a label that the node lacks
 * stays missing whatever pods are placed there.
 */
import type { Pod, Taint, Toleration } from "#api/core-v1/pod.ts";
import type { Resources } from "../../instance-type.ts";
import type { Ask } from "../pods/ask.ts";
import { firstPortConflict, type HostPort } from "../pods/host-ports.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { keyOfRequirements, labelsMeet, type Requirements } from "../requirements/requirements.ts";
import { firstUntolerated } from "../requirements/taints.ts";
import { addTo, type Dimensions, type ResourceVector, timesFitting } from "../resources/resource-vector.ts";
import { SharedVolumes } from "../volumes/shared-volumes.ts";

/** A node, or a claim that is to become one, that can take pods. */
export interface ExistingNode {
  readonly kind: "node" | "claim";
  readonly name: string;
  /** Labels; or, while it is open what the claim becomes, its requirements: a pod must be content with all that they allow. */
  readonly is: { readonly labels: Readonly<Record<string, string>> } | { readonly requirements: Requirements };
  /** Those that a pod must tolerate once the node is up. */
  readonly taints: readonly Taint[];
  /** What is left after pods that are there and daemons that will be. */
  readonly free: Resources;
  readonly hostPorts: readonly HostPort[];
  /** Keys of the volumes that are attached to it (volumes/volume-needs.ts). */
  readonly attached?: readonly string[];
  /** Digests of the pods for which it was made (pods/expected-pods.ts); they come first. */
  readonly expects?: readonly string[];
}

/** Nodes that no rule of the problem can tell apart by their labels and taints. */
export interface NodeKind {
  /** Canonical: equal for nodes alike. */
  readonly text: string;
  readonly taints: string;
  /** By number of the requirement set: does such a node meet it? */
  readonly answers: Map<number, boolean>;
}

/** The labels of nodes as far as the problem's rules speak of them; nodes alike share their answers. */
export class NodeKinds {
  readonly #keys: readonly string[];
  readonly #kinds = new Map<string, NodeKind>();

  /** `keys`: of labels that rules between pods count over. */
  constructor(sets: Iterable<RequirementSet>, keys: readonly string[]) {
    const asked = [...sets].flatMap(({ requirements }) => [...requirements.keys()]);
    this.#keys = [...new Set([...asked, ...keys])].sort();
  }

  kindOf({ is, taints: list }: ExistingNode): NodeKind {
    const taints = JSON.stringify(list);
    const text = `${"labels" in is ? this.#textOf(is.labels) : `open ${keyOfRequirements(is.requirements)}`} ${taints}`;
    const kind = this.#kinds.get(text) ?? { text, taints, answers: new Map<number, boolean>() };
    this.#kinds.set(text, kind);
    return kind;
  }

  #textOf(labels: Readonly<Record<string, string>>): string {
    return JSON.stringify(this.#keys.map((key) => (Object.hasOwn(labels, key) ? labels[key] : null)));
  }
}

export class NodeInWork {
  readonly node: ExistingNode;
  readonly pods: Pod[] = [];
  readonly free: ResourceVector;
  readonly kind: NodeKind;
  readonly #volumes: SharedVolumes;
  readonly #sets: RequirementSets;
  #hostPorts: readonly HostPort[];

  constructor(node: ExistingNode, kind: NodeKind, dimensions: Dimensions, sets: RequirementSets) {
    this.#sets = sets;
    this.node = node;
    this.free = dimensions.roomOf(node.free);
    this.#volumes = new SharedVolumes(node.attached ?? [], dimensions);
    this.kind = kind;
    this.#hostPorts = node.hostPorts;
  }

  /** As it is now, whatever comes. */
  undo(): () => void {
    const [free, count, hostPorts, attached] = [
      this.free.slice(),
      this.pods.length,
      this.#hostPorts,
      this.#volumes.attached,
    ];
    return () => {
      this.free.set(free);
      this.pods.length = count;
      this.#hostPorts = hostPorts;
      this.#volumes.detachAllBut(attached);
    };
  }

  /** Adds as many of the next `limit` equal pods as fit; returns how many. */
  add(ask: Ask, tolerance: Tolerance, pods: readonly Pod[], from: number, limit: number): number {
    if (ask.shared.length > 0) {
      return this.#volumes.add(ask, limit, (rest, added) => this.add(rest, tolerance, pods, from + added, 1));
    }
    const times = timesFitting(this.free, ask.requests, ask.hostPorts.length > 0 ? Math.min(1, limit) : limit);
    if (times <= 0 || !tolerance.covers(this.node.taints, this.kind.taints) || !this.meets(ask.alternatives)) return 0;
    if (this.portConflict(ask.hostPorts) !== undefined) return 0;
    addTo(this.free, ask.requests, -times);
    if (ask.hostPorts.length > 0) this.#hostPorts = [...this.#hostPorts, ...ask.hostPorts];
    for (let i = from; i < from + times; i++) {
      const pod = pods[i];
      if (pod !== undefined) this.pods.push(pod);
    }
    return times;
  }

  /** The first of these host ports that is taken. */
  portConflict(ports: readonly HostPort[]): HostPort | undefined {
    return firstPortConflict(this.#hostPorts, ports);
  }

  /** Meets one of the alternatives. */
  meets(alternatives: readonly RequirementSet[]): boolean {
    return alternatives.some((set) => {
      const known = this.kind.answers.get(set.id);
      if (known !== undefined) return known;
      const { is } = this.node;
      const answer =
        "labels" in is
          ? labelsMeet(is.labels, set.requirements)
          : this.#sets.isSureToMeet(is.requirements, set.requirements);
      this.kind.answers.set(set.id, answer);
      return answer;
    });
  }
}

/** The tolerations of one class at one step; each list of taints is looked at once. */
export class Tolerance {
  readonly tolerations: readonly Toleration[];
  readonly #answers = new Map<string, boolean>();

  constructor(tolerations: readonly Toleration[]) {
    this.tolerations = tolerations;
  }

  /** `text`: equal for equal lists of taints. */
  covers(taints: readonly Taint[], text: string): boolean {
    if (taints.length === 0) return true;
    const known = this.#answers.get(text);
    if (known !== undefined) return known;
    const answer = firstUntolerated(taints, this.tolerations) === undefined;
    this.#answers.set(text, answer);
    return answer;
  }
}
