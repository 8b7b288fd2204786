import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { Stage } from "#core/stage.ts";
import { isPaused } from "#core/state/pause.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { act } from "./act.ts";
import { conditionTellings, tellingsOf } from "./condition-events.ts";
import { eventsOf, type Telling } from "./events.ts";
import { fold } from "./fold.ts";
import { observe } from "./observe.ts";
import type { Configuration, Ports } from "./ports.ts";
import { endingStagesOf, stagesOf } from "./stages.ts";
import { toldReasons } from "./told-reasons.ts";

/** After a fault that names no time. */
const retryPauseMs = 5_000;
/** The next look reads what the other writer wrote. */
const conflictPauseMs = 1_000;

/** A stage is not begun with less time left, ms: enough for its writes, one after another. */
const stageMsMax = 10_000;

export interface TickManner {
  /** Names of events of a warm process; it saves calls, nothing depends on it. */
  readonly recorded?: Set<string>;
  /** When the process may be ended from outside, ms since the epoch; absent: never. */
  readonly endAtMs?: number;
}

/**
 * One tick, the only way through: observe once, run the stages in order, carry each stage's commands out and show the
 * outcomes to the next stage. Stages for which no time is left are the next tick's; while everything is paused none is
 * run. A defect is told with all that led to it, and thrown.
 */
export async function reconcile<Query, View>(
  ports: Ports<Query, View>,
  configuration: Configuration<Query, View>,
  { recorded = new Set(), endAtMs = Number.POSITIVE_INFINITY }: TickManner = {},
): Promise<TickReport<View>> {
  const beganMs = ports.clock.nowMs();
  const initial = await observe(ports, configuration);
  const tick: Tick<View> = {
    initial,
    snapshot: initial,
    decisions: [],
    conditions: [],
    phases: [{ name: "look", durationMs: ports.clock.nowMs() - beganMs }],
  };
  const isEnding = configuration.only === "ending";
  if (isPaused(initial.cluster.state, initial.nowMs) && !isEnding) return told(ports, tick, []);
  try {
    for (const stage of (isEnding ? endingStagesOf : stagesOf)(configuration.provider)) {
      if (ports.clock.nowMs() + stageMsMax > endAtMs) {
        const message = "the invocation ends too soon for it";
        return told(ports, tick, [], { stage: stage.name, cause: "time", message });
      }
      await runStage(stage, tick, ports);
    }
    const beforeMs = ports.clock.nowMs();
    const events = await recordEvents(ports, tick, recorded);
    tick.phases.push({ name: "events", durationMs: ports.clock.nowMs() - beforeMs });
    return told(ports, tick, events);
  } catch (error) {
    const stage = tick.running ?? "events";
    told(ports, tick, [], { stage, cause: "defect", message: error instanceof Error ? error.message : String(error) });
    throw error;
  }
}

/** A tick as far as it has come. */
interface Tick<View> {
  readonly initial: Snapshot<View>;
  snapshot: Snapshot<View>;
  readonly decisions: { readonly stage: string; readonly decision: Decision }[];
  /** Changes of conditions that the stages wrote. */
  readonly conditions: Telling[];
  readonly phases: { readonly name: string; readonly durationMs: number }[];
  running?: string;
}

async function runStage<View>(stage: Stage<View>, tick: Tick<View>, ports: Ports<never, unknown>): Promise<void> {
  const beganMs = ports.clock.nowMs();
  tick.running = stage.name;
  const decided = stage.decide(tick.snapshot);
  const steps = await act(stage.name, decided.commands, ports);
  const reasons = toldReasons(decided.reasons, decided.commands, steps);
  tick.decisions.push({ stage: stage.name, decision: { ...decided, reasons } });
  tick.conditions.push(...conditionTellings(tick.snapshot.cluster, steps));
  tick.snapshot = fold(tick.snapshot, steps);
  tick.phases.push({ name: stage.name, durationMs: ports.clock.nowMs() - beganMs });
  delete tick.running;
}

function told<View>(
  { telemetry }: Pick<Ports<never, View>, "telemetry">,
  { initial, snapshot, decisions, phases }: Tick<View>,
  eventSteps: readonly Step[],
  cutShort?: NonNullable<TickReport["cutShort"]>,
): TickReport<View> {
  const times = [
    ...decisions.flatMap(({ decision }) => (decision.againAtMs === undefined ? [] : [decision.againAtMs])),
    ...snapshot.steps.flatMap((step) => retryAtMs(step, initial.nowMs)),
  ];
  const report: TickReport<View> = {
    snapshot: initial,
    decisions,
    steps: [...snapshot.steps, ...eventSteps],
    changed: snapshot.steps.some((step) => step.outcome.kind === "done"),
    phases,
    ...(times.length === 0 ? {} : { againAtMs: Math.min(...times) }),
    ...(cutShort === undefined ? {} : { cutShort }),
  };
  telemetry.tick(report);
  return report;
}

async function recordEvents<View>(
  ports: Ports<never, View>,
  { initial, decisions, conditions }: Tick<View>,
  recorded: Set<string>,
): Promise<readonly Step[]> {
  const reasons = decisions.flatMap(({ decision }) => decision.reasons);
  const events = eventsOf(tellingsOf(reasons, conditions), initial.nowMs, recorded);
  for (const event of events) recorded.add(event.name);
  return act("events", events, ports);
}

/** Faults that pass by themselves are tried again, when the server names a time then; others wait for the next tick. */
function retryAtMs({ outcome }: Step, nowMs: number): readonly number[] {
  if (outcome.kind === "done") return [];
  const { kind, retryAfterMs } = outcome.fault;
  if (kind === "throttled" || kind === "unavailable") return [nowMs + (retryAfterMs ?? retryPauseMs)];
  return kind === "conflict" ? [nowMs + conflictPauseMs] : [];
}
