/**
 * Karpenter counterpart: none; its chart is given a queue that somebody made. How the queue of interruptions and the function
 * that reads it are timed: what is deployed, checked and told about.
 */
export const queueTiming = {
  /** A warning is over after 120 s, so that a function that hangs must not hold it for long. */
  functionSeconds: 15,
  /** Lambda: six times the function's timeout, so that a batch that waits for a free function is not delivered twice. */
  visibilitySeconds: 90,
  receivesMax: 3,
  /** More than three times what all deliveries take: a record that fails ends in the other queue and is never lost. */
  retentionSeconds: 3_600,
} as const;
