/**
 * Volumes that several pods use, on one node or claim: the first pod there pays for the attachment, the others do not.
 * Karpenter counterpart: pkg/scheduling/volumeusage.go, Volumes.Union. It differs: only volumes that several pods use are
 * kept by name; the others are amounts.
 */
import type { Ask } from "../pods/ask.ts";
import type { Dimensions } from "../resources/resource-vector.ts";
import { attachmentResource } from "./csi-driver.ts";
import { keyOfAttachment } from "./volume-needs.ts";

export class SharedVolumes {
  readonly #attached: Set<string>;
  readonly #dimensions: Dimensions;

  constructor(attached: readonly string[], dimensions: Dimensions) {
    this.#attached = new Set(attached);
    this.#dimensions = dimensions;
  }

  /**
   * Adds up to `limit` pods one at a time with `addOne`, which is told what the next one still asks for and answers how
   * many it added, 0 or 1.
   */
  add(ask: Ask, limit: number, addOne: (rest: Ask, added: number) => number): number {
    for (let added = 0; added < limit; added++) {
      if (addOne(this.restOf(ask), added) === 0) return added;
      this.attach(ask);
    }
    return limit;
  }

  /** What the next pod still asks for. */
  restOf(ask: Ask): Ask {
    const requests = ask.requests.slice();
    for (const attachment of ask.shared) {
      const d = this.#dimensions.names.indexOf(attachmentResource(attachment.driver));
      if (this.#attached.has(keyOfAttachment(attachment))) requests[d] = (requests[d] ?? 0) - 1;
    }
    return { ...ask, requests, shared: [] };
  }

  /** How many are attached. */
  get attached(): number {
    return this.#attached.size;
  }

  /** Only the first ones stay. */
  detachAllBut(count: number): void {
    if (this.#attached.size === count) return;
    for (const key of [...this.#attached].slice(count)) this.#attached.delete(key);
  }

  attach({ shared }: Ask): void {
    for (const attachment of shared) this.#attached.add(keyOfAttachment(attachment));
  }
}
