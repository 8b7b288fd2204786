import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { act } from "./act.ts";
import { eventsOf } from "./events.ts";
import { fold } from "./fold.ts";
import { observe } from "./observe.ts";
import type { Brain, Ports } from "./ports.ts";
import { stagesOf } from "./stages.ts";

/**
 * One tick, the only way through: observe once, run the stages in order, carry each stage's commands out and show the
 * outcomes to the next stage. `said` remembers the names of events of a warm process; it saves calls, nothing depends
 * on it.
 */
export async function reconcile<Query, View>(
  ports: Ports<Query, View>,
  brain: Brain<Query, View>,
  said: Set<string> = new Set(),
): Promise<TickReport<View>> {
  const initial = await observe(ports, brain);
  let snapshot: Snapshot<View> = initial;
  const decisions: { readonly stage: string; readonly decision: Decision }[] = [];
  for (const stage of stagesOf(brain.provider)) {
    const decision = stage.decide(snapshot);
    decisions.push({ stage: stage.name, decision });
    snapshot = fold(snapshot, await act(stage.name, decision.commands, ports));
  }
  const changed = snapshot.steps.some((step) => step.outcome.kind === "done");
  const eventSteps = await sayEvents(ports, decisions, initial.nowMs, said);
  const times = decisions.flatMap(({ decision }) => (decision.againAtMs === undefined ? [] : [decision.againAtMs]));
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

async function sayEvents<Query, View>(
  ports: Ports<Query, View>,
  decisions: readonly { readonly decision: Decision }[],
  nowMs: number,
  said: Set<string>,
): Promise<readonly Step[]> {
  const events = eventsOf(
    decisions.flatMap(({ decision }) => decision.reasons),
    nowMs,
    said,
  );
  for (const event of events) said.add(event.name);
  return act("events", events, ports);
}
