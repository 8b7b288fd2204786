import { expect, test } from "vitest";
import { VirtualClock } from "../virtual-clock.ts";
import { Addresses } from "./addresses.ts";
import { usualDelays } from "./delays.ts";
import { Instances } from "./instances.ts";
import { addressIn } from "./machines.ts";

const facts = {
  ...{ instanceType: "m5.large", zone: "z", capacityType: "spot", pricePerHour: 1, imageId: "ami-1" },
  ...{ subnetId: "subnet-1", securityGroupIds: [], tags: {} },
};

function launched(count: number, avoided: readonly string[]): readonly string[] {
  const instances = new Instances(new VirtualClock(0), 1, usualDelays, () => {});
  instances.avoid(avoided);
  return Array.from({ length: count }, () => instances.launch(facts).id);
}

test("an instance that the manifests name keeps its id for itself; the ids of the others stay what they were", () => {
  const [first = "", second = "", third = ""] = launched(3, []);
  expect(launched(2, [second])).toEqual([first, third]);
});

test("a node of the manifests keeps its address, and so its name, for itself", () => {
  expect(addressIn("ip-10-0-0-5.ec2.internal")).toBe("10.0.0.5");
  expect(addressIn("my-node")).toBeUndefined();
  const addresses = new Addresses([0, 0], new Set(["10.0.0.5"]));
  expect([addresses.take(1), addresses.take(1)]).toEqual(["10.0.0.4", "10.0.0.6"]);
});
