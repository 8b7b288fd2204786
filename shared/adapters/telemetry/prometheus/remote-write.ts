import type { TickReport } from "#ports/telemetry.ts";
import { allGauges, buildInfo } from "../metrics/all-gauges.ts";
import { PodTimes } from "../metrics/pod-times.ts";
import { SeriesBook } from "../metrics/series-book.ts";
import { tickSamples } from "../metrics/tick-samples.ts";
import { snappyCompressed } from "./snappy.ts";
import { writeRequest } from "./write-request.ts";

const sendMsMax = 5_000;

export type SentHeaders = Readonly<Record<string, string>>;

export interface RemoteWriteOptions {
  readonly url: string;
  readonly clusterName: string;
  readonly version: string;
  /** Whether series of single objects are sent. */
  readonly objectGauges: boolean;
  /** Tells this process's counters from those of others: each counts from 0. */
  readonly instance: string;
  /** Adds headers that say who sends it; absent: none. */
  readonly sign?: (url: URL, headers: SentHeaders, body: Uint8Array) => Promise<SentHeaders>;
}

/** Sends every series of a tick to Prometheus, by its remote write. */
export class RemoteWrite {
  readonly #options: RemoteWriteOptions;
  readonly #book = new SeriesBook();
  readonly #podTimes = new PodTimes();

  constructor(options: RemoteWriteOptions) {
    this.#options = options;
  }

  /** Another invocation may look from now on. */
  endInvocation(): void {
    this.#podTimes.forget();
  }

  /** Answers what went wrong, in words. What was not sent is in the next sending: counters only grow. */
  async send(report: TickReport): Promise<string | undefined> {
    const { url, clusterName: cluster, version, objectGauges, instance, sign } = this.#options;
    const gauges = objectGauges ? allGauges(report, version) : [buildInfo(version)];
    this.#book.add([...tickSamples(report), ...this.#podTimes.samples(report), ...gauges]);
    const beganMs = report.snapshot.nowMs;
    const endedMs = beganMs + Math.ceil(report.phases.reduce((sum, { durationMs }) => sum + durationMs, 0)) + 1;
    const body = snappyCompressed(writeRequest(this.#book.series(), { cluster, instance }, beganMs, endedMs));
    const headers = {
      "content-type": "application/x-protobuf",
      "content-encoding": "snappy",
      "x-prometheus-remote-write-version": "0.1.0",
      "user-agent": "outrigger",
    };
    try {
      const signed = sign === undefined ? headers : await sign(new URL(url), headers, body);
      const signal = AbortSignal.timeout(sendMsMax);
      const answer = await fetch(url, { method: "POST", headers: signed, body: Buffer.from(body), signal });
      return answer.ok ? undefined : `${answer.status}: ${(await answer.text()).slice(0, 300)}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
