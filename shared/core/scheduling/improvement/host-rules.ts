/**
 * Rules over hostnames while pods are packed anew: what one node may hold.
 * Karpenter counterpart: none; it never moves a pod that it has placed.
 */
import type { Step } from "../pods/class-in-work.ts";
import type { DomainCounts } from "../topology/domain-counts.ts";
import type { Membership } from "../topology/topology.ts";

/** What a class does to a host, the counts by number. */
export interface HostRules {
  /** Counts that each of its pods adds to. */
  readonly adds: readonly number[];
  /** No more than so many of a count beside it, itself included. */
  readonly most: readonly { readonly count: number; readonly pods: number }[];
}

/** Numbers the counts of hosts. */
export class HostCounts {
  readonly #numbers = new Map<DomainCounts, number>();

  get size(): number {
    return this.#numbers.size;
  }

  /** Undefined: rules over hostnames do not concern the class. */
  rulesOf({ rules: { onHost } }: Step, { counts, owns }: Membership): HostRules | undefined {
    const mine = [...counts, ...owns].filter(({ key }) => key.index < 0);
    if (mine.length + onHost.aparts.length + onHost.spreads.length === 0) return undefined;
    return {
      adds: mine.map((one) => this.#numberOf(one)),
      most: [
        ...onHost.aparts.map((check) => ({ of: check.counts, pods: mine.includes(check.counts) ? 1 : 0 })),
        ...onHost.spreads.map((check) => ({ of: check.counts, pods: check.maxSkew })),
      ].map(({ of, pods }) => ({ count: this.#numberOf(of), pods })),
    };
  }

  #numberOf(counts: DomainCounts): number {
    const number = this.#numbers.get(counts) ?? this.#numbers.size;
    this.#numbers.set(counts, number);
    return number;
  }
}

const any = 0x7fff_ffff;

/** One host that is being filled; used again for the next one. */
export class HostTally {
  readonly #pods: Int32Array;
  readonly #most: Int32Array;

  constructor({ size }: Pick<HostCounts, "size">) {
    this.#pods = new Int32Array(size);
    this.#most = new Int32Array(size);
  }

  clear(): void {
    this.#pods.fill(0);
    this.#most.fill(any);
  }

  /** How many such pods may still come, in whatever order all of them do. */
  room({ adds, most }: HostRules): number {
    let room = Infinity;
    for (const { count, pods } of most) {
      const left = pods - (this.#pods[count] ?? 0);
      if (left < 0) return 0;
      if (adds.includes(count)) room = Math.min(room, left);
    }
    for (const count of adds) room = Math.min(room, (this.#most[count] ?? any) - (this.#pods[count] ?? 0));
    return Math.max(0, room);
  }

  add({ adds, most }: HostRules, times: number): void {
    for (const count of adds) this.#pods[count] = (this.#pods[count] ?? 0) + times;
    for (const { count, pods } of most) this.#most[count] = Math.min(this.#most[count] ?? any, pods);
  }
}
