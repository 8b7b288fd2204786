import { expect, test } from "vitest";
import type { Instance } from "#core/instance.ts";
import { Checks } from "./checks.ts";
import { readInstance } from "./read-outcome.ts";

test("an instance comes out of a recording as it went in, every field of it", () => {
  const whole: Required<Instance> = {
    ...{ id: "i-1", providerID: "aws:///zone-a/i-1", state: "running", instanceType: "m5.large", zone: "zone-a" },
    ...{ capacityType: "reserved", imageId: "ami-1", launchedAtMs: 1_000, tags: { Name: "a" }, subnetId: "subnet-1" },
    ...{ securityGroupIds: ["sg-1"], reservationId: "cr-1", partition: 7 },
  };
  const checks = new Checks();
  expect(readInstance(checks, "instance", JSON.parse(JSON.stringify(whole)))).toEqual(whole);
  expect(checks.problems).toEqual([]);
});
