import { join } from "node:path";
import { ec2Group } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { parseTime } from "#api/time.ts";
import { isTrue } from "#core/condition.ts";
import { initialized } from "#core/nodeclaim/conditions.ts";
import { instanceIdOf } from "#core/nodeclaim/instance-presence.ts";
import { type LoadedObject, loadManifests } from "../manifests/load.ts";
import { problemText } from "../manifests/problem.ts";
import { nodeClaimsTable } from "../tables/node-claims.ts";
import type { World } from "./world.ts";

const directory = join(import.meta.dirname, "demo");
const deployment = { namespace: "default", name: "karpenter-test" };
/** The longest that each act of the demo may take, and how long its outcome is left to stand, virtual ms. */
const actMsMax = 15 * 60_000;
const restMs = 30_000;
const pollMs = 1_000;

/** About how long it takes, for the progress bar; and its latest end. */
export const expectedDemoMs = 10 * 60_000;
export const demoMinutesMax = 60;

export function demoManifests(): readonly LoadedObject[] {
  return read([directory]);
}

/**
 * The demo's pool and class for manifests that bring none. Without the taint, which only the demo's own pods tolerate,
 * without the demo's choice of small nodes, and without its limits.
 */
export function demoPoolAndClass(): readonly LoadedObject[] {
  return read([join(directory, "ec2nodeclass.yaml"), join(directory, "nodepool.yaml")]).map((loaded) =>
    loaded.object.kind === "NodePool" ? { ...loaded, object: forEverybody(loaded.object as NodePool) } : loaded,
  );
}

function forEverybody(pool: NodePool): NodePool {
  const { limits: _limits, template, ...spec } = pool.spec;
  const { taints: _taints, ...templateSpec } = template.spec;
  const requirements = templateSpec.requirements.filter(({ key }) => !key.startsWith(`${ec2Group}/`));
  return { ...pool, spec: { ...spec, template: { ...template, spec: { ...templateSpec, requirements } } } };
}

function read(paths: readonly string[]): readonly LoadedObject[] {
  const loaded = loadManifests(paths);
  if (loaded.kind === "manifests") return loaded.objects;
  throw new Error(`the demo's own manifests are damaged: ${loaded.problems.map(problemText).join("; ")}`);
}

/** What happens in the demo, act by act; each waits for the one before. Answers false when one did not come to its end. */
export async function playDemo(world: World): Promise<boolean> {
  const running = (count: number): boolean => runningPods(world) === count && world.pods.length === count;
  if (!(await until(world, () => running(5)))) return false;
  await rest(world);
  world.tell({
    kind: "note",
    message: "kubectl get nodeclaims -o wide",
    lines: nodeClaimsTable(world.claims, world.nowMs),
  });
  if (!(await interruption(world))) return false;
  if (!(await until(world, () => running(5) && world.claims.every(isSettled)))) return false;
  await rest(world);
  world.tell({ kind: "scale", object: "Deployment/karpenter-test", message: "from 5 replicas to 3" });
  world.simulation.api.scale("Deployment", deployment.name, deployment.namespace, 3);
  if (!(await until(world, () => running(3) && world.claims.length === 1))) return false;
  await rest(world);
  if (!(await newImage(world))) return false;
  await rest(world);
  return true;
}

/** The class moves on to a newer image; the act ends when a node that boots it has taken the place of the old one. */
async function newImage(world: World): Promise<boolean> {
  const old = new Set(world.claims.map(({ metadata }) => metadata.uid));
  const [before, after] = ["al2023@v20240807", "al2023@v20241024"];
  world.tell({ kind: "apply", object: "EC2NodeClass/default", message: `alias ${after} in the place of ${before}` });
  world.simulation.api.patch("EC2NodeClass", "default", undefined, { spec: { amiSelectorTerms: [{ alias: after }] } });
  return until(world, () => {
    return (
      runningPods(world) === 3 && world.claims.length > 0 && !world.claims.some(({ metadata }) => old.has(metadata.uid))
    );
  });
}

/** EC2 takes the oldest spot instance back; the act ends when its claim is gone. */
async function interruption(world: World): Promise<boolean> {
  const [oldest] = [...world.claims].sort(
    (a, b) => createdMs(a) - createdMs(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
  const providerID = oldest?.status?.providerID;
  if (oldest === undefined || providerID === undefined) return false;
  const instanceId = instanceIdOf(providerID);
  world.tell({
    kind: "interruption",
    message: `EC2 warns that it takes spot instance ${instanceId} back in two minutes`,
  });
  world.simulation.cloud.interrupt(instanceId);
  return until(world, () => !world.claims.some(({ metadata }) => metadata.uid === oldest.metadata.uid));
}

function runningPods(world: World): number {
  return world.pods.filter(
    ({ metadata, status }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
  ).length;
}

function isSettled(claim: NodeClaim): boolean {
  return isTrue(claim, initialized) && claim.metadata.deletionTimestamp === undefined;
}

function createdMs(claim: NodeClaim): number {
  return parseTime(claim.metadata.creationTimestamp) ?? 0;
}

async function until(world: World, condition: () => boolean): Promise<boolean> {
  const { clock } = world.simulation;
  const endMs = clock.nowMs() + actMsMax;
  while (!condition()) {
    if (clock.nowMs() >= endMs) return false;
    await clock.sleepUntil(clock.nowMs() + pollMs);
  }
  return true;
}

function rest(world: World): Promise<void> {
  return world.simulation.clock.sleepUntil(world.nowMs + restMs);
}
