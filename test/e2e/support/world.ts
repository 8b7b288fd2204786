import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { interruptionGroup, reconcileGroup } from "#ports/rights.ts";
import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import { stateOf } from "#simulator/ec2/instances.ts";
import { SimulatedEc2 } from "#simulator/ec2/simulated-ec2.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { listAll, type RealAdmin } from "./admin-client.ts";
import { auditFlags } from "./audit.ts";
import { FakeCsi } from "./fake-csi.ts";
import { FakeKubelet, type KubeletDelays } from "./fake-kubelet.ts";
import { InterruptionFunction } from "./interruption-function.ts";
import { kubectl } from "./kubectl.ts";
import { manifestAt } from "./manifests.ts";
import { startPacedClock } from "./paced-clock.ts";
import { eventually, type RealCluster, unsupportedCrds } from "./real-cluster.ts";
import { Runs } from "./runs.ts";
import { entryOf, type SignedInCluster, startSignedInCluster } from "./signed-in-cluster.ts";
import type { TokenReview } from "./token-review.ts";

const clusterName = "e2e";
export const settings: Settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:aws:eks:us-east-1:123456789012:cluster/e2e@2026-01-01T00:00:00.000Z",
  // Opted into for the way to zero nodes and back; no other scenario has pods there.
  ignoreWhenAloneNamespaces: ["kube-system"],
};

/** The IAM roles of the functions: keys, and the access entry's group. */
const roles = {
  reconcile: {
    identity: { accessKeyId: "AKIDRECONCILE", secretAccessKey: "not-a-secret" },
    group: reconcileGroup,
  },
  interruption: {
    identity: { accessKeyId: "AKIDINTERRUPTION", secretAccessKey: "not-a-secret-either" },
    group: interruptionGroup,
  },
} as const satisfies Readonly<Record<string, { readonly identity: AwsIdentity; readonly group: string }>>;

const quick: KubeletDelays = { joinMs: 300, readyMs: 300, podStartMs: 100, podStopMs: 200 };
const ec2Delays = {
  launchReplyMs: [200, 400],
  replyMs: [10, 40],
  pendingMs: [300, 600],
  bootMs: [500, 1_000],
  shuttingDownMs: [500, 1_000],
  staleMs: [0, 500],
} as const;

/**
 * A real control plane, nodes by a simulated EC2 and kubelets of ours, and the functions, which sign in as they do on
 * EKS. The administrator's certificate is the driver's, the kubelets' and the CSI driver's alone.
 */
export class World {
  readonly real: RealCluster;
  readonly ec2: SimulatedEc2;
  readonly kubelet: FakeKubelet;
  readonly review: TokenReview;
  readonly runs: Runs;
  readonly csi: FakeCsi;
  readonly #stopCluster: () => Promise<void>;
  readonly #interruption: InterruptionFunction;
  readonly #stopClock: () => void;

  private constructor(cluster: SignedInCluster) {
    const { real, review } = cluster;
    this.real = real;
    this.review = review;
    this.#stopCluster = cluster.stop;
    const { clock, stop } = startPacedClock();
    this.#stopClock = stop;
    this.kubelet = new FakeKubelet(real.admin, quick);
    const options = { seed: 1, clusterName, catalogue: embeddedCatalogue(), delays: ec2Delays };
    this.ec2 = new SimulatedEc2(clock, this.kubelet, options);
    this.runs = new Runs(real.controlPlane, this.ec2, roles.reconcile.identity, settings);
    this.csi = new FakeCsi(real.admin);
    this.#interruption = new InterruptionFunction(this.runs.connect(roles.interruption.identity));
    this.ec2.bus.subscribe((message) => this.#interruption.hear(message));
  }

  static async start(): Promise<World> {
    const groups = Object.values(roles).map(({ group }) => group);
    const cluster = await startSignedInCluster(clusterName, {
      apiServerFlags: ({ root }) => auditFlags(root, groups),
      controllerManagerFlags: ["--node-monitor-grace-period=60s"],
    });
    for (const [name, { identity, group }] of Object.entries(roles)) {
      cluster.knowKeys(identity, `outrigger-${name}`);
      cluster.review.entries.push(entryOf(`outrigger-${name}`, [group]));
    }
    const world = new World(cluster);
    await world.apply(...unsupportedCrds(), manifestAt("ec2nodeclass.yaml"));
    return world;
  }

  get admin(): RealAdmin {
    return this.real.admin;
  }

  async stop(): Promise<void> {
    await this.runs.stop();
    this.runs.close();
    this.#interruption.close();
    this.csi.stop();
    this.kubelet.stop();
    this.#stopClock();
    await this.#stopCluster();
  }

  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects) {
      const reply = await this.admin.create(object);
      if (reply.kind === "refused") throw new Error(reply.message);
    }
  }

  /** What kubectl prints to an administrator. */
  kubectl(...words: readonly string[]): Promise<string> {
    return kubectl(this.real.controlPlane.kubeconfig, ...words);
  }

  async pods(): Promise<readonly Pod[]> {
    return (await listAll(this.admin, "Pod")) as readonly Pod[];
  }

  async claims(): Promise<readonly NodeClaim[]> {
    return (await listAll(this.admin, "NodeClaim")) as readonly NodeClaim[];
  }

  async nodes(): Promise<readonly Node[]> {
    return (await listAll(this.admin, "Node")) as readonly Node[];
  }

  livingInstances(): number {
    return this.ec2.instances().filter((record) => !["shutting-down", "terminated"].includes(stateOf(record))).length;
  }

  /** All scenarios are over, and what they made is gone. */
  async eventuallyEmpty(): Promise<void> {
    const names = (objects: readonly KubeObject[]): readonly string[] => objects.map(({ metadata }) => metadata.name);
    let left: readonly string[] = [];
    await eventually(
      "no claim, no node, no instance is left",
      async () => {
        left = [...names(await this.claims()), ...names(await this.nodes())];
        return left.length + this.livingInstances() === 0;
      },
      180_000,
    ).catch((error: unknown) => {
      throw new Error(`left: ${left.join(", ")}; ${this.livingInstances()} instances`, { cause: error });
    });
  }
}
