/**
 * How soon a pod that fits nowhere has its node on the way, and a new node takes pods, with functions that stay
 * ("reaction: seconds"), each in a process of its own, and hand over to each other.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { isTrue } from "#core/condition.ts";
import { fillCluster } from "./support/large-cluster.ts";
import { nodePool } from "./support/manifests.ts";
import { isQuiet } from "./support/quiet-machine.ts";
import { eventually } from "./support/real-cluster.ts";
import { World } from "./support/world.ts";

/** What is not judged, since the machine has other things to do, need not be measured as often. */
const scaleUps = { quiet: 50, busy: 15 };
/** Lines of each kind that are shown when no launch comes. */
const newestShown = 8;
/** Scale-ups that may have a node without a launch: the pod before lost its own to them and is gone. */
const foundMost = 2;
/** Goal for the last of the new nodes to take pods. */
const releaseMs = 3_000;

describe.each([
  { name: "small cluster", nodes: 0, pods: 0, middleMs: 1_500, slowMs: 3_000 },
  { name: "500 nodes, 5,000 pods", nodes: 500, pods: 5_000, middleMs: 2_000, slowMs: 4_000 },
])("$name", ({ name, nodes, pods, middleMs, slowMs }) => {
  let world: World;
  let wasQuiet = false;

  beforeAll(async () => {
    wasQuiet = isQuiet();
    world = await World.start();
    if (pods > 0) await fillCluster(world.admin, nodes, pods);
    await world.apply(nodePool("reaction"));
    world.runs.start("seconds");
    await eventually("the pool is ready", () => isReady(world), 60_000);
    // Now and then a successor asks: what is measured goes across handovers.
    world.runs.also(1, 15_000);
  }, 400_000);
  afterAll(() => world.stop());

  test("every scale-up has its launch, and every node is released", { timeout: 600_000 }, async () => {
    const count = wasQuiet ? scaleUps.quiet : scaleUps.busy;
    const launches = await launchTimes(world, count);
    await eventually("all nodes joined", async () => world.kubelet.readyAtMs.size >= launches.length, 60_000);
    const joined = [...world.kubelet.readyAtMs.keys()];
    await eventually(
      "all are released",
      async () => joined.every((node) => world.kubelet.releasedAtMs.has(node)),
      60_000,
    );
    const releases = [...world.kubelet.readyAtMs].map(([node, readyMs]) =>
      Math.max(0, (world.kubelet.releasedAtMs.get(node) ?? Number.POSITIVE_INFINITY) - readyMs),
    );
    const handovers = world.runs.endings.filter((ending) => ending === "held").length;
    await world.runs.stop();
    const isJudged = wasQuiet && isQuiet();
    const isMet =
      quantile(launches, 0.5) <= middleMs &&
      quantile(launches, 0.99) <= slowMs &&
      quantile(releases, 0.99) <= releaseMs;
    const verdict = isJudged ? (isMet ? "met" : "missed") : "not judged, since the machine has other things to do";
    process.stdout.write(
      `${name}, ${count} scale-ups: pending to CreateFleet ${shown(launches)}; Ready to taint gone ${shown(releases)}; ${handovers} handovers; ` +
        `goal p50 ${middleMs} ms, p99 ${slowMs} ms and ${releaseMs} ms: ${verdict}\n`,
    );
    for (const failure of world.runs.failures) process.stdout.write(`an invocation died: ${failure}\n`);
    // Times are figures, for people to read: a test that fails by them fails by the machine.
    expect(launches.length).toBeGreaterThanOrEqual(count - foundMost);
    expect(releases.every(Number.isFinite)).toBe(true);
  });
});

async function isReady(world: World): Promise<boolean> {
  const pool = await world.admin.get("NodePool", "reaction");
  return pool.kind === "ok" && isTrue(pool.object as NodePool, "Ready");
}

/** Of those scale-ups that needed a launch, one after the other. */
async function launchTimes(world: World, count: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const ms = await scaleUpMs(world, index);
    if (ms !== undefined) times.push(ms);
  }
  return times;
}

/**
 * From the pod's creation to the next call of CreateFleet, for it or for one whose node it was given; undefined: none comes,
 * and the pod runs all the same. Then what is there is shown.
 */
async function scaleUpMs(world: World, index: number): Promise<number | undefined> {
  const name = `scale-up-${index}`;
  const launched = world.runs.launchedAtMs.size;
  const beganMs = Date.now();
  await world.apply(largePod(name));
  const isLate = await eventually("a launch", async () => world.runs.launchedAtMs.size > launched).then(
    () => false,
    async (error: unknown) => {
      const what = await situation(world, name);
      if (!(await isRunning(world, name))) throw new Error(what, { cause: error });
      process.stdout.write(`no launch came: ${what}\n`);
      return true;
    },
  );
  const atMs = [...world.runs.launchedAtMs.values()].at(-1) ?? Number.POSITIVE_INFINITY;
  await new Promise((resolve) => setTimeout(resolve, 200 + 800 * Math.random()));
  return isLate ? undefined : atMs - beganMs;
}

async function isRunning(world: World, name: string): Promise<boolean> {
  const pod = await world.admin.get("Pod", name, "default");
  return pod.kind === "ok" && (pod.object as Pod).status?.phase === "Running";
}

async function situation(world: World, name: string): Promise<string> {
  const there = await Promise.all(["pods", "nodes", "nodeclaims"].map((what) => newest(world, what)));
  return `${name}: ${lastSaid(world, name)}\n${there.join("\n")}`;
}

/** As a person would look for what went wrong. */
async function newest(world: World, what: string): Promise<string> {
  const lines = (await world.kubectl("get", what, "-A", "-o", "wide", "--sort-by=.metadata.creationTimestamp")).split(
    "\n",
  );
  return lines.slice(-newestShown).join("\n");
}

/** Of the pod, by the last tick that spoke of it. */
function lastSaid({ runs }: World, pod: string): string {
  const said = runs.reports.flatMap(({ decisions }) => decisions.flatMap(({ decision }) => decision.reasons));
  return said.findLast(({ about }) => about.name === pod)?.message ?? "no tick spoke of it";
}

/** Too large for what an earlier node has left. */
function largePod(name: string): object {
  return {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default" } },
    spec: {
      nodeSelector: { scenario: "reaction" },
      tolerations: [{ key: "scenario", operator: "Exists" }],
      containers: [{ name: "main", image: "none", resources: { requests: { cpu: "5" } } }],
    },
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function shown(values: readonly number[]): string {
  return `p50 ${quantile(values, 0.5)} ms, p99 ${quantile(values, 0.99)} ms`;
}
