import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import { stateOf } from "#simulator/ec2/instances.ts";
import { SimulatedEc2 } from "#simulator/ec2/simulated-ec2.ts";
import { reconcileGroup } from "../../../shared/adapters/kubernetes/cluster-roles.ts";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { freePorts } from "../../support/control-plane/free-ports.ts";
import { listAll, type RealAdmin } from "./admin-client.ts";
import { FakeKubelet, type KubeletDelays } from "./fake-kubelet.ts";
import { startPacedClock } from "./paced-clock.ts";
import { eventually, type RealCluster, startRealCluster } from "./real-cluster.ts";
import { Runs } from "./runs.ts";
import { StandInSts } from "./stand-in-sts.ts";
import { TokenReview, tokenReviewFlags } from "./token-review.ts";

const clusterName = "e2e";
export const settings: Settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:aws:eks:us-east-1:123456789012:cluster/e2e@2026-01-01T00:00:00.000Z",
};

const quick: KubeletDelays = { joinMs: 300, readyMs: 300, podStartMs: 100, podStopMs: 200 };
const ec2Delays = {
  launchReplyMs: [200, 400],
  replyMs: [10, 40],
  pendingMs: [300, 600],
  bootMs: [500, 1_000],
  shuttingDownMs: [500, 1_000],
  staleMs: [0, 500],
} as const;

const demo = new URL("../../../cli/simulate/demo/", import.meta.url);

/**
 * A real control plane, nodes by a simulated EC2 and kubelets of ours, and the reconcile function, which signs in as it
 * does on EKS. The administrator's certificate is the driver's and the kubelets' alone.
 */
export class World {
  readonly real: RealCluster;
  readonly ec2: SimulatedEc2;
  readonly kubelet: FakeKubelet;
  readonly review: TokenReview;
  readonly runs: Runs;
  readonly #sts: StandInSts;
  readonly #stopClock: () => void;

  private constructor(real: RealCluster, review: TokenReview, sts: StandInSts, identity: AwsIdentity) {
    this.real = real;
    this.review = review;
    this.#sts = sts;
    const { clock, stop } = startPacedClock();
    this.#stopClock = stop;
    this.kubelet = new FakeKubelet(real.admin, quick);
    const options = { seed: 1, clusterName, catalogue: embeddedCatalogue(), delays: ec2Delays };
    this.ec2 = new SimulatedEc2(clock, this.kubelet, options);
    this.runs = new Runs(real.controlPlane, this.ec2, identity, settings);
  }

  static async start(): Promise<World> {
    const [port = 0] = await freePorts(1);
    const real = await startRealCluster({
      apiServerFlags: ({ root, pki }) => tokenReviewFlags(root, `${pki}/ca.crt`, port),
      controllerManagerFlags: ["--node-monitor-grace-period=60s"],
    });
    const { pem } = real.controlPlane;
    const sts = await StandInSts.start();
    const certificate = { key: pem("webhook.key"), cert: pem("webhook.crt") };
    const review = await TokenReview.start(clusterName, port, certificate, sts.port);
    const identity = { accessKeyId: "AKIDRECONCILE", secretAccessKey: "not-a-secret" };
    sts.signers.push({ identity, arn: "arn:aws:sts::123456789012:assumed-role/outrigger-reconcile/reconcile" });
    review.entries.push({
      principalArn: "arn:aws:iam::123456789012:role/outrigger-reconcile",
      groups: [reconcileGroup],
    });
    const world = new World(real, review, sts, identity);
    await world.apply(manifestAt("ec2nodeclass.yaml"));
    return world;
  }

  get admin(): RealAdmin {
    return this.real.admin;
  }

  async stop(): Promise<void> {
    await this.runs.stop();
    this.kubelet.stop();
    this.#stopClock();
    this.review.stop();
    this.#sts.stop();
    await this.real.stop();
  }

  async apply(...objects: readonly object[]): Promise<void> {
    for (const object of objects) {
      const reply = await this.admin.create(object);
      if (reply.kind === "refused") throw new Error(reply.message);
    }
  }

  async pods(app?: string): Promise<readonly Pod[]> {
    const pods = (await listAll(this.admin, "Pod")) as readonly Pod[];
    return app === undefined ? pods : pods.filter(({ metadata }) => metadata.labels?.app === app);
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

  async eventuallyRunning(app: string, count: number, forMs = 60_000): Promise<void> {
    await eventually(`${count} pods of ${app} run`, async () => (await this.running(app)) === count, forMs);
  }

  async running(app: string): Promise<number> {
    const pods = await this.pods(app);
    return pods.filter(
      ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
    ).length;
  }

  /** Every scenario begins and ends with an empty cluster. */
  async clear(): Promise<void> {
    for (const kind of ["Deployment", "DaemonSet", "PodDisruptionBudget", "NodeClaim"]) await this.#deleteAll(kind);
    await this.eventuallyEmpty();
    await this.#deleteAll("NodePool");
  }

  async #deleteAll(kind: string): Promise<void> {
    for (const { metadata } of await listAll(this.admin, kind)) {
      await this.admin.delete(kind, metadata.name, metadata.namespace);
    }
  }

  async eventuallyEmpty(forMs = 90_000): Promise<void> {
    await eventually(
      "no claim, no node, no instance is left",
      async () => {
        const left = (await this.claims()).length + (await this.nodes()).length + this.livingInstances();
        return left === 0;
      },
      forMs,
    );
  }
}

export function manifestAt(name: string): object {
  return parse(readFileSync(new URL(name, demo), "utf8")) as object;
}

/** A pool for one scenario: its nodes take the scenario's pods only, and go when they are empty. */
export function nodePool(name: string, change: { readonly spec?: object; readonly template?: object } = {}): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: { scenario: name } },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          taints: [{ key: "scenario", value: name, effect: "NoSchedule" }],
          requirements: [
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
            { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
            { key: "karpenter.k8s.aws/instance-cpu", operator: "Lt", values: ["9"] },
          ],
          ...change.template,
        },
      },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "0s", budgets: [{ nodes: "100%" }] },
      ...change.spec,
    },
  };
}

export function deployment(name: string, pool: string, replicas: number, spec: object = {}): object {
  const labels = { app: name };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "default" } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          nodeSelector: { scenario: pool },
          tolerations: [{ key: "scenario", operator: "Equal", value: pool, effect: "NoSchedule" }],
          terminationGracePeriodSeconds: 5,
          containers: [{ name: "main", image: "none", resources: { requests: { cpu: "1", memory: "1Gi" } } }],
          ...spec,
        },
      },
    },
  };
}
