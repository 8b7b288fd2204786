import type { Reason, ReasonCode } from "#core/reason.ts";
import { pauseOf, pauseText } from "#core/state/pause.ts";
import type { TickReport } from "#ports/telemetry.ts";

/** A structured logger: a message, and fields beside it. */
export interface Log {
  readonly debug: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly info: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly error: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Something was done, or a person should know. Others are said again each tick, and only a debugger wants them. */
const news: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  "claim-created",
  "claim-launched",
  "claim-adopted",
  "claim-registered",
  "claim-initialized",
  "claim-deleted",
  "claim-terminated",
  "claim-interrupted",
  "node-disrupted",
  "instance-collected",
]);
const warnings: ReadonlySet<ReasonCode> = new Set<ReasonCode>(["claim-launch-failed", "write-failed", "brake"]);

/** Of a kind and tick: a storm is counted, not told one by one. */
const linesMax = 50;

/** One line a tick that did something, and one for each thing that it did, each with the decision's id. */
export function logTick(report: TickReport, log: Log): void {
  const { snapshot, decisions, steps, changed, cutShort, phases } = report;
  const decision = snapshot.decisionId;
  const lines = new Map<ReasonCode, number>();
  for (const { stage, decision: decided } of decisions) {
    for (const reason of decided.reasons) {
      const count = (lines.get(reason.code) ?? 0) + 1;
      lines.set(reason.code, count);
      if (count <= linesMax) logReason(reason, { decision, stage }, log);
    }
  }
  const failed = steps.filter(({ outcome }) => outcome.kind === "failed").length;
  const summary = {
    ...{ decision, changed, commands: steps.length, failed },
    durationMs: Math.round(phases.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    counts: Object.fromEntries(lines),
  };
  const pause = pauseOf(snapshot.cluster.state, snapshot.nowMs);
  if (pause !== undefined) log.warn(pauseText(pause), summary);
  if (pause?.kind === "all") return;
  if (cutShort?.cause === "defect") log.error(`the tick ended in ${cutShort.stage}: ${cutShort.message}`, summary);
  else if (cutShort !== undefined) log.warn(`the tick ended before ${cutShort.stage}: ${cutShort.message}`, summary);
  else if (changed || failed > 0) log.info("tick", summary);
  else log.debug("tick", summary);
}

export function logReason(reason: Reason, fields: Readonly<Record<string, string>>, log: Log): void {
  const { about, code, message, data } = reason;
  const key = { NodeClaim: "claim", Node: "node", NodePool: "pool", Pod: "pod" }[about.kind as string] ?? "object";
  const name = about.namespace === undefined ? about.name : `${about.namespace}/${about.name}`;
  const all = { ...fields, code, [key]: name, ...(data === undefined ? {} : { data }) };
  if (warnings.has(code)) log.warn(message, all);
  else if (news.has(code)) log.info(message, all);
  else log.debug(message, all);
}
