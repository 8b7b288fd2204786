import type { CloudCommand } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";

/** A call that shall fail: refused, or carried out with its reply lost on the way. */
export interface ScriptedFault {
  readonly fault: Fault;
  readonly effect: "none" | "reply-lost";
}

/** What a read of the cloud leaves out: everything of that name, or every second item. */
export interface ScriptedGap {
  /** `instances`, `subnets`, `securityGroups`, `images`, `parameters`, `instanceProfiles` or `catalogue`. */
  readonly what: string;
  readonly how: "nothing" | "half";
}

interface Rule {
  readonly kind: CloudCommand["kind"];
  /** Counted from the rule's making; 1 is the next call. */
  from: number;
  left: number;
  readonly scripted: ScriptedFault;
}

export const throttled: Fault = {
  kind: "throttled",
  code: "RequestLimitExceeded",
  message: "Request limit exceeded.",
};

/** Faults by order, for tests: "the third of ten launches is throttled". */
export class FaultScript {
  readonly #rules: Rule[] = [];
  readonly #gaps: (readonly ScriptedGap[])[] = [];

  /** The `nth` call of this kind from now on fails, and `count` − 1 after it. */
  failCalls(kind: CloudCommand["kind"], scripted: ScriptedFault, nth = 1, count = 1): void {
    this.#rules.push({ kind, from: nth, left: count, scripted });
  }

  /** The next `count` reads lack this. */
  failReads(gaps: readonly ScriptedGap[], count = 1): void {
    for (let i = 0; i < count; i++) this.#gaps.push(gaps);
  }

  nextCall(kind: CloudCommand["kind"]): ScriptedFault | undefined {
    let hit: ScriptedFault | undefined;
    for (const rule of this.#rules) {
      if (rule.kind !== kind || rule.left === 0) continue;
      rule.from -= 1;
      if (rule.from > 0 || hit !== undefined) continue;
      rule.left -= 1;
      hit = rule.scripted;
    }
    return hit;
  }

  nextRead(): readonly ScriptedGap[] {
    return this.#gaps.shift() ?? [];
  }
}
