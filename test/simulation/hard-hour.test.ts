import { expect, test } from "vitest";
import { hardHourTimes } from "../../infra/quiet-cluster.ts";
import { hardHour } from "../support/hard-hour.ts";

test("a pod that fits nowhere and a drain that is refused keep the loop awake as long as the bill says", async () => {
  const { awakeSecondsPerMinute, ticksPerMinute } = await hardHour();
  expect(Math.round(awakeSecondsPerMinute * 100) / 100).toBe(hardHourTimes.awakeSecondsPerMinute);
  expect(ticksPerMinute).toBe(hardHourTimes.ticksPerMinute);
}, 120_000);
