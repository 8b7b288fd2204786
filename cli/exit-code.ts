/** What the process answers to its caller. */
export const exitCode = {
  done: 0,
  /** Done, and something was found: pods without a place, problems. */
  found: 1,
  badInput: 2,
  noAccess: 3,
  /** A broken invariant of ours: EX_SOFTWARE. */
  defect: 70,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
