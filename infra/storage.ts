import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { Grant } from "./permissions/grant.ts";

/** How long a tick can be looked at again. */
const recordingDays = 14;

/** All of it can be made anew, or is of use for days only: it goes with the stack. */
const common: BucketProps = {
  blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
  encryption: BucketEncryption.S3_MANAGED,
  enforceSSL: true,
  removalPolicy: RemovalPolicy.DESTROY,
  autoDeleteObjects: true,
};

/** The buckets of a cluster: what the region offers, and recordings of ticks. */
export class Storage extends Construct {
  readonly catalogue: Bucket;
  readonly recordings: Bucket | undefined;
  readonly #clusterName: string;

  constructor(scope: Construct, id: string, props: { readonly clusterName: string; readonly recordings: boolean }) {
    super(scope, id);
    this.#clusterName = props.clusterName;
    this.catalogue = new Bucket(this, "Catalogue", common);
    if (props.recordings) {
      this.recordings = new Bucket(this, "Recordings", {
        ...common,
        lifecycleRules: [
          { expiration: Duration.days(recordingDays), abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ],
      });
    }
  }

  readCatalogue(): readonly Grant[] {
    return [
      { sid: "ReadCatalogue", actions: ["s3:GetObject"], resources: [this.catalogue.arnForObjects(this.#key)] },
      // Without it S3 says "forbidden" of a file that is not there.
      { sid: "SeeWhetherCatalogueIsThere", actions: ["s3:ListBucket"], resources: [this.catalogue.bucketArn] },
    ];
  }

  writeCatalogue(): readonly Grant[] {
    const resources = [this.catalogue.arnForObjects(this.#key)];
    return [...this.readCatalogue(), { sid: "WriteCatalogue", actions: ["s3:PutObject"], resources }];
  }

  writeRecordings(): readonly Grant[] {
    if (this.recordings === undefined) return [];
    return [
      {
        sid: "KeepRecordings",
        actions: ["s3:PutObject"],
        resources: [this.recordings.arnForObjects(`recordings/${this.#clusterName}/*`)],
        wildcard: "a file a tick, named by its time",
      },
    ];
  }

  get #key(): string {
    return `catalogue/${Stack.of(this).region}.json.gz`;
  }
}
