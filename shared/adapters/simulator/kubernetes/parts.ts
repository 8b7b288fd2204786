import type { VirtualClock } from "../virtual-clock.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import type { Delays } from "./delays.ts";
import type { EventRecorder } from "./event-recorder.ts";

/** A CSI driver as it registers on every node, with how many volumes it attaches there. */
export interface CsiDriver {
  readonly name: string;
  readonly volumesMax: number;
}

/** What every simulated component of the cluster works with. */
export interface Parts {
  readonly api: ApiServer;
  readonly clock: VirtualClock;
  readonly delays: Delays;
  /** One sequence for all components: what one draws moves what the next one draws, reproducibly. */
  readonly random: () => number;
  readonly events: EventRecorder;
  readonly csiDrivers: readonly CsiDriver[];
}
