import type { Reason } from "#core/reason.ts";

/** What happens that people want to hear of, as an event on a bus. Documented in docs/events.md. */
export interface DecisionEvent {
  readonly detailType: "launched" | "registered" | "disrupted" | "interrupted" | "failed";
  readonly detail: Readonly<Record<string, unknown>>;
}

const detailTypes: Readonly<Partial<Record<Reason["code"], DecisionEvent["detailType"]>>> = {
  "claim-launched": "launched",
  "claim-registered": "registered",
  "claim-deleted": "disrupted",
  "claim-interrupted": "interrupted",
  "claim-launch-failed": "failed",
};

/** Said of a NodeClaim once, although events tell it of the node as well. */
export function decisionEvents(
  reasons: readonly Reason[],
  context: { readonly cluster: string; readonly decisionId: string; readonly atMs: number },
): readonly DecisionEvent[] {
  return reasons.flatMap(({ about, code, message, data = {}, event }): readonly DecisionEvent[] => {
    const detailType = detailTypes[code];
    if (detailType === undefined || about.kind !== "NodeClaim") return [];
    // The interruption itself is told.
    if (event?.reason === "TerminatingOnInterruption") return [];
    const { cluster, decisionId, atMs } = context;
    const detail = {
      ...{ cluster, nodeClaim: about.name, message, ...data },
      ...{ decision: decisionId, time: new Date(atMs).toISOString() },
    };
    return [{ detailType, detail }];
  });
}

/** A tick that a defect ended. */
export function failedTickEvent(
  cutShort: { readonly stage: string; readonly message: string },
  context: { readonly cluster: string; readonly decisionId: string; readonly atMs: number },
): DecisionEvent {
  const { cluster, decisionId, atMs } = context;
  const detail = { cluster, ...cutShort, decision: decisionId, time: new Date(atMs).toISOString() };
  return { detailType: "failed", detail };
}
