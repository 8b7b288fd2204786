/**
 * Karpenter counterpart: none; whoever wants it to rest scales its Deployment to none. Here one key of the state holds
 * the loop: a person's, written by the command line, of no family, so that nothing forgets it.
 */

/** The key; its value is "all", and anything else counts as none. */
export const pauseKey = "pause";

/** Whether ticks look and do nothing: no launch, no disruption, no drain, no collection. */
export function isPaused(state: Readonly<Record<string, string>>): boolean {
  return state[pauseKey] === "all";
}
