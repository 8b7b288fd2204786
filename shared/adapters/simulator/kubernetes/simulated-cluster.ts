import type { ClusterCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import { randomFrom } from "#core/random.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { ChangesOf, Cluster, LookScope, Woken } from "#ports/cluster.ts";
import type { Machine, MachineListener } from "../machine.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Refusal } from "./api-server/answer.ts";
import { ApiServer } from "./api-server/api-server.ts";
import type { ResourceKind } from "./api-server/resource-kinds.ts";
import { type ClientConditions, ClusterClient } from "./cluster-client.ts";
import { startControllers } from "./controllers/controllers.ts";
import { type Delays, defaultDelays } from "./delays.ts";
import { EventRecorder } from "./event-recorder.ts";
import { Kubelet } from "./kubelet/kubelet.ts";
import { loadObjects } from "./manifest-loader.ts";
import type { CsiDriver, Parts } from "./parts.ts";
import { Scheduler } from "./scheduler/scheduler.ts";

export interface SimulatedClusterOptions {
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly delays?: Partial<Delays>;
  /** Kinds beyond the built-in ones, e.g. another provider's node class (`nodeClassKind`). */
  readonly customKinds?: readonly ResourceKind[];
  /** What each new node's CSINode says. */
  readonly csiDrivers?: readonly CsiDriver[];
}

/** Nitro instances attach about this many EBS volumes beside root and network. */
const defaultCsiDrivers: readonly CsiDriver[] = [{ name: "ebs.csi.aws.com", volumesMax: 25 }];

/**
 * A Kubernetes cluster in memory, on a virtual clock: API server, workload controllers, scheduler, kubelets. As a
 * `Cluster` it is one client's session; `connect` opens others. Everything random comes from the seed.
 */
export class SimulatedCluster implements Cluster {
  readonly api: ApiServer;
  /** The kubelets' side: a simulated cloud tells it of machines that booted or are gone. */
  readonly machines: MachineListener;
  /** Faults and latency of every client's calls. Assign to change them while a simulation runs. */
  conditions: ClientConditions = {};
  /** Which kubelets may register; those of a role that is not mapped may not. Assign to change it while a simulation runs. */
  admits: (machine: Machine) => boolean = () => true;
  readonly #client: ClusterClient;
  readonly #kubelet: Kubelet;

  constructor(options: SimulatedClusterOptions) {
    const { clock, seed } = options;
    this.api = new ApiServer({
      clock,
      seed,
      ...(options.customKinds === undefined ? {} : { customKinds: options.customKinds }),
    });
    const parts: Parts = {
      api: this.api,
      clock,
      delays: { ...defaultDelays, ...options.delays },
      random: randomFrom(seed + 1),
      events: new EventRecorder(this.api),
      csiDrivers: options.csiDrivers ?? defaultCsiDrivers,
    };
    createFirstObjects(this.api);
    this.#kubelet = new Kubelet(parts, (machine) => this.admits(machine));
    this.machines = this.#kubelet;
    startControllers(parts);
    new Scheduler(parts).start();
    this.#client = this.connect();
  }

  /**
   * Loads manifests: all of them or, when one is refused, none. Namespaces that are named and not there are made. Live
   * objects (output of `kubectl get`) keep their UID, age and status. A Node is taken to be Ready and to run its pods.
   */
  load(objects: readonly unknown[]): readonly Refusal[] {
    const refusals = loadObjects(this.api, objects);
    if (refusals.length === 0) this.#kubelet.adoptNodesWithoutMachine();
    return refusals;
  }

  /** Another client's session with this API server, as another process has it. */
  connect(): ClusterClient {
    return new ClusterClient(this.api, () => this.conditions);
  }

  readonly observe = (scope: LookScope): Promise<ClusterView> => this.#client.observe(scope);
  readonly apply = (command: ClusterCommand): Promise<Outcome> => this.#client.apply(command);
  readonly nextChange = (deadlineMs: number, of?: ChangesOf): Promise<Woken> => this.#client.nextChange(deadlineMs, of);
}

/** What a fresh cluster holds before anybody asks. */
function createFirstObjects(api: ApiServer): void {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
  }
  const classes = { "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000 };
  for (const [name, value] of Object.entries(classes)) {
    api.create({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name }, value });
  }
}
