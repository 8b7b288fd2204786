/**
 * Karpenter counterpart: truncateMessage of pkg/controllers/nodeclaim/lifecycle/launch.go, for conditions alone. It
 * differs: events are cut too, by the same rule, and the mark of a cut counts.
 */

/** Kubernetes refuses notes above 1,024 bytes on events.k8s.io and cuts them on core events; characters. */
export const eventMessageMax = 1_000;
/** Karpenter: what a condition keeps of a launch error; characters. */
export const conditionMessageMax = 300;

/** At most `charactersMax` characters; a cut is marked by an ellipsis, and never goes through a surrogate pair. */
export function shortened(message: string, charactersMax: number): string {
  if (message.length <= charactersMax) return message;
  return `${message.slice(0, charactersMax - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
