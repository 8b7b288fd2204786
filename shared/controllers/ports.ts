import type { CloudProvider } from "#core/cloud-provider.ts";
import type { Settings } from "#core/settings.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";
import type { Telemetry } from "#ports/telemetry.ts";

/** The world of one controller: who runs it chooses real or simulated ones. */
export interface Ports<Query, View> {
  readonly cluster: Cluster;
  readonly cloud: Cloud<Query, View>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/** What a controller decides with. */
export interface Configuration<Query, View> {
  readonly provider: CloudProvider<Query, View>;
  readonly settings: Settings;
  /** Every draw of a tick comes from this and the tick's time. */
  readonly seed: number;
  /** "ending": only the stages that bring what is on its way out to its end, paused or not. Absent: all of them. */
  readonly only?: "ending";
}
