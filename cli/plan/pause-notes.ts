import { pauseOf, pauseText } from "#core/state/pause.ts";
import type { Look } from "./decide.ts";

/** What is printed is what the tick would decide without the pause. */
export function pauseNotes({ observed }: Look): readonly string[] {
  const pause = pauseOf(observed.cluster.state, observed.nowMs);
  return pause === undefined ? [] : [`${pauseText(pause)}, and what is said here is what comes then`];
}
