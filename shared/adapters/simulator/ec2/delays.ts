import type { DelayRange } from "./seeded-draw.ts";

/** How long the simulated EC2 takes. Each is drawn per call or per instance. */
export interface Ec2Delays {
  /** Reply to an instant fleet: EC2 answers only when the instances exist. */
  readonly launchReplyMs: DelayRange;
  /** Reply to any other call. */
  readonly replyMs: DelayRange;
  /** From launch to `running`. */
  readonly pendingMs: DelayRange;
  /** From launch until the operating system is up and its kubelet starts. */
  readonly bootMs: DelayRange;
  /** From `shutting-down` to `terminated`. */
  readonly shuttingDownMs: DelayRange;
  /** How far what DescribeInstances says lags behind, per instance: a fresh one is missing, a terminated one still runs. */
  readonly staleMs: DelayRange;
  /** How long a terminated instance stays listed. EC2: about an hour; shorter here, so that long runs stay small. */
  readonly terminatedListedMs: number;
  /** EventBridge's delivery. */
  readonly deliveryMs: DelayRange;
}

/** Of the size that EC2 shows with AL2023 and small types; a node joins in 40 to 60 s. */
export const usualDelays: Ec2Delays = {
  launchReplyMs: [1_200, 2_500],
  replyMs: [80, 250],
  pendingMs: [4_000, 9_000],
  bootMs: [18_000, 30_000],
  shuttingDownMs: [20_000, 45_000],
  staleMs: [0, 3_000],
  terminatedListedMs: 600_000,
  deliveryMs: [300, 1_500],
};

/** Everything at once: for tests of a rule that has nothing to do with time. */
export const noDelays: Ec2Delays = {
  launchReplyMs: [0, 0],
  replyMs: [0, 0],
  pendingMs: [0, 0],
  bootMs: [0, 0],
  shuttingDownMs: [0, 0],
  staleMs: [0, 0],
  terminatedListedMs: 600_000,
  deliveryMs: [0, 0],
};
