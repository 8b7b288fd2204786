import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import type { Bill } from "./ec2/bill.ts";
import type { Ec2Delays } from "./ec2/delays.ts";
import { embeddedCatalogue } from "./ec2/embedded-catalogue.ts";
import type { BusManners, EventBus } from "./ec2/event-bus.ts";
import type { LatestVersions } from "./ec2/published-image.ts";
import { SimulatedEc2 } from "./ec2/simulated-ec2.ts";
import type { ApiServer } from "./kubernetes/api-server/api-server.ts";
import type { Delays } from "./kubernetes/delays.ts";
import { SimulatedCluster } from "./kubernetes/simulated-cluster.ts";
import { VirtualClock } from "./virtual-clock.ts";

export interface SimulationOptions {
  readonly seed: number;
  /** Ms since the epoch. */
  readonly startMs: number;
  /** The same as in the settings of whoever runs the ticks: instances of another cluster are not shown. */
  readonly clusterName: string;
  /** Default: the real types of us-east-1 that come with Outrigger. */
  readonly catalogue?: Catalogue;
  /** Spot interruptions per instance and hour; 0 (default): only those asked for by `cloud.interrupt`. */
  readonly interruptionsPerHour?: number;
  readonly ec2Delays?: Partial<Ec2Delays>;
  readonly clusterDelays?: Partial<Delays>;
  /** How the event bus behaves; default: each message once, in order. */
  readonly manners?: BusManners;
  /** What `@latest` means; later ones come out by `cloud.account.images.release`. */
  readonly latest?: Partial<LatestVersions>;
  /** False: only the subnets, groups and images that the account was made with exist. */
  readonly obliging?: boolean;
}

/** A cluster and an EC2 account on one virtual clock. Who runs it ticks `reconcile` against `cluster` and `cloud`. */
export interface Simulation {
  readonly clock: VirtualClock;
  /** The API server: workloads are scaled here, the final objects are listed here. */
  readonly api: ApiServer;
  /** The Cluster port of one process; `load` takes manifests, `connect` opens another process's session. */
  readonly cluster: SimulatedCluster;
  /** The Cloud port; interruptions, shortages and faults are scripted by its other members. */
  readonly cloud: SimulatedEc2;
  /** EventBridge: `bus.subscribe(listener)`. */
  readonly bus: EventBus;
  readonly bill: () => Bill;
}

export function createSimulation(options: SimulationOptions): Simulation {
  const { seed, clusterName, clusterDelays, ec2Delays } = options;
  const { interruptionsPerHour, manners, latest, obliging } = options;
  const clock = new VirtualClock(options.startMs);
  const cluster = new SimulatedCluster({
    ...{ clock, seed },
    ...(clusterDelays === undefined ? {} : { delays: clusterDelays }),
  });
  const cloud = new SimulatedEc2(clock, cluster.machines, {
    ...{ seed, clusterName, catalogue: options.catalogue ?? embeddedCatalogue() },
    ...(ec2Delays === undefined ? {} : { delays: ec2Delays }),
    ...(interruptionsPerHour === undefined ? {} : { interruptionsPerHour }),
    ...(manners === undefined ? {} : { manners }),
    ...(latest === undefined ? {} : { latest }),
    ...(obliging === undefined ? {} : { obliging }),
  });
  return { clock, api: cluster.api, cluster, cloud, bus: cloud.bus, bill: () => cloud.bill() };
}
