import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { interruptionGroup, reconcileGroup } from "#ports/rights.ts";
import { type FunctionName, functionNames } from "../../../infra/bundle.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { prepareAccount } from "../../support/aws/account.ts";
import { clientsOf } from "../../support/aws/clients.ts";
import { StandIn } from "../../support/aws/stand-in.ts";
import { freePorts } from "../../support/control-plane/free-ports.ts";
import { type DeployedBundle, deployBundle } from "../../support/lambda-runtime/deployed-bundle.ts";
import { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";
import { type RealCluster, startRealCluster } from "./real-cluster.ts";
import { StandInSts } from "./stand-in-sts.ts";
import { TokenReview, tokenReviewFlags } from "./token-review.ts";

const clusterName = "functions";
const bucket = "outrigger-functions";
const nodeRole = "node-role";
const account = "123456789012";

/** Credentials of a function's role, as Lambda gives them. */
function identityOf(name: FunctionName): AwsIdentity {
  return { accessKeyId: `ASIA${name.toUpperCase()}`, secretAccessKey: `not-a-secret-${name}` };
}

const groupsOf: Readonly<Record<FunctionName, readonly string[]>> = {
  reconcile: [reconcileGroup],
  interruption: [interruptionGroup],
  catalog: [],
  conversion: [],
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
  readonly #review: TokenReview;
  readonly #sts: StandInSts;

  private constructor(real: RealCluster, review: TokenReview, sts: StandInSts, standIn: StandIn) {
    this.real = real;
    this.#review = review;
    this.#sts = sts;
    this.standIn = standIn;
  }

  static async start(): Promise<FunctionWorld> {
    const [port = 0] = await freePorts(1);
    const real = await startRealCluster({
      apiServerFlags: ({ root, pki }) => tokenReviewFlags(root, `${pki}/ca.crt`, port),
    });
    const { pem, url, caPem } = real.controlPlane;
    const sts = await StandInSts.start();
    const certificate = { key: pem("webhook.key"), cert: pem("webhook.crt") };
    const review = await TokenReview.start(clusterName, port, certificate, sts.port);
    for (const name of functionNames) {
      const role = `outrigger-${name}`;
      sts.signers.push({ identity: identityOf(name), arn: `arn:aws:sts::${account}:assumed-role/${role}/function` });
      review.entries.push({ principalArn: `arn:aws:iam::${account}:role/${role}`, groups: groupsOf[name] });
    }
    const standIn = await StandIn.start({ KUBE_ENDPOINT: url, KUBE_CA: Buffer.from(caPem).toString("base64") });
    const clients = clientsOf(standIn);
    await prepareAccount(clients, clusterName, nodeRole);
    await clients.eks.send(
      new CreateClusterCommand({
        name: clusterName,
        roleArn: "arn:aws:iam::123456789012:role/cluster",
        version: "1.32",
        resourcesVpcConfig: {},
      }),
    );
    await s3Of(standIn).send(new CreateBucketCommand({ Bucket: bucket }));
    return new FunctionWorld(real, review, sts, standIn);
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

  async stop(): Promise<void> {
    for (const each of this.functions) await each.chill();
    for (const { remove } of this.bundles.values()) remove();
    this.#review.stop();
    this.#sts.stop();
    await this.standIn.stop();
    await this.real.stop();
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
