/** What users report of disruption, by the number of the report; rows 34, 36, 38 and 40 are beside what they are about. */
import { expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import {
  claimsIn,
  lifeStagesOf,
  readyPool,
  timePasses,
  upClaim,
  worldOf,
} from "../../../test/support/disruption-world.ts";
import { leavingStages } from "../../../test/support/leaving-world.ts";
import { ago, claimOf, minuteMs, podOf, provider, statusOf } from "../../../test/support/lifecycle-samples.ts";
import type { SmallWorld } from "../../../test/support/small-world.ts";

test("row 33: past its terminationGracePeriod a node's pods are deleted, whatever their PodDisruptionBudget says, and its instance ends", async () => {
  const deleting = { deletionTimestamp: ago(11 * minuteMs), spec: { terminationGracePeriod: "10m" } };
  const claim = claimOf("a", { status: statusOf("a", "initialized"), ...deleting });
  const world = worldOf([claim], {
    nodePools: [],
    pods: [podOf("p", "a")],
    podDisruptionBudgets: [
      {
        apiVersion: "policy/v1",
        kind: "PodDisruptionBudget",
        metadata: { name: "web", namespace: "default" },
        spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 0 },
        status: { disruptionsAllowed: 0 },
      },
    ],
  });
  const done = { evicted: 0, deleted: 0, ended: 0 };
  for (let i = 0; i < 6; i++) {
    await world.tick(leavingStages);
    for (const { command } of world.steps) {
      if (command.kind === "evict-pod") done.evicted++;
      if (command.kind === "delete-object" && command.target.kind === "Pod") done.deleted++;
      if (command.kind === "terminate-instance") done.ended++;
    }
    await timePasses(world, 5_000);
  }
  expect(done).toMatchObject({ evicted: 0, deleted: 1 });
  expect(done.ended).toBeGreaterThan(0);
});

test("row 41: while jobs come and go within consolidateAfter the node stays, and it goes that long after the last of them", async () => {
  const stages = lifeStagesOf(provider);
  const world: SmallWorld = worldOf([upClaim("a")], {
    nodePools: [readyPool("pool", { consolidateAfter: "10m", budgets: [{ nodes: "100%" }] })],
  });
  const isThere = async () =>
    claimsIn((await world.snapshot()).cluster).includes("a") &&
    world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp === undefined;
  let lastMs = 0;
  for (let minute = 0; minute < 60; minute++) {
    if (minute % 5 === 0) world.put(podOf(`job-${minute}`, "a"));
    if (minute % 5 === 1) {
      world.remove("Pod", `default/job-${minute - 1}`);
      lastMs = world.atMs;
    }
    await world.tick(stages);
    expect(await isThere(), `minute ${minute}`).toBe(true);
    await timePasses(world, minuteMs);
  }
  let goneMs = 0;
  for (let i = 0; i < 60 && goneMs === 0; i++) {
    await world.tick(stages);
    if (!(await isThere())) goneMs = world.atMs;
    await timePasses(world, 15_000);
  }
  // The window, then the 15 s of the proposal, each seen by the tick after.
  expect(goneMs - lastMs).toBeGreaterThanOrEqual(10 * minuteMs);
  expect(goneMs - lastMs).toBeLessThanOrEqual(11 * minuteMs);
});
