import { backPreflight, heldBack, leaseTaken, ownLeaseGone, scaledUp } from "./back.ts";
import { held, leaseGone, on, planned, rehearsed, scaledDown, stamped, ticking } from "./handover.ts";
import { deployed, objectsFit, preflight, settingsTakenOver } from "./preflight.ts";
import type { MigrationStep } from "./step.ts";
import { converted, exported, rewritten, storedVersions, sufficient, unconverted } from "./storage.ts";

/** In their order; each rests on the ones before. */
export const stepsForth: readonly MigrationStep[] = [
  preflight,
  converted,
  objectsFit,
  rehearsed,
  exported,
  rewritten,
  storedVersions,
  unconverted,
  sufficient,
  deployed,
  held,
  scaledDown,
  leaseGone,
  stamped,
  settingsTakenOver,
  planned,
  ticking,
  on,
];

export const stepsBack: readonly MigrationStep[] = [backPreflight, heldBack, ownLeaseGone, scaledUp, leaseTaken];
