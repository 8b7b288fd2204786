import type { Manner } from "#controllers/invocation.ts";
import type { CloudCommand } from "#core/command.ts";
import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { Settings } from "#core/settings.ts";
import type { Ec2Query } from "#ec2/view.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";

/** What a tick did, without what it saw. */
export interface TickNote {
  readonly decisions: readonly { readonly stage: string; readonly decision: Decision }[];
  readonly steps: readonly Step[];
}

/** Everything that a process is told before it acts. */
export interface TickOrder {
  readonly kind: "order";
  readonly url: string;
  readonly caPem: string;
  readonly identity: AwsIdentity;
  readonly settings: Settings;
  readonly seed: number;
  /** How far its clock is ahead of the cluster's. */
  readonly aheadMs: number;
  /** Absent: it makes one tick and ends. */
  readonly stays?: Manner["reaction"];
}

/** The cloud is in the parent; it is asked by message. */
export type CloudCall =
  | { readonly kind: "call"; readonly id: number; readonly method: "observe"; readonly argument: Ec2Query }
  | { readonly kind: "call"; readonly id: number; readonly method: "apply"; readonly argument: CloudCommand };

export interface CloudAnswer {
  readonly kind: "answer";
  readonly id: number;
  readonly value: unknown;
}

export type FromTick =
  | CloudCall
  | { readonly kind: "ticked"; readonly note: TickNote }
  | { readonly kind: "ended"; readonly ending: string }
  | { readonly kind: "died"; readonly message: string };
