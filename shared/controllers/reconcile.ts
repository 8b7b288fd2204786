import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { act } from "./act.ts";
import { eventsOf } from "./events.ts";
import { fold } from "./fold.ts";
import { observe } from "./observe.ts";
import type { Configuration, Ports } from "./ports.ts";
import { stagesOf } from "./stages.ts";
import { toldReasons } from "./told-reasons.ts";

/** After a fault that names no time. */
const retryPauseMs = 5_000;
/** The next look reads what the other writer wrote. */
const conflictPauseMs = 1_000;

/**
 * One tick, the only way through: observe once, run the stages in order, carry each stage's commands out and show the
 * outcomes to the next stage. `recorded` remembers the names of events of a warm process; it saves calls, nothing
 * depends on it.
 */
export async function reconcile<Query, View>(
  ports: Ports<Query, View>,
  configuration: Configuration<Query, View>,
  recorded: Set<string> = new Set(),
): Promise<TickReport<View>> {
  const initial = await observe(ports, configuration);
  let snapshot: Snapshot<View> = initial;
  const decisions: { readonly stage: string; readonly decision: Decision }[] = [];
  for (const stage of stagesOf(configuration.provider)) {
    const decided = stage.decide(snapshot);
    const steps = await act(stage.name, decided.commands, ports);
    const reasons = toldReasons(decided.reasons, decided.commands, steps);
    decisions.push({ stage: stage.name, decision: { ...decided, reasons } });
    snapshot = fold(snapshot, steps);
  }
  const changed = snapshot.steps.some((step) => step.outcome.kind === "done");
  const eventSteps = await recordEvents(ports, decisions, initial.nowMs, recorded);
  const times = [
    ...decisions.flatMap(({ decision }) => (decision.againAtMs === undefined ? [] : [decision.againAtMs])),
    ...snapshot.steps.flatMap((step) => retryAtMs(step, initial.nowMs)),
  ];
  const report: TickReport<View> = {
    snapshot: initial,
    decisions,
    steps: [...snapshot.steps, ...eventSteps],
    changed,
    ...(times.length === 0 ? {} : { againAtMs: Math.min(...times) }),
  };
  ports.telemetry.tick(report);
  return report;
}

async function recordEvents<Query, View>(
  ports: Ports<Query, View>,
  decisions: readonly { readonly decision: Decision }[],
  nowMs: number,
  recorded: Set<string>,
): Promise<readonly Step[]> {
  const events = eventsOf(
    decisions.flatMap(({ decision }) => decision.reasons),
    nowMs,
    recorded,
  );
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
