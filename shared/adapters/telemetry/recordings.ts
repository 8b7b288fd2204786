import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { recordingOf } from "#core/recording/recording.ts";
import type { TickReport } from "#ports/telemetry.ts";

const compressed = promisify(gzip);

/** Keeps recordings in S3, a file a tick; the bucket's rule deletes them after 14 days. */
export class Recordings {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #release: string;

  constructor(s3: S3Client, bucket: string, release: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#release = release;
  }

  /** Only ticks that changed something, or went wrong. Answers what went wrong here, in words. */
  async keep(report: TickReport): Promise<string | undefined> {
    const { snapshot, steps, changed, cutShort } = report;
    const hasFailed = cutShort !== undefined || steps.some(({ outcome }) => outcome.kind === "failed");
    if (!changed && !hasFailed) return undefined;
    const time = new Date(snapshot.nowMs).toISOString();
    const Key = `recordings/${snapshot.settings.clusterName}/${time.slice(0, 10)}/${time.slice(11)}-${snapshot.decisionId}.json.gz`;
    try {
      const Body = await compressed(JSON.stringify(recordingOf(report, this.#release)), { level: 1 });
      await this.#s3.send(new PutObjectCommand({ Bucket: this.#bucket, Key, Body, ContentType: "application/gzip" }));
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
