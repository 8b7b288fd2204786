/** One deployment's whole life: from `cdk deploy` to `cdk destroy`, with nodes in between. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "#core/random.ts";
import { manifestAt } from "../e2e/support/manifests.ts";
import { eventually } from "../e2e/support/real-cluster.ts";
import {
  type AuthorizationRecord,
  deployedPolicies,
  refusedAmong,
  unused,
  unusedRights,
  writeRecord,
} from "./support/authorization-record.ts";
import { clusterName, DeployedWorld } from "./support/deployed-world.ts";
import { deliveriesAbout, ends, notices, stayingClaims } from "./support/warnings.ts";

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

const settings = { onDelete: "drain", eventBusName: "default" } as const;
/** Enough for three of the guide's small nodes. */
const pods = 8;
const foreign = "i-0f0e0d0c0b0a09080";
const claimsNow = () => stayingClaims(world);
const setupAnswers = () => world.functions.told.filter(({ functionName }) => functionName === "outrigger-demo-setup");

const ownParts = ["Reconcile", "Interruption", "Catalog", "SetupFunction"] as const;
/** Of a role's ARN; undefined for those of the functions that the CDK adds. */
const ownPart = (principal: string) => ownParts.find((part) => principal.includes(`Outrigger${part}Role`));

describe("a deployment's beginning", { timeout: 400_000 }, () => {
  test("cdk deploy of the app as it is", async () => {
    outputs = await world.deploy(settings);
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
    await world.scale(app, pods);
    await soon("all pods run", async () => (await running()) === pods);
    expectNoFailures();
  });
});

describe("a deployment that nodes live in", { timeout: 400_000 }, () => {
  test("with other settings leaves every NodeClaim, and its resource is the same", async () => {
    // Nothing is to go by its own in these tests: what goes, goes for what they do.
    const budgets = { spec: { disruption: { budgets: [{ nodes: "0" }] } } };
    expect((await world.admin.patch("NodePool", "default", undefined, budgets)).kind).toBe("ok");
    const [before, resources] = [await claimsNow(), await world.customResources()];
    const asked = setupAnswers().length;
    await world.deploy({ ...settings, drainMinutes: 20 });
    expect(setupAnswers().length, "setup was asked").toBeGreaterThan(asked);
    expect(await world.customResources()).toEqual(resources);
    expect(Object.values(resources).sort()).toEqual(["demo", "demo-preflight"]);
    expect(await claimsNow()).toEqual(before);
    expect((await running()) === pods).toBe(true);
    expectNoFailures();
  });

  test("messages about instances of others are acknowledged, and change nothing", async () => {
    const before = await claimsNow();
    for (const [kind, state] of [...notices, ["state-change", "running"] as const])
      await world.standIn.announce(foreign, kind, state);
    const delivered = () => deliveriesAbout(foreign, world.functions, clusterName);
    await soon("all of them are delivered", async () => delivered().length >= notices.length);
    expect(
      delivered()
        .map((each) => each.detail.state)
        .filter(Boolean),
      "no rule lets the others in",
    ).toEqual(["stopping"]);
    expect(delivered().every(({ isTaken }) => isTaken)).toBe(true);
    expect(await claimsNow()).toEqual(before);
    expectNoFailures();
  });

  test("a recommendation is told and nothing else", async () => {
    const before = await claimsNow();
    const [[name, id] = ["", ""]] = before;
    await world.standIn.announce(id, "rebalance-recommendation");
    await soon("an event is on the claim", async () =>
      (await world.eventsAbout(name)).includes("SpotRebalanceRecommendation"),
    );
    expect(await claimsNow()).toEqual(before);
    expectNoFailures();
  });

  test("EC2's other warnings have their nodes replaced", async () => {
    const before = await claimsNow();
    expect(before.length).toBeGreaterThanOrEqual(ends.length);
    const ended = ends.map((end, index) => ({ ...end, claim: before[index]?.[0] ?? "", id: before[index]?.[1] ?? "" }));
    for (const { kind, state, id } of ended) await world.standIn.announce(id, kind, state);
    await soon("their claims go", async () => {
      const left = new Set((await claimsNow()).map(([name]) => name));
      return ended.every(({ claim }) => !left.has(claim));
    });
    for (const { reason, claim } of ended)
      await soon(`${claim} says ${reason}`, async () => (await world.eventsAbout(claim)).includes(reason));
    const ids: readonly string[] = ended.map(({ id }) => id);
    await soon("their instances are ended", async () =>
      (await world.machines.living()).every(({ InstanceId = "" }) => !ids.includes(InstanceId)),
    );
    const others = before.filter(([name]) => !ended.some(({ claim }) => claim === name));
    expect(await claimsNow()).toEqual(expect.arrayContaining(others));
    await soon("all pods run again", async () => (await running()) === pods);
    expectNoFailures();
  });
});

describe("a deployment's end", { timeout: 400_000 }, () => {
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

  test("and no right is theirs that is neither used nor answered for", async () => {
    const asked = await world.standIn.authorizations();
    const left = unusedRights({ asked, policies }, ownPart);
    expect(left).toEqual(Object.fromEntries(ownParts.map((part) => [part, Object.keys(unused[part]).sort()])));
  });
});
