import { afterAll, beforeAll, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { AwsWorld } from "../support/aws/aws-world.ts";
import { deploymentOf, nodeClassWith, poolOf } from "../support/aws/loop-objects.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const claims = 300;
const spotOrNot = { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] } as const;
let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.stop());

/** With a pool that is short and two replies that are lost on the way. */
test(`${claims} pods that need a machine each get one each, under EC2's rate limits`, async () => {
  const world = await AwsWorld.start(standIn, [nodeClassWith(), poolOf(spotOrNot), deploymentOf(claims)]);
  await standIn.shortage({ instanceType: "c7g.large", capacityType: "spot", left: 3 });
  await standIn.fault({ action: "CreateFleet", nth: 7, effect: "reply-lost" });
  await standIn.fault({ action: "CreateFleet", nth: 101, effect: "reply-lost" });
  await world.ticks(16);
  const all = await standIn.calls("CreateFleet");
  // The class was tried by a dry run before.
  const calls = all.filter(({ parameters }) => parameters.DryRun !== "true");
  const [first, last] = [calls[0]?.atMs ?? 0, calls.at(-1)?.atMs ?? 0];
  const refused = world.reports.flatMap(({ steps }) =>
    steps.filter(({ command, outcome }) => command.kind === "launch-instance" && outcome.kind === "failed"),
  );
  console.log(
    `${claims} claims: ${calls.length} calls of CreateFleet within ${((last - first) / 1_000).toFixed(0)} s, ${refused.length} without an answer or refused`,
  );
  const live = (await world.instances()).filter(({ State }) => State?.Name === "running");
  const ids = live.map(({ InstanceId = "" }) => InstanceId).sort();
  const known = world.list<NodeClaim>("NodeClaim").map(({ status }) => status?.providerID?.split("/").at(-1) ?? "");
  expect(ids).toHaveLength(claims);
  expect(known.sort()).toEqual(ids);
  expect(world.list<Pod>("Pod").filter(({ status }) => status?.phase === "Running")).toHaveLength(claims);
  expect(refused.map(({ outcome }) => outcome.kind === "failed" && outcome.fault.kind)).toEqual([
    "unavailable",
    "unavailable",
  ]);
  // Twenty at once and five a second from then on.
  expect(last - first).toBeLessThan(90_000);
}, 300_000);
