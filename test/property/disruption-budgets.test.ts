import fc from "fast-check";
import { expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Budget, DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import type { Step } from "#core/outcome.ts";
import { drifted, readyPool, upClaim } from "../support/disruption-world.ts";
import { condition, minuteMs, nodeOf, nowMs } from "../support/lifecycle-samples.ts";
import { stagesNamed } from "../support/sample-stages.ts";
import { SmallWorld } from "../support/small-world.ts";

const stages = stagesNamed(["replacement", "disruption", "orchestration"]);
const reasons = ["Empty", "Drifted"] as const;
const nodesMax = 10;
const weekMs = 7 * 24 * 60 * minuteMs;

/** A budget as its parts, so that this test can say by itself when it is in force. */
interface Rule {
  readonly count: number;
  readonly isPercent: boolean;
  readonly reasons: readonly DisruptionReason[] | undefined;
  readonly window:
    | {
        readonly minute: number;
        readonly hours: readonly number[];
        readonly days: readonly number[];
        readonly hoursLong: number;
      }
    | undefined;
}

const ruleOf: fc.Arbitrary<Rule> = fc.record({
  count: fc.integer({ min: 0, max: 9 }),
  isPercent: fc.boolean(),
  reasons: fc.option(fc.subarray<DisruptionReason>(["Empty", "Drifted", "Underutilized"]), { nil: undefined }),
  window: fc.option(
    fc.record({
      minute: fc.integer({ min: 0, max: 59 }),
      hours: fc.uniqueArray(fc.integer({ min: 0, max: 23 }), { minLength: 1, maxLength: 3 }),
      days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 }),
      hoursLong: fc.integer({ min: 1, max: 30 }),
    }),
    { nil: undefined },
  ),
});

function budgetOf({ count, isPercent, reasons: of, window }: Rule): Budget {
  return {
    nodes: isPercent ? `${count * 10}%` : String(count),
    ...(of === undefined ? {} : { reasons: of }),
    ...(window === undefined
      ? {}
      : {
          schedule: `${window.minute} ${window.hours.join(",")} * * ${window.days.join(",")}`,
          duration: `${window.hoursLong}h`,
        }),
  };
}

/** Some minute within the last hours is one at which the window opens. */
function isInForce({ window }: Rule, atMs: number): boolean {
  if (window === undefined) return true;
  for (let ago = 0; ago < window.hoursLong * 60; ago++) {
    const minute = new Date(Math.floor(atMs / minuteMs) * minuteMs - ago * minuteMs);
    const opens = [
      window.minute === minute.getUTCMinutes(),
      window.hours.includes(minute.getUTCHours()),
      window.days.includes(minute.getUTCDay()),
    ];
    if (opens.every((one) => one) && atMs - minute.getTime() < window.hoursLong * 60 * minuteMs) return true;
  }
  return false;
}

function allowedNow(rules: readonly Rule[], reason: DisruptionReason, nodes: number, atMs: number): number {
  const limits = rules
    .filter((rule) => (rule.reasons?.includes(reason) ?? true) && isInForce(rule, atMs))
    .map(({ count, isPercent }) => (isPercent ? Math.ceil((nodes * count) / 10) : count));
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

/** Names of the claims that began to go in these steps. */
function begun(steps: readonly Step[]): readonly string[] {
  return steps.flatMap(({ command, outcome }) =>
    command.kind === "delete-object" && command.target.kind === "NodeClaim" && outcome.kind === "done"
      ? [command.target.name]
      : [],
  );
}

interface Fresh {
  readonly kind: (typeof reasons)[number];
  readonly isReady: boolean;
}
const fresh: fc.Arbitrary<Fresh> = fc.record({ kind: fc.constantFrom(...reasons), isReady: fc.boolean() });

function put(world: SmallWorld, name: string, { kind, isReady }: Fresh): void {
  world.put(upClaim(name, "pool", kind === "Empty" ? [condition("Consolidatable", "True")] : [drifted("old")]));
  world.put(nodeOf(name, { ready: isReady ? "True" : "False" }));
}

/** Who is on the way out, or not ready, of all that are up. */
async function counts(world: SmallWorld): Promise<{ readonly nodes: number; readonly disrupting: number }> {
  const { nodeClaims, nodes } = (await world.snapshot()).cluster;
  const isWell = (one: Node) =>
    one.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  const bad = nodeClaims.filter(({ metadata, status }: NodeClaim) => {
    const node = nodes.find(({ spec }) => spec.providerID === status?.providerID);
    return metadata.deletionTimestamp !== undefined || node === undefined || !isWell(node);
  });
  return { nodes: nodeClaims.length, disrupting: bad.length };
}

/** One tick: nothing began beyond what the rules and the nodes of this moment allow. Answers how many began. */
async function checkedTick(world: SmallWorld, rules: readonly Rule[]): Promise<number> {
  const { nodes, disrupting } = await counts(world);
  const isDrifted = ({ status }: NodeClaim) => status?.conditions?.some(({ type }) => type === "Drifted") ?? false;
  const { nodeClaims } = (await world.snapshot()).cluster;
  const kindOf = new Map(nodeClaims.map((claim) => [claim.metadata.name, isDrifted(claim) ? "Drifted" : "Empty"]));
  await world.tick(stages);
  const gone = begun(world.steps);
  for (const reason of reasons) {
    const count = gone.filter((name) => kindOf.get(name) === reason).length;
    const room = Math.max(0, allowedNow(rules, reason, nodes, world.atMs) - disrupting);
    expect(count, `${reason} at ${new Date(world.atMs).toISOString()}`).toBeLessThanOrEqual(room);
  }
  return gone.length;
}

/** Some of the nodes that are going are gone; others come for them. */
async function turnover(world: SmallWorld, leave: number, come: Fresh): Promise<void> {
  const { nodeClaims } = (await world.snapshot()).cluster;
  const going = nodeClaims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  for (const { metadata } of going.slice(0, leave)) {
    world.remove("NodeClaim", metadata.name);
    world.remove("Node", `node-${metadata.name}`);
    put(world, `${metadata.name}x`, come);
  }
}

const quietRound = { minutes: 240, leave: 0, come: { kind: "Empty", isReady: true } } as const;

test("over a week of random budgets no disruption starts beyond what a fresh read of that moment allows", async () => {
  let started = 0;
  const round = fc.record({ minutes: fc.integer({ min: 20, max: 240 }), leave: fc.nat({ max: 4 }), come: fresh });
  await fc.assert(
    fc.asyncProperty(
      fc.array(ruleOf, { minLength: 1, maxLength: 3 }),
      fc.array(round, { minLength: 40, maxLength: 40 }),
      async (rules, rounds) => {
        const pool = readyPool("pool", { consolidateAfter: "0s", budgets: rules.map(budgetOf) });
        const world = new SmallWorld(nowMs, { nodePools: [pool] });
        for (let i = 0; i < nodesMax; i++) put(world, `n${i}`, { kind: reasons[i % 2] ?? "Empty", isReady: true });
        // At least 20 minutes each, so some 500 rounds at most.
        for (let i = 0; world.atMs < nowMs + weekMs; i++) {
          const { minutes, leave, come } = rounds[i % rounds.length] ?? quietRound;
          for (const pauseMs of [minutes * minuteMs, 20_000, 1_000]) {
            world.atMs += pauseMs;
            started += await checkedTick(world, rules);
          }
          await turnover(world, leave, come);
        }
      },
    ),
    { numRuns: 12, seed: 7 },
  );
  expect(started).toBeGreaterThan(50);
}, 120_000);
