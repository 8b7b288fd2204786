import { GetObjectCommand, PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import type { Clock } from "#ports/clock.ts";
import { decodeCatalogue, encodeCatalogue } from "./catalogue-file.ts";
import { faultOf } from "./fault-table.ts";

/** Prices change each hour, types hardly ever. */
const lookedAtEachMs = 5 * 60_000;

/** The catalogue's object in S3. A container keeps what it read, the same object while the file is the same. */
export class CatalogueStore {
  readonly #s3: S3Client;
  readonly #place: { readonly Bucket: string; readonly Key: string };
  readonly #clock: Clock;
  #kept: { readonly catalogue: Catalogue; readonly tag: string | undefined } | undefined;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(s3: S3Client, { bucket, key }: { readonly bucket: string; readonly key: string }, clock: Clock) {
    this.#s3 = s3;
    this.#place = { Bucket: bucket, Key: key };
    this.#clock = clock;
  }

  /** Undefined while there is none. Throws what S3 throws unless an older one is at hand, and for a damaged file. */
  readonly read = async (): Promise<Catalogue | undefined> => {
    if (this.#kept !== undefined && this.#clock.nowMs() - this.#lookedAtMs < lookedAtEachMs)
      return this.#kept.catalogue;
    try {
      await this.#look();
    } catch (error) {
      if (this.#kept === undefined) throw error;
    }
    return this.#kept?.catalogue;
  };

  async write(catalogue: Catalogue): Promise<void> {
    const Body = encodeCatalogue(catalogue);
    await this.#s3.send(new PutObjectCommand({ ...this.#place, Body, ContentType: "application/gzip" }));
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #look(): Promise<void> {
    const known = this.#kept?.tag;
    try {
      const { Body, ETag } = await this.#s3.send(
        new GetObjectCommand({ ...this.#place, ...(known === undefined ? {} : { IfNoneMatch: known }) }),
      );
      const answer = decodeCatalogue((await Body?.transformToByteArray()) ?? new Uint8Array());
      if (answer.kind === "problems")
        throw new Error(`s3://${this.#place.Bucket}/${this.#place.Key}: ${answer.problems[0]}`);
      this.#kept = { catalogue: answer.catalogue, tag: ETag };
    } catch (error) {
      if (!isUnchanged(error) && faultOf(error).kind !== "not-found") throw error;
    }
    this.#lookedAtMs = this.#clock.nowMs();
  }
}

/** S3 answers 304, which the client takes for an error. */
function isUnchanged(error: unknown): boolean {
  const metadata = error instanceof Error && "$metadata" in error ? error.$metadata : undefined;
  return (
    typeof metadata === "object" && metadata !== null && "httpStatusCode" in metadata && metadata.httpStatusCode === 304
  );
}
