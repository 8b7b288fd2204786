import type { Terminal } from "../terminal.ts";
import { frames, Pace, pieceMs } from "./pace.ts";
import { podCounts } from "./pod-counts.ts";
import type { SimulationResult } from "./result.ts";
import { Screen } from "./screen.ts";
import { shortWorkloads } from "./workloads.ts";
import type { World } from "./world.ts";

export interface Run {
  readonly world: World;
  /** Virtual end, ms since the epoch. */
  readonly endMs: number;
  /** What else happens, besides Outrigger; the run ends with it when it ends first. */
  readonly script?: () => Promise<void>;
  /** About how long the script takes, for the progress bar. */
  readonly expectedMs?: number;
  readonly seed: number;
  /** Its result is wanted even when nobody takes its output any more. */
  readonly wanted: boolean;
}

/** Runs it to its end, showing what happens meanwhile. */
export async function show(run: Run, terminal: Terminal): Promise<SimulationResult> {
  const { world, endMs, script } = run;
  const screen = new Screen(terminal);
  let over = false;
  if (script !== undefined) {
    world.simulation.clock.spawn(async () => {
      await script();
      over = true;
    });
  }
  world.start(endMs);
  let shown = 0;
  const pace = new Pace(terminal);
  for (const atMs of frames(world.startMs, endMs, run.expectedMs ?? endMs - world.startMs, terminal.live)) {
    await world.simulation.clock.runUntil(atMs);
    for (const entry of world.timeline.entries.slice(shown)) screen.entry(entry);
    shown = world.timeline.entries.length;
    screen.status({
      second: (atMs - world.startMs) / 1000,
      progress: (atMs - world.startMs) / (run.expectedMs ?? endMs - world.startMs),
      nodes: world.nodes.length,
      pods: podCounts(world.pods),
      perHour: world.simulation.bill().perHour,
    });
    await pace.hold();
    if (!run.wanted && terminal.lost?.() !== undefined) break;
    if (over && (atMs - world.startMs) % pieceMs === 0) break;
  }
  screen.end();
  return resultOf(run);
}

function resultOf({ world, seed }: Run): SimulationResult {
  const { perHour, total } = world.simulation.bill();
  return {
    claims: world.claims,
    nodes: world.nodes,
    pods: world.pods,
    timeline: world.timeline.entries,
    ended: world.ended,
    cost: { perHour, total },
    unplaced: world.placements.unplaced(world.pods),
    short: shortWorkloads(world.simulation.api.store),
    seed,
  };
}
