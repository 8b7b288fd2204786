import { describe } from "vitest";
import { claimCases } from "./cluster/claim-cases.ts";
import { deletionCases } from "./cluster/deletion-cases.ts";
import { evictionCases } from "./cluster/eviction-cases.ts";
import { listCases } from "./cluster/list-cases.ts";
import { observationCases } from "./cluster/observation-cases.ts";
import { patchCases } from "./cluster/patch-cases.ts";
import { schedulingCases } from "./cluster/scheduling-cases.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";

/**
 * What every implementation of the Cluster port does, whatever is behind it. The same cases run on the simulated API
 * server and on a real one; where they differ the simulator is wrong.
 */
export function clusterContract(name: string, makeCluster: () => Promise<ClusterUnderTest>): void {
  describe(`Cluster contract: ${name}`, () => {
    claimCases(makeCluster);
    patchCases(makeCluster);
    deletionCases(makeCluster);
    evictionCases(makeCluster);
    observationCases(makeCluster);
    listCases(makeCluster);
    schedulingCases(makeCluster);
  });
}
