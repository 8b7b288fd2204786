import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { unregisteredTaintKey } from "#api/karpenter-v1/labels.ts";
import type { ChangesOf, Woken } from "./cluster.ts";

/** What an implementation of Cluster has heard since the last look, and what that means to whoever waits. */
export class HeardChanges {
  #changed = false;
  #arrived = false;
  #joining = false;
  /** UIDs of the pods without a node that were heard of since the last look. */
  readonly #pending = new Set<string>();

  /** `object`: as it is now; undefined: it is gone, or its list was read anew. */
  hear(object: KubeObject | undefined): void {
    this.#changed = true;
    if (object?.kind === "Node") this.#joining ||= isJoining(object as Node);
    if (object?.kind !== "Pod" || (object as Pod).spec.nodeName !== undefined) return;
    const { uid = "" } = object.metadata;
    this.#arrived ||= !this.#pending.has(uid);
    this.#pending.add(uid);
  }

  /** A look shows all that was heard. */
  look(): void {
    this.#changed = false;
    this.#arrived = false;
    this.#joining = false;
    this.#pending.clear();
  }

  /** How a wait ends now; undefined: it goes on. What it does not tell of is kept. */
  take(of: ChangesOf): Exclude<Woken, "deadline"> | undefined {
    const isChanged = of === "anything" && this.#changed;
    if (!this.#arrived && !this.#joining) {
      if (isChanged) this.#changed = false;
      return isChanged ? "changed" : undefined;
    }
    const woken = this.#arrived ? "changed" : "joining";
    if (woken === "joining") this.#joining = false;
    this.#arrived = false;
    if (of === "anything") this.#changed = false;
    return woken;
  }
}

function isJoining({ spec }: Node): boolean {
  return spec.taints?.some(({ key }) => key === unregisteredTaintKey) ?? false;
}
