import { SimulatedCluster } from "../kubernetes/simulated-cluster.ts";
import { VirtualClock } from "../virtual-clock.ts";
import { workshopResource } from "./workshop-class.ts";
import { WorkshopCloud } from "./workshop-cloud.ts";

/** A cluster whose machines come from the workshop; nothing of it knows of any other cloud. */
export interface WorkshopSimulation {
  readonly clock: VirtualClock;
  readonly cluster: SimulatedCluster;
  readonly cloud: WorkshopCloud;
}

export function createWorkshopSimulation(seed: number, startMs: number): WorkshopSimulation {
  const clock = new VirtualClock(startMs);
  const cluster = new SimulatedCluster({ clock, seed, customKinds: [workshopResource] });
  return { clock, cluster, cloud: new WorkshopCloud(clock, cluster.machines) };
}
