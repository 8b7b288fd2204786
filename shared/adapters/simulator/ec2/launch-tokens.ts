import { sameJson } from "#api/same-json.ts";
import type { LaunchInstance } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";

/** What a request with a token came to. */
export type LaunchResult =
  | { readonly kind: "launched"; readonly instanceId: string }
  | { readonly kind: "failed"; readonly fault: Fault };

export type TokenAnswer =
  | { readonly kind: "new" }
  | { readonly kind: "mismatch" }
  | { readonly kind: "same"; readonly result: LaunchResult };

/**
 * EC2's client tokens: a token stands for the whole request. The same request again has the same result, failure for
 * want of capacity included; another request under it is refused.
 */
export class LaunchTokens {
  readonly #byToken = new Map<string, { readonly request: LaunchInstance; readonly result: LaunchResult }>();

  look(command: LaunchInstance): TokenAnswer {
    const known = this.#byToken.get(command.token);
    if (known === undefined) return { kind: "new" };
    return sameJson(known.request, command) ? { kind: "same", result: known.result } : { kind: "mismatch" };
  }

  remember(command: LaunchInstance, result: LaunchResult): void {
    this.#byToken.set(command.token, { request: command, result });
  }
}
