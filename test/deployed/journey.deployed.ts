/** One deployment's whole life: from `cdk deploy` to `cdk destroy`, with nodes in between. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "#core/random.ts";
import { manifestAt } from "../e2e/support/manifests.ts";
import { eventually } from "../e2e/support/real-cluster.ts";
import {
  type AuthorizationRecord,
  deployedPolicies,
  refusedAmong,
  writeRecord,
} from "./support/authorization-record.ts";
import { DeployedWorld } from "./support/deployed-world.ts";

const app = "karpenter-test";
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
/** A few ticks, a launch, a drain; far more than it takes, for a busy machine. */
const waitMsMax = 180_000;
let world: DeployedWorld;
let policies: AuthorizationRecord["policies"] = {};
/** Where the calls of the functions are to be written for a judge of least privilege. */
const recordFile = process.env.AUTHORIZATIONS;
let outputs: Readonly<Record<string, string>> = {};

beforeAll(async () => {
  console.log(`the scheduler's seed is ${seed}: SEED=${seed} npm run test:deployed gives its moments again`);
  world = await DeployedWorld.start(randomFrom(seed));
});
afterAll(() => world.stop());

const soon = (what: string, condition: () => Promise<boolean>) => eventually(what, condition, waitMsMax);
const running = async () => (await world.running(app)).length;

/** Nothing fell behind anybody's back. */
function expectNoFailures(): void {
  expect(world.functions.failures()).toEqual([]);
  expect(world.harness.problems).toEqual([]);
}

const ownParts = ["Reconcile", "Interruption", "Catalog", "SetupFunction"];
/** Of a role's ARN; undefined for those of the functions that the CDK adds. */
const ownPart = (principal: string) => ownParts.find((part) => principal.includes(`Outrigger${part}Role`));

describe("a deployment's life", { timeout: 400_000 }, () => {
  test("cdk deploy of the app as it is", async () => {
    outputs = await world.deploy({ onDelete: "drain" });
    expectNoFailures();
  });

  test("the guide's workload scales up from nothing", async () => {
    const nodeClass = manifestAt("ec2nodeclass.yaml") as { readonly spec: object };
    const role = Object.entries(outputs).find(([name]) => name.includes("NodeRoleName"))?.[1];
    await world.apply({ ...nodeClass, spec: { ...nodeClass.spec, role } });
    await world.apply(manifestAt("nodepool.yaml"), manifestAt("deployment.yaml"));
    await soon("five pods run", async () => (await running()) === 5);
    const { instances, profiles } = await world.made();
    expect(instances.length).toBe((await world.claims()).length);
    expect(profiles).toHaveLength(1);
    expectNoFailures();
  });

  test("a spot warning on the bus replaces the node before it is gone", async () => {
    const [instance] = await world.machines.living();
    const id = instance?.InstanceId ?? "";
    await world.standIn.interrupt(id);
    const atMs = Date.now();
    await soon("its instance is ended", async () =>
      (await world.machines.living()).every(({ InstanceId }) => InstanceId !== id),
    );
    expect(Date.now() - atMs, "within the two minutes of a warning").toBeLessThan(120_000);
    await soon("five pods run again", async () => (await running()) === 5);
    expectNoFailures();
  });

  test("fewer pods, fewer nodes", async () => {
    await world.scale(app, 1);
    await soon("one node is left", async () => (await world.nodes()).length === 1 && (await running()) === 1);
    expectNoFailures();
  });

  test("no pods, no nodes", async () => {
    await world.scale(app, 0);
    await soon("nothing runs", async () => (await world.machines.living()).length === 0);
    await soon("nothing is on record", async () => (await world.claims()).length + (await world.nodes()).length === 0);
    expectNoFailures();
  });

  test("and back from zero", async () => {
    await world.scale(app, 5);
    await soon("five pods run", async () => (await running()) === 5);
    expectNoFailures();
  });

  test("cdk destroy with drain leaves no node, and nothing that was made for one", async () => {
    policies = await deployedPolicies(world.standIn);
    await world.destroy();
    expect(await world.made()).toEqual({ instances: [], templates: [], profiles: [] });
    expect([await world.claims(), await world.nodes()]).toEqual([[], []]);
    expect(await world.finalizers()).toEqual([]);
    const { functions, feeds, schedules } = await world.standIn.deployed();
    expect({ functions, feeds, schedules }).toEqual({ functions: [], feeds: [], schedules: [] });
    // Ticks between the end of their roles and that of their schedule are refused.
    expect(JSON.stringify(world.functions.failures().filter((one) => !/is forbidden/.test(JSON.stringify(one))))).toBe(
      "[]",
    );
    expect(world.harness.problems).toEqual([]);
  });

  test("every call of the functions was theirs to make, by the policies that were deployed", async () => {
    const asked = await world.standIn.authorizations();
    const ours = asked.filter(({ principal }) => ownPart(principal) !== undefined);
    if (recordFile !== undefined) writeRecord(recordFile, { asked: ours, policies });
    expect(new Set(ours.map(({ principal }) => ownPart(principal)))).toEqual(new Set(ownParts));
    expect(await refusedAmong({ asked: ours, policies })).toEqual([]);
  });
});
