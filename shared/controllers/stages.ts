import type { CloudProvider } from "#core/cloud-provider.ts";
import { nothing } from "#core/decision.ts";
import { disruption } from "#core/disruption/disruption.ts";
import { orchestration } from "#core/disruption/orchestration.ts";
import { rebalance } from "#core/disruption/rebalance.ts";
import { replacement } from "#core/disruption/replacement.ts";
import { evictionOutcome } from "#core/node/eviction-outcome.ts";
import { metadataSync } from "#core/node/metadata-sync.ts";
import { nodeRepair } from "#core/node/node-repair.ts";
import { registration } from "#core/node/registration.ts";
import { termination } from "#core/node/termination.ts";
import { adoption } from "#core/nodeclaim/adoption.ts";
import { attempt } from "#core/nodeclaim/attempt.ts";
import { claimGarbageCollection } from "#core/nodeclaim/claim-garbage-collection.ts";
import { finalization } from "#core/nodeclaim/finalization.ts";
import { instanceGarbageCollection } from "#core/nodeclaim/instance-garbage-collection.ts";
import { launch } from "#core/nodeclaim/launch.ts";
import { launchOutcome } from "#core/nodeclaim/launch-outcome.ts";
import { lifecycle } from "#core/nodeclaim/lifecycle.ts";
import { offHours } from "#core/nodeclaim/off-hours.ts";
import { rememberedInterruptions } from "#core/nodeclaim/remembered-interruptions.ts";
import { tagging } from "#core/nodeclaim/tagging.ts";
import { nodePoolStatus } from "#core/nodepool/node-pool-status.ts";
import { paused } from "#core/provisioning/paused.ts";
import { provisioning } from "#core/provisioning/provisioning.ts";
import type { Stage } from "#core/stage.ts";
import { unlessPaused } from "#core/state/pause.ts";
import { unlessBeingRemoved } from "#core/state/removal.ts";
import { stateHousekeeping } from "#core/state/state-housekeeping.ts";
import { unreadableObjects } from "#core/unreadable-objects.ts";

/**
 * The stages that bring what is on its way out to its end, and nothing else: a removal by force runs them by itself, so
 * that a defect of any other stage, or a loop that does not run at all, does not hold it up.
 */
export function endingStagesOf<Query, View>(provider: CloudProvider<Query, View>): readonly Stage<View>[] {
  return [
    { name: "node-classes", decide: provider.nodeClasses },
    adoption(provider),
    termination(provider),
    finalization(provider),
    evictionOutcome,
  ];
}

/**
 * The stages of a tick, in order. A stage sees what the ones before it did; where one change must be seen to hold
 * before the next is made (attempt before launch, node metadata before its release), they are stages of their own.
 * Pools come before provisioning, so that a pool whose class has just become ready is used in the same tick; their
 * counts are those of the tick's start, and a tick that changed something is followed by another.
 */
export function stagesOf<Query, View>(provider: CloudProvider<Query, View>): readonly Stage<View>[] {
  return [
    unreadableObjects,
    { name: "node-classes", decide: provider.nodeClasses },
    { name: "node-class-outcome", decide: provider.nodeClassOutcome ?? (() => nothing) },
    nodePoolStatus(provider),
    adoption(provider),
    rememberedInterruptions(provider),
    instanceGarbageCollection,
    claimGarbageCollection(provider),
    metadataSync(provider),
    registration(provider),
    lifecycle(provider),
    tagging(provider),
    paused(provider),
    unlessPaused(nodeRepair(provider)),
    unlessPaused(offHours(provider)),
    unlessPaused(replacement(provider)),
    unlessPaused(unlessBeingRemoved(rebalance(provider))),
    unlessPaused(unlessBeingRemoved(provisioning(provider))),
    unlessPaused(unlessBeingRemoved(disruption(provider))),
    orchestration(provider),
    attempt(provider),
    launch(provider),
    launchOutcome(provider),
    termination(provider),
    finalization(provider),
    evictionOutcome,
    stateHousekeeping,
  ];
}
