import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { interruptionGroup, reconcileGroup } from "#ports/rights.ts";
import { type FunctionName, functionNames } from "../../../infra/bundle.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import type { StandIn } from "../../support/aws/stand-in.ts";
import { type DeployedBundle, deployBundle } from "../../support/lambda-runtime/deployed-bundle.ts";
import { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";
import type { RealCluster } from "./real-cluster.ts";
import { entryOf, type SignedInCluster, startSignedInCluster } from "./signed-in-cluster.ts";
import { startStandInFor } from "./stand-in-for-cluster.ts";

const clusterName = "functions";
const bucket = "outrigger-functions";
const nodeRole = "node-role";

/** Credentials of a function's role, as Lambda gives them. */
function identityOf(name: FunctionName): AwsIdentity {
  return { accessKeyId: `ASIA${name.toUpperCase()}`, secretAccessKey: `not-a-secret-${name}` };
}

const groupsOf: Readonly<Record<FunctionName, readonly string[]>> = {
  reconcile: [reconcileGroup],
  interruption: [interruptionGroup],
  catalog: [],
  conversion: [],
  // As the access policy AmazonEKSClusterAdminPolicy.
  setup: ["system:masters"],
};

function s3Of({ endpoint, region }: StandIn): S3Client {
  return new S3Client({ endpoint, region, credentials: identityOf("catalog"), forcePathStyle: true });
}

/** The real bundles, run as Lambda runs them, between a real control plane and the stand-in for AWS. */
export class FunctionWorld {
  readonly real: RealCluster;
  readonly standIn: StandIn;
  readonly functions: LambdaFunction[] = [];
  readonly bundles = new Map<FunctionName, DeployedBundle>();
  readonly #cluster: SignedInCluster;

  private constructor(cluster: SignedInCluster, standIn: StandIn) {
    this.#cluster = cluster;
    this.real = cluster.real;
    this.standIn = standIn;
  }

  static async start(): Promise<FunctionWorld> {
    const cluster = await startSignedInCluster(clusterName);
    for (const name of functionNames) {
      const role = `outrigger-${name}`;
      cluster.knowKeys(identityOf(name), role);
      cluster.review.entries.push(entryOf(role, groupsOf[name]));
    }
    const standIn = await startStandInFor(cluster.real.controlPlane, clusterName, nodeRole);
    await s3Of(standIn).send(new CreateBucketCommand({ Bucket: bucket }));
    return new FunctionWorld(cluster, standIn);
  }

  /** Bundles and deploys it; the variables are those that the deployment gives it. */
  async deploy(
    name: FunctionName,
    timeoutMs: number,
    variables: Readonly<Record<string, string>> = {},
  ): Promise<LambdaFunction> {
    const deployed = this.bundles.get(name) ?? (await deployBundle(name));
    this.bundles.set(name, deployed);
    const { endpoint, region } = this.standIn;
    const identity = identityOf(name);
    const common = {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: identity.accessKeyId,
      AWS_SECRET_ACCESS_KEY: identity.secretAccessKey,
      AWS_ENDPOINT_URL: endpoint,
      CLUSTER_NAME: clusterName,
      CATALOGUE_BUCKET: bucket,
      RECORDINGS_BUCKET: bucket,
      EVENT_BUS: "default",
      RECONCILE_FUNCTION: "reconcile",
    };
    const settings = { deployed, name, timeoutMs, memoryMB: 512, variables: { ...common, ...variables } };
    const made = new LambdaFunction(settings);
    this.functions.push(made);
    return made;
  }

  /** How many recordings are kept. */
  async recordings(): Promise<number> {
    const { Contents = [] } = await s3Of(this.standIn).send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: `recordings/${clusterName}/` }),
    );
    return Contents.length;
  }

  /** The recordings as they are kept, compressed, in their order. */
  async readRecordings(): Promise<readonly Uint8Array[]> {
    const client = s3Of(this.standIn);
    const Prefix = `recordings/${clusterName}/`;
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix }));
    const bodies: Uint8Array[] = [];
    for (const { Key } of Contents) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
      if (Body !== undefined) bodies.push(await Body.transformToByteArray());
    }
    return bodies;
  }

  async stop(): Promise<void> {
    for (const each of this.functions) await each.chill();
    for (const { remove } of this.bundles.values()) remove();
    await this.standIn.stop();
    await this.#cluster.stop();
  }
}

export const functionNodeClass = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "default" },
  spec: {
    role: nodeRole,
    amiSelectorTerms: [{ alias: "al2023@latest" }],
    subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": clusterName } }],
    securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": clusterName } }],
  },
};
