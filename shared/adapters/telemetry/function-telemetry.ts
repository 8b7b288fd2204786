import type { Telemetry, TickReport } from "#ports/telemetry.ts";
import type { BatchTelemetryOptions } from "./batch-telemetry.ts";
import { decisionEvents, failedTickEvent } from "./decision-events.ts";
import { emfLine, extraSamples, tickSeries } from "./metrics/emf.ts";
import { poolLines } from "./pool-lines.ts";
import type { RemoteWrite } from "./prometheus/remote-write.ts";
import type { Recordings } from "./recordings.ts";
import { logTick } from "./tick-log.ts";

export interface TelemetryOptions extends BatchTelemetryOptions {
  readonly recordings: Recordings | undefined;
  readonly remoteWrite: RemoteWrite | undefined;
}

/** What a function tells of its ticks: at once to its log, and what needs a call behind the back of the next tick. */
export class FunctionTelemetry implements Telemetry {
  readonly #options: TelemetryOptions;
  #sending: Promise<void> = Promise.resolve();

  constructor(options: TelemetryOptions) {
    this.#options = options;
  }

  readonly tick = (report: TickReport): void => {
    const { clusterName, log, write, extraMetrics } = this.#options;
    logTick(report, log);
    const { nowMs } = report.snapshot;
    const line = emfLine(tickSeries(report), extraSamples(report, extraMetrics), clusterName, nowMs);
    if (line !== undefined) write(line);
    for (const pool of poolLines(report)) write(pool);
    this.#sending = this.#sending.then(() => this.#send(report));
  };

  /** Resolves when all that was told is on its way or has failed: a function stands still afterwards. */
  async settle(): Promise<void> {
    await this.#sending;
    this.#options.remoteWrite?.endInvocation();
  }

  async #send(report: TickReport): Promise<void> {
    const { clusterName, log, eventBus, recordings, remoteWrite } = this.#options;
    const { snapshot, decisions, cutShort } = report;
    const context = { cluster: clusterName, decisionId: snapshot.decisionId, atMs: snapshot.nowMs };
    const events = [
      ...decisionEvents(
        decisions.flatMap(({ decision }) => decision.reasons),
        context,
      ),
      ...(cutShort?.cause === "defect" ? [failedTickEvent(cutShort, context)] : []),
    ];
    const [event, recording, samples] = await Promise.all([
      eventBus?.put(events),
      recordings?.keep(report),
      remoteWrite?.send(report),
    ]);
    if (event !== undefined) log.warn("events could not be put on the bus", { problem: event });
    if (recording !== undefined) log.warn("the recording could not be kept", { problem: recording });
    if (samples !== undefined) log.warn("samples could not be sent to Prometheus", { problem: samples });
  }
}
