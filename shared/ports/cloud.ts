import type { CloudCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CloudObservation } from "#core/snapshot.ts";

/** A cloud, at EC2's level in our own words. */
export interface Cloud<Query, View> {
  readonly observe: (query: Query) => Promise<CloudObservation<View>>;
  readonly apply: (command: CloudCommand) => Promise<Outcome>;
}
