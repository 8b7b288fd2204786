import { expect, test } from "vitest";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { leftOutText } from "#core/recording/left-out-text.ts";
import { resolvedClass } from "../../../test/support/ec2-world.ts";
import { capacityType, templatesOf, types } from "../../../test/support/launch-plans.ts";
import { classHash } from "../drift/class-hash.ts";

const claim = { requirements: [types("m5.large"), capacityType("on-demand")] };

const nameWith = (userData: string, spec: Partial<EC2NodeClassSpec>): string | undefined =>
  templatesOf(claim, { nodeClass: { ...spec, userData } })[0]?.name;

test.each([
  ["al2023@v20240807", "#!/bin/sh\necho one\n"],
  ["bottlerocket@v1.20.5", "[settings.motd]\nx = 1\n"],
])("of %s the template and the class's hash are named the same without the user data's text", (alias, userData) => {
  const spec = { amiSelectorTerms: [{ alias }] };
  const name = nameWith(userData, spec);
  expect(name).toMatch(/^karpenter/);
  expect(nameWith(leftOutText(userData), spec)).toBe(name);
  expect(nameWith(`${userData}# other\n`, spec)).not.toBe(name);
  const whole = resolvedClass({ ...spec, userData }).spec;
  expect(classHash({ ...whole, userData: leftOutText(userData) })).toBe(classHash(whole));
  expect(classHash({ ...whole, userData: `${userData}#` })).not.toBe(classHash(whole));
});
