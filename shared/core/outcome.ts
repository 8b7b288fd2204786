/** Karpenter counterpart: none; there a call answers where it is made. Here the answer is data for the next stage. */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Command } from "./command.ts";
import type { Fault } from "./fault.ts";
import type { Instance } from "./instance.ts";

/** What became of a command. */
export type Outcome =
  | {
      readonly kind: "done";
      /** The object as the API server holds it now; absent when it is gone. */
      readonly object?: KubeObject;
      readonly instance?: Instance;
      /** For a launch: offerings that were refused before another gave the instance. */
      readonly refused?: NonNullable<Fault["offerings"]>;
      readonly fullSubnets?: NonNullable<Fault["fullSubnets"]>;
    }
  | { readonly kind: "failed"; readonly fault: Fault };

/** One command of this tick and what became of it. */
export interface Step {
  readonly stage: string;
  readonly command: Command;
  readonly outcome: Outcome;
}
