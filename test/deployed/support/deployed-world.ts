import {
  DescribeLaunchTemplatesCommand,
  type EC2Client,
  type Instance,
  type LaunchTemplate,
} from "@aws-sdk/client-ec2";
import { type IAMClient, type InstanceProfile, ListInstanceProfilesCommand } from "@aws-sdk/client-iam";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import { PutParameterCommand } from "@aws-sdk/client-ssm";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { ClusterConfig } from "../../../infra/clusters.ts";
import { listAll, type RealAdmin } from "../../e2e/support/admin-client.ts";
import { FakeKubelet } from "../../e2e/support/fake-kubelet.ts";
import { account, type SignedInCluster, startSignedInCluster } from "../../e2e/support/signed-in-cluster.ts";
import { startStandInFor } from "../../e2e/support/stand-in-for-cluster.ts";
import { clientsOf } from "../../support/aws/clients.ts";
import type { StandIn, StandInAccessEntry } from "../../support/aws/stand-in.ts";
import { DeployedFunctions } from "./deployed-functions.ts";
import { Machines } from "./machines.ts";
import { QueuePoller } from "./queue-poller.ts";
import { Scheduler } from "./schedules.ts";
import { ServiceHarness } from "./service-harness.ts";
import { Toolkit } from "./toolkit.ts";

export const clusterName = "demo";
/** Shorter than the world's: the journey has a few of them to wait for. */
const minuteMs = 20_000;
const kubeletDelays = { joinMs: 1_000, readyMs: 1_000, podStartMs: 300, podStopMs: 500 };
const ec2Delays = { pendingMs: 2_000, shuttingDownMs: 4_000 };
/** EKS: what this access policy lets its principal do is authorized by itself; here a group stands for it. */
const adminPolicy = /:cluster-access-policy\/AmazonEKSClusterAdminPolicy$/;

/**
 * All that a deployment needs, on this machine: a real control plane whose tokens are reviewed as EKS does it, an AWS account
 * by the stand-in, and what runs functions in AWS: Lambda, its pollers, the scheduler, CloudFormation's custom resources.
 * Outrigger itself comes by `deploy`, and knows of none of it.
 */
export class DeployedWorld {
  readonly standIn: StandIn;
  readonly functions: DeployedFunctions;
  readonly harness: ServiceHarness;
  readonly machines: Machines;
  readonly scheduler: Scheduler;
  readonly kubelet: FakeKubelet;
  readonly #cluster: SignedInCluster;
  readonly #poller: QueuePoller;
  readonly #toolkit: Toolkit;
  readonly #clients: { readonly ec2: EC2Client; readonly iam: IAMClient };

  private constructor(
    cluster: SignedInCluster,
    parts: Pick<DeployedWorld, "standIn" | "functions" | "harness">,
    random: () => number,
  ) {
    this.#cluster = cluster;
    ({ standIn: this.standIn, functions: this.functions, harness: this.harness } = parts);
    this.#clients = clientsOf(this.standIn);
    this.kubelet = new FakeKubelet(cluster.real.admin, kubeletDelays);
    this.machines = new Machines(this.standIn, this.#clients.ec2, this.kubelet);
    this.#poller = new QueuePoller(this.standIn, this.functions);
    this.scheduler = new Scheduler(this.standIn, this.functions, minuteMs, random);
    this.#toolkit = new Toolkit(this.standIn);
  }

  static async start(random: () => number): Promise<DeployedWorld> {
    const cluster = await startSignedInCluster(clusterName, {}, true);
    const standIn = await startStandInFor(cluster.real.controlPlane, clusterName, "someone-elses-role");
    await standIn.configure(ec2Delays);
    await bootstrap(standIn);
    cluster.review.moreEntries = async () => (await standIn.accessEntries()).map(groupsOf);
    const functions = new DeployedFunctions(standIn, s3Of(standIn), (identity, roleArn) =>
      cluster.knowKeys(identity, roleArn.split("/").at(-1) ?? ""),
    );
    const harness = await ServiceHarness.start(standIn, functions);
    const world = new DeployedWorld(cluster, { standIn, functions, harness }, random);
    void world.#poller.run();
    void world.machines.run();
    world.scheduler.start();
    return world;
  }

  get admin(): RealAdmin {
    return this.#cluster.real.admin;
  }

  /** The stack's outputs, by name. */
  deploy(settings: Omit<ClusterConfig, "name">): Promise<Readonly<Record<string, string>>> {
    return this.#toolkit.deploy({ name: clusterName, account, region: this.standIn.region, ...settings });
  }

  customResources(): Promise<Readonly<Record<string, string>>> {
    return this.#toolkit.customResources(clusterName);
  }

  destroy(): Promise<void> {
    return this.#toolkit.destroy();
  }

  async stop(): Promise<void> {
    this.scheduler.stop();
    this.#poller.stop();
    this.machines.stop();
    this.harness.stop();
    this.kubelet.stop();
    await this.functions.stop();
    await this.standIn.stop();
    this.#toolkit.remove();
    await this.#cluster.stop();
  }

  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects) {
      const reply = await this.admin.create(object);
      if (reply.kind === "refused") throw new Error(reply.message);
    }
  }

  async scale(deployment: string, replicas: number): Promise<void> {
    const reply = await this.admin.patch("Deployment", deployment, "default", { spec: { replicas } });
    if (reply.kind === "refused") throw new Error(reply.message);
  }

  /** Pods of an app that run and are to stay. */
  async running(app: string): Promise<readonly Pod[]> {
    const pods = (await listAll(this.admin, "Pod")) as readonly Pod[];
    return pods.filter(
      ({ metadata, status }) =>
        metadata.labels?.app === app && status?.phase === "Running" && metadata.deletionTimestamp === undefined,
    );
  }

  /** Reasons of the events about an object, by its name. */
  async eventsAbout(name: string): Promise<readonly string[]> {
    const reply = await this.admin.call({
      method: "GET",
      path: `/api/v1/events?fieldSelector=involvedObject.name%3D${name}`,
    });
    if (reply.kind === "refused") throw new Error(reply.message);
    const { items } = reply.object as { readonly items: readonly { readonly reason: string }[] };
    return items.map(({ reason }) => reason);
  }

  async claims(): Promise<readonly NodeClaim[]> {
    return (await listAll(this.admin, "NodeClaim")) as readonly NodeClaim[];
  }

  async nodes(): Promise<readonly Node[]> {
    return (await listAll(this.admin, "Node")) as readonly Node[];
  }

  /** Objects that somebody still holds, of the kinds that Outrigger puts finalizers on. */
  async finalizers(): Promise<readonly string[]> {
    const kinds = ["NodeClaim", "NodePool", "EC2NodeClass", "Node"];
    const objects = (await Promise.all(kinds.map((kind) => listAll(this.admin, kind)))).flat();
    return objects.flatMap(({ kind, metadata: { name, finalizers = [] } }) =>
      finalizers.map((finalizer) => `${kind} ${name}: ${finalizer}`),
    );
  }

  /** What Outrigger made in EC2 and IAM and has not removed: instances that live, launch templates, instance profiles. */
  async made(): Promise<{
    readonly instances: readonly Instance[];
    readonly templates: readonly LaunchTemplate[];
    readonly profiles: readonly InstanceProfile[];
  }> {
    const { ec2, iam } = this.#clients;
    const instances = await this.machines.living();
    const { LaunchTemplates: templates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
    const { InstanceProfiles: profiles = [] } = await iam.send(new ListInstanceProfilesCommand({}));
    return { instances, templates, profiles };
  }
}

/** As `cdk bootstrap` leaves an account, as far as a deployment looks. */
async function bootstrap(standIn: StandIn): Promise<void> {
  const bucket = `cdk-hnb659fds-assets-${account}-${standIn.region}`;
  await s3Of(standIn).send(new CreateBucketCommand({ Bucket: bucket }));
  const version = { Name: "/cdk-bootstrap/hnb659fds/version", Value: "30", Type: "String" } as const;
  await clientsOf(standIn).ssm.send(new PutParameterCommand(version));
}

function s3Of({ endpoint, region }: StandIn): S3Client {
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true });
}

function groupsOf({ principalArn, kubernetesGroups, accessPolicies = [] }: StandInAccessEntry) {
  const isAdmin = accessPolicies.some((policy) => adminPolicy.test(policy));
  return { principalArn, groups: [...kubernetesGroups, ...(isAdmin ? ["system:masters"] : [])] };
}
