import { describe, expect, test } from "vitest";
import { clusterIdentityTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import {
  claimOf,
  instanceOf,
  nowMs,
  provider,
  providerIdOf,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { adoption } from "./adoption.ts";

const stage = adoption(provider);

describe("adoption", () => {
  test("row 62: an instance tagged for a claim that does not know of it is written onto the claim, status first", () => {
    const snapshot = snapshotOf({ nodeClaims: [claimOf("a")] }, { instances: [instanceOf("a")] });
    const { commands, reasons } = stage.decide(snapshot);
    expect(commands.map(({ kind }) => kind)).toEqual(["patch-status", "patch-metadata"]);
    expect(commands[0]).toMatchObject({ status: { providerID: providerIdOf("a"), imageID: "image-1" } });
    expect(reasons.map(({ code }) => code)).toEqual(["claim-adopted"]);
  });

  test("the claim's own labels win, the provider's annotations win", () => {
    const labels = { "topology.kubernetes.io/zone": "mine", own: "kept" };
    const claim = claimOf("a", { labels, annotations: { "sample.dev/hash": "old" } });
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claim] }, { instances: [instanceOf("a")] }));
    const patch = commands.find(({ kind }) => kind === "patch-metadata");
    expect(patch).toMatchObject({ annotations: { "sample.dev/hash": "1" } });
    expect(patch).not.toHaveProperty(["labels", "topology.kubernetes.io/zone"]);
  });

  test("of several live instances the oldest is adopted, and an ending one never", () => {
    const instances = [
      instanceOf("young", { launchedAtMs: nowMs, tags: instanceOf("a").tags }),
      instanceOf("old", { launchedAtMs: nowMs - 90_000, tags: instanceOf("a").tags }),
      instanceOf("dead", { launchedAtMs: nowMs - 99_000, state: "shutting-down", tags: instanceOf("a").tags }),
    ];
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claimOf("a")] }, { instances }));
    expect(commands[0]).toMatchObject({ status: { providerID: providerIdOf("old") } });
  });

  test("another cluster's instance, and one launched for another claim of the same name, are not adopted", () => {
    const foreign = instanceOf("a", { tags: { ...instanceOf("a").tags, [clusterIdentityTag]: "arn:sample@0" } });
    const earlier = instanceOf("a", { tags: { ...instanceOf("a").tags, [nodeClaimUidTag]: "uid-of-an-earlier-a" } });
    for (const instance of [foreign, earlier]) {
      const decision = stage.decide(snapshotOf({ nodeClaims: [claimOf("a")] }, { instances: [instance] }));
      expect(decision.commands).toEqual([]);
    }
  });

  test("a claim that is being deleted adopts too, so that its instance is terminated", () => {
    const claim = claimOf("a", { deletionTimestamp: "2026-11-30T11:59:00Z" });
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claim] }, { instances: [instanceOf("a")] }));
    expect(commands[0]).toMatchObject({ kind: "patch-status", status: { providerID: providerIdOf("a") } });
  });

  test("labels that a crash kept from the claim are repaired, once", () => {
    const claim = claimOf("a", { status: statusOf("a", "launched") });
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claim] }, { instances: [instanceOf("a")] }));
    expect(commands.map(({ kind }) => kind)).toEqual(["patch-metadata"]);
    const labels = {
      "node.kubernetes.io/instance-type": "small",
      "topology.kubernetes.io/zone": "zone-a",
      "karpenter.sh/capacity-type": "on-demand",
    };
    const whole = claimOf("a", { status: statusOf("a", "launched"), labels, annotations: { "sample.dev/hash": "1" } });
    expect(stage.decide(snapshotOf({ nodeClaims: [whole] }, { instances: [instanceOf("a")] })).commands).toEqual([]);
  });

  test("claims of another provider's class are left alone", () => {
    const claim = claimOf("a", {
      spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "x" } },
    });
    const decision = stage.decide(snapshotOf({ nodeClaims: [claim] }, { instances: [instanceOf("a")] }));
    expect(decision.commands).toEqual([]);
  });
});
