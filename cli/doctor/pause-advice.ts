import { stateName } from "#api/outrigger-names.ts";
import { pauseKey, pauseOf, pauseValue } from "#core/state/pause.ts";
import type { Look } from "../plan/decide.ts";
import type { Advice } from "./advice.ts";

/** A pause that somebody forgot costs nodes that nobody takes, or pods that nobody places. */
export function pauseAdvice({ observed }: Look): readonly Advice[] {
  const pause = pauseOf(observed.cluster.state, observed.nowMs);
  if (pause === undefined) return [];
  const found = `is ${pauseValue(pause)}`;
  return [
    { object: `ConfigMap/${stateName}`, field: `data.${pauseKey}`, found, fix: "outrigger resume, unless it is meant" },
  ];
}
