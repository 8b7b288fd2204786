import { DescribeInstancesCommand, type Instance } from "@aws-sdk/client-ec2";
import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3";
import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { AwsCloud } from "#aws/aws-cloud.ts";
import { CatalogueStore } from "#aws/catalogue-store.ts";
import type { Configuration } from "#controllers/ports.ts";
import { reconcile } from "#controllers/reconcile.ts";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Clock } from "#ports/clock.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import { machineResources } from "#simulator/ec2/machine-resources.ts";
import { SimulatedCluster } from "#simulator/kubernetes/simulated-cluster.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { prepareAccount, type StandInAccount } from "./account.ts";
import { type Clients, clientsOf } from "./clients.ts";
import type { StandIn } from "./stand-in.ts";

export const worldSettings: Settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };
/** The role whose keys the loop's calls are signed with, as those of the function are: the stand-in notes what they ask of IAM. */
export const loopRoleArn = "arn:aws:iam::123456789012:role/reconcile";
const place = { bucket: "catalogue", key: "us-east-1.json.gz" };
const kubernetesNetworkConfig = { serviceIpv4Cidr: "10.100.0.0/16" };

type Credentials = Awaited<ReturnType<StandIn["assume"]>>;

/** The whole loop against the stand-in for AWS and a simulated cluster, whose machines boot when EC2 says "running". */
export class AwsWorld {
  readonly cluster: SimulatedCluster;
  readonly account: StandInAccount;
  readonly clients: Clients;
  readonly reports: TickReport<Ec2View>[] = [];
  settings: Settings = worldSettings;
  cloud: AwsCloud;
  readonly #standIn: StandIn;
  readonly #clock: VirtualClock;
  readonly #templates = new Map<string, EnsureLaunchTemplate>();
  readonly #templateOfClaim = new Map<string, EnsureLaunchTemplate>();
  readonly #booted = new Set<string>();
  /** Of the role that the loop has. */
  readonly #credentials: Credentials;
  /** How far the stand-in's clock was moved. */
  #skippedMs = 0;

  private constructor(standIn: StandIn, clients: Clients, account: StandInAccount, credentials: Credentials) {
    this.#standIn = standIn;
    this.#credentials = credentials;
    this.clients = clients;
    this.account = account;
    this.#clock = new VirtualClock(Date.now());
    this.cluster = new SimulatedCluster({ clock: this.#clock, seed: 1 });
    this.cloud = this.newCloud();
  }

  /** An empty account with a VPC, an EKS cluster, and a catalogue in S3; a cluster with `objects`. */
  static async start(standIn: StandIn, objects: readonly object[], zones?: readonly string[]): Promise<AwsWorld> {
    await standIn.reset();
    const clients = clientsOf(standIn);
    const account = await prepareAccount(clients, "demo", "node", zones);
    const roleArn = "arn:aws:iam::123456789012:role/x";
    await clients.eks.send(
      new CreateClusterCommand({ name: "demo", roleArn, resourcesVpcConfig: {}, kubernetesNetworkConfig }),
    );
    const { endpoint, region } = standIn;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    await s3.send(new CreateBucketCommand({ Bucket: place.bucket }));
    await clients.iam.send(new CreateRoleCommand({ RoleName: "reconcile", AssumeRolePolicyDocument: "{}" }));
    const role = await standIn.assume(loopRoleArn, "loop");
    const world = new AwsWorld(standIn, clients, account, role);
    await new CatalogueStore(s3, place, world.clock).write(embeddedCatalogue());
    world.load(...objects);
    return world;
  }

  /** Its waiting is the world's passing. */
  get clock(): Clock {
    const { nowMs } = this.#clock;
    return { nowMs, sleepUntil: (atMs) => this.pass(Math.max(atMs - nowMs(), 0)) };
  }

  get nowMs(): number {
    return this.#clock.nowMs();
  }

  /** Another container, which remembers nothing. */
  newCloud(): AwsCloud {
    const { endpoint, region } = this.#standIn;
    const access = { endpoint, region, credentials: this.#credentials };
    return new AwsCloud({ clusterName: "demo", ...access, catalogue: place }, this.clock);
  }

  load(...objects: readonly object[]): void {
    const [refused] = this.cluster.load(objects);
    if (refused !== undefined) throw new Error(refused.message);
  }

  list<T extends KubeObject>(kind: Parameters<SimulatedCluster["api"]["store"]["list"]>[0]): readonly T[] {
    return this.cluster.api.store.list(kind) as unknown as readonly T[];
  }

  /** A merge patch of its spec. */
  patchNodeClass(spec: Readonly<Record<string, Json>>): void {
    const answer = this.cluster.api.patch("EC2NodeClass", "default", undefined, { spec });
    if (answer.kind === "refused") throw new Error(answer.message);
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.nowMs + ms;
    // The stand-in's clock runs by itself too.
    const aheadMs = Date.now() + this.#skippedMs;
    const jumpMs = Math.max(Math.round(untilMs - aheadMs), 0);
    if (jumpMs > 0) await this.#standIn.advance(jumpMs);
    this.#skippedMs += jumpMs;
    await this.#clock.runUntil(untilMs);
  }

  /** Ticks `everyMs` apart; a machine boots, or is gone, between two of them. */
  async ticks(count: number, everyMs = 10_000): Promise<void> {
    for (let tick = 0; tick < count; tick++) {
      await this.tick();
      await this.pass(everyMs);
      await this.#meetMachines();
    }
  }

  async tick(): Promise<TickReport<Ec2View>> {
    const configuration: Configuration<Ec2Query, Ec2View> = { provider: ec2Provider, settings: this.settings, seed: 1 };
    const session = this.cluster.connect();
    const { cloud, clock } = this;
    const report = await reconcile({ cluster: session, cloud, clock, telemetry: { tick: () => {} } }, configuration);
    session.close();
    this.reports.push(report);
    for (const { command } of report.steps) this.#remember(command);
    return report;
  }

  async instances(): Promise<readonly Instance[]> {
    const { Reservations = [] } = await this.clients.ec2.send(new DescribeInstancesCommand({ MaxResults: 1_000 }));
    return Reservations.flatMap((reservation) => reservation.Instances ?? []);
  }

  #remember(command: TickReport["steps"][number]["command"]): void {
    if (command.kind === "ensure-launch-template") this.#templates.set(command.name, command);
    if (command.kind !== "launch-instance") return;
    const template = this.#templates.get(command.options[0]?.launchTemplate ?? "");
    if (template !== undefined) this.#templateOfClaim.set(command.nodeClaim, template);
  }

  async #meetMachines(): Promise<void> {
    for (const instance of await this.instances()) {
      const { InstanceId: id = "", State } = instance;
      if (State?.Name === "running" && !this.#booted.has(id)) this.#boot(instance);
      else if (this.#booted.has(id) && State?.Name !== "running") this.cluster.machines.gone(id);
    }
  }

  #boot(instance: Instance): void {
    const { InstanceId: instanceId = "", InstanceType: instanceType = "", Placement, Tags = [] } = instance;
    const claim = Tags.find(({ Key }) => Key === "karpenter.sh/nodeclaim")?.Value ?? "";
    const template = this.#templateOfClaim.get(claim);
    const type = embeddedCatalogue().types.find(({ name }: CatalogueType) => name === instanceType);
    if (template === undefined || type === undefined) return;
    this.#booted.add(instanceId);
    const zone = Placement?.AvailabilityZone ?? "";
    this.cluster.machines.booted({
      ...{ instanceId, instanceType, zone, region: "us-east-1", arch: type.arch, os: "linux" },
      providerID: `aws:///${zone}/${instanceId}`,
      nodeName: `${instanceId}.ec2.internal`,
      bootstrap: template.bootstrap,
      ...machineResources(type, template),
    });
  }
}
