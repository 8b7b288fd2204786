import type { Decision } from "#core/decision.ts";
import { decisionEvents } from "./decision-events.ts";
import type { EventBus } from "./event-bus.ts";
import { emfLine } from "./metrics/emf.ts";
import type { Sample } from "./metrics/sample.ts";
import { type Log, logReason } from "./tick-log.ts";

/** What is told of a batch of messages. */
export interface BatchReport {
  readonly decision: Decision;
  readonly failed: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  /** Of the messages, ms. */
  readonly agesMs: readonly number[];
  readonly ignored: readonly string[];
  readonly unreadable?: string;
  readonly held?: true;
}

export interface BatchTelemetryOptions {
  readonly clusterName: string;
  readonly log: Log;
  readonly write: (line: string) => void;
  readonly extraMetrics: readonly string[];
  readonly eventBus: EventBus | undefined;
}

/** Foreign messages come by the thousand: those that nobody sent right are told, and no more of them than this. */
const ignoredMax = 5;

/** Tells what a batch was about, under this id. */
export async function tellBatch(
  report: BatchReport,
  { clusterName, log, write, extraMetrics, eventBus }: BatchTelemetryOptions,
  { decisionId, atMs }: { readonly decisionId: string; readonly atMs: number },
): Promise<void> {
  const { decision, failed, counts, ignored, unreadable, held } = report;
  for (const reason of decision.reasons) logReason(reason, { decision: decisionId, stage: "interruption" }, log);
  for (const message of ignored.filter((text) => !text.startsWith("foreign")).slice(0, ignoredMax)) {
    log.warn("a message that nothing can be made of", { problem: message });
  }
  if (unreadable !== undefined) log.error("the cluster could not be looked at", { problem: unreadable, failed });
  else if (held) log.warn("Outrigger is paused: messages return to the queue", { failed });
  else if (failed.length > 0) log.warn("messages return to the queue", { failed });
  log.debug("batch", { decision: decisionId, counts });
  const interrupted = decision.reasons.filter(
    ({ code, about }) => code === "claim-interrupted" && about.kind === "NodeClaim",
  );
  const wanted = batchSamples(report).filter(({ name }) => extraMetrics.includes(name));
  const line = emfLine({ Interruptions: interrupted.length }, wanted, clusterName, atMs);
  if (line !== undefined) write(line);
  const context = { cluster: clusterName, decisionId, atMs };
  const problem = await eventBus?.put(decisionEvents(decision.reasons, context));
  if (problem !== undefined) log.warn("events could not be put on the bus", { problem });
}

/** Karpenter's counters of its queue. */
export function batchSamples({
  counts,
  failed,
  agesMs,
}: Pick<BatchReport, "counts" | "failed" | "agesMs">): readonly Sample[] {
  const received = Object.entries(counts);
  const all = received.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...received.map(([kind, value]) => ({
      name: "karpenter_interruption_received_messages_total",
      labels: { message_type: kind.replaceAll("-", "_") },
      value,
    })),
    ...agesMs.map((ageMs) => ({
      name: "karpenter_interruption_message_queue_duration_seconds",
      labels: {},
      value: ageMs / 1000,
    })),
    { name: "karpenter_interruption_deleted_messages_total", labels: {}, value: all - failed.length },
  ];
}
