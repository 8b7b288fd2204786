import { expect, test } from "vitest";
import { catalogue } from "../../../test/support/ec2-world.ts";
import { volumeLimitsOf } from "./volume-limits.ts";

const types = new Map(catalogue.types.map((type) => [type.name, type]));

test.each([
  ["m6i.large", 25],
  ["t2.large", 38],
  ["m6id.large", 24],
  ["g4dn.12xlarge", 20],
])("%s attaches %d volumes at least", (name, limit) => {
  const type = types.get(name);
  expect(type === undefined ? undefined : volumeLimitsOf(type)).toEqual({ "ebs.csi.aws.com": limit });
});

test("every type attaches one volume at least and no more than its kind can", () => {
  for (const type of types.values()) {
    const [limit = 0] = Object.values(volumeLimitsOf(type));
    expect(limit, type.name).toBeGreaterThanOrEqual(1);
    expect(limit, type.name).toBeLessThanOrEqual(type.hypervisor === "xen" ? 38 : 25);
  }
});
