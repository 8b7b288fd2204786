import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { conditionsOf, csiNodeOf, nodeOf } from "#simulator/kubernetes/kubelet/registration.ts";
import type { Machine, MachineListener } from "#simulator/machine.ts";
import { type RealAdmin, watchAll } from "./admin-client.ts";
import { untilDone } from "./persistence.ts";

export interface KubeletDelays {
  readonly joinMs: number;
  readonly readyMs: number;
  readonly podStartMs: number;
  readonly podStopMs: number;
}

const csiDrivers = [{ name: "ebs.csi.aws.com", volumesMax: 25 }];
/** Without it the attach-detach controller leaves the node alone. */
const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
/** kubelet: how often it renews the Lease by which its node is known to live. */
const heartbeatMs = 10_000;

/**
 * The kubelets of a simulated EC2's machines, against a real API server: they register with what the user data says,
 * become Ready, run and end the pods that the real scheduler binds. A machine that is gone takes its Node with it after
 * a moment, as the cloud controller manager sees to.
 */
export class FakeKubelet implements MachineListener {
  /** False: machines that boot do not join. */
  joins = true;
  /** When each node became Ready, and when it was released for pods (registered), ms since the epoch. */
  readonly readyAtMs = new Map<string, number>();
  readonly releasedAtMs = new Map<string, number>();
  readonly #admin: RealAdmin;
  readonly #delays: KubeletDelays;
  readonly #machines = new Map<string, Machine>();
  readonly #ready = new Set<string>();
  readonly #busy = new Set<string>();
  readonly #pods = new Map<string, Pod>();
  readonly #stopWatch: () => void;
  readonly #heartbeat: NodeJS.Timeout;
  #stopped = false;

  constructor(admin: RealAdmin, delays: KubeletDelays) {
    this.#admin = admin;
    this.#delays = delays;
    const stopPods = watchAll(admin, "Pod", (type, object) => this.#hear(type, object as Pod));
    const stopNodes = watchAll(admin, "Node", (_, object) => this.#hearNode(object as Node));
    this.#stopWatch = () => {
      stopPods();
      stopNodes();
    };
    // One that fails is made good by the next.
    this.#heartbeat = setInterval(() => void this.#renewLeases().catch(() => undefined), heartbeatMs);
  }

  readonly booted = (machine: Machine): void => {
    this.#machines.set(machine.instanceId, machine);
    if (this.joins) this.#later(this.#delays.joinMs, () => this.#join(machine));
  };

  readonly gone = (instanceId: string): void => {
    const machine = this.#machines.get(instanceId);
    if (machine === undefined) return;
    this.#machines.delete(instanceId);
    this.#ready.delete(machine.nodeName);
    this.#later(1_000, async () => {
      const node = await this.#admin.get("Node", machine.nodeName);
      const isIts = node.kind === "ok" && providerIdOf(node.object) === machine.providerID;
      if (isIts) await this.#admin.delete("Node", machine.nodeName);
    });
  };

  stop(): void {
    this.#stopped = true;
    this.#stopWatch();
    clearInterval(this.#heartbeat);
  }

  async #join(machine: Machine): Promise<void> {
    const { instanceId, nodeName } = machine;
    if (!this.#machines.has(instanceId)) return;
    const node = nodeOf(machine, csiDrivers, formatTime(Date.now())) as KubeObject;
    await this.#admin.create({ ...node, metadata: { ...node.metadata, annotations } });
    // A creation whose answer was lost is refused the second time.
    const stored = await this.#admin.get("Node", nodeName);
    if (stored.kind === "refused") return;
    await this.#admin.create(csiNodeOf(stored.object, csiDrivers));
    await this.#renewLease(nodeName);
    this.#later(this.#delays.readyMs, async () => {
      if (!this.#machines.has(instanceId)) return;
      const conditions = conditionsOf("True", formatTime(Date.now())) as never;
      await this.#admin.patch("Node", nodeName, undefined, { status: { conditions } }, "status");
      this.readyAtMs.set(nodeName, Date.now());
      this.#ready.add(nodeName);
      for (const pod of this.#pods.values()) this.#look(pod);
    });
  }

  #hearNode({ metadata: { name }, spec }: Node): void {
    const waits = spec.taints?.some(({ key }) => key === "karpenter.sh/unregistered") ?? false;
    if (!waits && spec.providerID !== undefined && !this.releasedAtMs.has(name))
      this.releasedAtMs.set(name, Date.now());
  }

  #hear(type: string, pod: Pod): void {
    const { uid = "" } = pod.metadata;
    if (type === "DELETED") this.#pods.delete(uid);
    else {
      this.#pods.set(uid, pod);
      this.#look(pod);
    }
  }

  #look(pod: Pod): void {
    const { nodeName } = pod.spec;
    const { uid = "", name, namespace, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata;
    if (nodeName === undefined || !this.#ready.has(nodeName)) return;
    if (deletionTimestamp !== undefined) {
      const waitMs = Math.min(this.#delays.podStopMs, deletionGracePeriodSeconds * 1000);
      this.#once(`${uid} stop`, waitMs, async () => {
        await this.#admin.delete("Pod", name, namespace, { gracePeriodSeconds: 0, uid });
      });
      return;
    }
    if (pod.status?.phase !== "Pending") return;
    this.#once(`${uid} start`, this.#delays.podStartMs, async () => {
      await this.#admin.patch("Pod", name, namespace, { status: runningStatus(pod) as never }, "status");
    });
  }

  async #renewLeases(): Promise<void> {
    for (const nodeName of this.#ready) await this.#renewLease(nodeName);
  }

  async #renewLease(nodeName: string): Promise<void> {
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    const spec = { holderIdentity: nodeName, leaseDurationSeconds: 40, renewTime };
    const patched = await this.#admin.patch("Lease", nodeName, "kube-node-lease", { spec });
    if (patched.kind === "ok") return;
    const metadata = { name: nodeName, namespace: "kube-node-lease" };
    await this.#admin.create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
  }

  #once(what: string, ms: number, action: () => Promise<void>): void {
    if (this.#busy.has(what)) return;
    this.#busy.add(what);
    this.#later(ms, action);
  }

  /** A kubelet does not give up because the API server is away. */
  #later(ms: number, action: () => Promise<void>): void {
    setTimeout(() => void untilDone(action, () => this.#stopped), ms);
  }
}

function providerIdOf(node: KubeObject): string | undefined {
  return (node as { readonly spec?: { readonly providerID?: string } }).spec?.providerID;
}

function runningStatus(pod: Pod): object {
  const now = formatTime(Date.now());
  const condition = (type: string) => ({ type, status: "True", lastTransitionTime: now });
  return {
    phase: "Running",
    startTime: now,
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map(condition),
    containerStatuses: pod.spec.containers.map(({ name, image = "" }) => ({
      ...{ name, image, imageID: image, ready: true, restartCount: 0, state: { running: { startedAt: now } } },
    })),
  };
}
