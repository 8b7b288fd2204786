import type { RequestLimits } from "#controllers/leased-ports.ts";
import { writeTimeoutMs } from "../../../shared/adapters/kubernetes/command-writer.ts";

/** The longest that a request of each port takes with all its repetitions. */
export const requestLimits: RequestLimits = { clusterMs: writeTimeoutMs, cloudMs: 8_000 };
