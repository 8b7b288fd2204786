import type { CreateFleetCommandOutput, CreateFleetError } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import type { LaunchInstance } from "#core/command.ts";
import { readFleetAnswer } from "./fleet-answer.ts";
import { withReason } from "./launch-reason.ts";

const command: LaunchInstance = {
  ...{
    kind: "launch-instance",
    nodeClaim: "c",
    nodeClaimUid: "u",
    attempt: 1,
    token: "u-1",
    capacityType: "on-demand",
  },
  options: ["m5.large", "c5.large"].map((instanceType, i) => ({
    ...{ instanceType, zone: "us-east-1a", subnetId: "subnet-a", pricePerHour: i, launchTemplate: "t" },
  })),
  tags: {},
};

function error(ErrorCode: string, InstanceType = "m5.large"): CreateFleetError {
  return {
    ErrorCode,
    ErrorMessage: `${ErrorCode} happened`,
    LaunchTemplateAndOverrides: { Overrides: { InstanceType: InstanceType as "m5.large", SubnetId: "subnet-a" } },
  };
}

function read(answer: Partial<CreateFleetCommandOutput>) {
  return readFleetAnswer(command, { $metadata: {}, ...answer }, 1_000, () => "ami-1");
}

test("an instance is told with the place and the image that it was asked for", () => {
  const Overrides = { InstanceType: "c5.large", SubnetId: "subnet-a" } as const;
  const Instances = [
    { InstanceIds: ["i-1"], InstanceType: "c5.large" as const, LaunchTemplateAndOverrides: { Overrides } },
  ];
  expect(read({ Instances, Errors: [error("InsufficientInstanceCapacity")] })).toEqual({
    kind: "launched",
    instance: {
      ...{ id: "i-1", providerID: "aws:///us-east-1a/i-1", state: "pending", instanceType: "c5.large" },
      ...{ zone: "us-east-1a", capacityType: "on-demand", launchedAtMs: 1_000, tags: {}, subnetId: "subnet-a" },
      imageId: "ami-1",
    },
    refused: [{ instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand" }],
    fullSubnets: [],
  });
});

describe("nothing was launched", () => {
  test("a want of capacity everywhere is a shortage of all that were named", () => {
    const Errors = [error("InsufficientInstanceCapacity"), error("InsufficientInstanceCapacity", "c5.large")];
    expect(read({ Errors })).toMatchObject({
      fault: {
        kind: "insufficient-capacity",
        code: "InsufficientInstanceCapacity",
        message: "InsufficientInstanceCapacity happened (and 1 other offerings)",
        offerings: [{ instanceType: "c5.large" }, { instanceType: "m5.large" }],
      },
    });
  });

  test("one other cause is what must be mended, and what else was short is told beside it", () => {
    const Errors = [error("InsufficientInstanceCapacity"), error("InvalidAMIID.NotFound", "c5.large")];
    expect(read({ Errors })).toMatchObject({
      fault: {
        kind: "launch-refused",
        code: "InvalidAMIID.NotFound",
        reason: "AMINotFound",
        offerings: [{ instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand" }],
      },
    });
  });

  test("a limit of the account is told before a plain shortage", () => {
    const Errors = [error("InsufficientInstanceCapacity"), error("VcpuLimitExceeded", "c5.large")];
    expect(read({ Errors })).toMatchObject({
      fault: { kind: "insufficient-capacity", code: "VcpuLimitExceeded", reason: "VCPULimitExceeded" },
    });
    const plain = read({ Errors: [error("InsufficientInstanceCapacity")] });
    expect(plain.kind === "failed" && plain.fault.reason).toBeUndefined();
  });

  test("a subnet without addresses is told as that: no offering is short for it", () => {
    const full = error("InsufficientFreeAddressesInSubnet");
    expect(read({ Errors: [full, error("InsufficientFreeAddressesInSubnet", "c5.large")] })).toMatchObject({
      fault: { kind: "insufficient-capacity", offerings: [], fullSubnets: ["subnet-a"] },
    });
    expect(read({ Errors: [full, error("InsufficientInstanceCapacity", "c5.large")] })).toMatchObject({
      fault: { offerings: [{ instanceType: "c5.large" }], fullSubnets: ["subnet-a"] },
    });
    const Overrides = { InstanceType: "c5.large", SubnetId: "subnet-a" } as const;
    const Instances = [{ InstanceIds: ["i-1"], LaunchTemplateAndOverrides: { Overrides } }];
    expect(read({ Instances, Errors: [full] })).toMatchObject({ refused: [], fullSubnets: ["subnet-a"] });
  });

  test("a token that met another request is told as that, so that its instance is looked for", () => {
    expect(read({ Errors: [error("IdempotentParameterMismatch")] })).toMatchObject({
      fault: { kind: "token-mismatch" },
    });
  });

  test("a code that nobody knows is LaunchFailed, with the code in the message", () => {
    expect(read({ Errors: [error("SomethingNew")] })).toMatchObject({
      fault: { kind: "launch-refused", reason: "LaunchFailed", message: "SomethingNew: SomethingNew happened" },
    });
  });

  test("a template that is gone is told apart, since it can be made anew", () => {
    const Errors = [error("InvalidLaunchTemplateName.NotFoundException")];
    expect(read({ Errors })).toEqual({ kind: "template-missing" });
  });

  test("a fleet without instance and error is a shortage of everything that was asked for", () => {
    expect(read({ FleetId: "fleet-1" })).toMatchObject({
      fault: { kind: "insufficient-capacity", code: "UnfulfillableCapacity", offerings: [{}, {}] },
    });
  });
});

describe("an answer that cannot be read may hide an instance", () => {
  test("without fleet, instance and error", () => {
    expect(read({})).toMatchObject({ kind: "failed", fault: { kind: "unavailable" } });
  });

  test("an instance without a place is of the only option of its type; of none or several it is looked for by its tags", () => {
    const Instances = [{ InstanceIds: ["i-1"], InstanceType: "m5.large" as const }];
    expect(read({ FleetId: "f", Instances })).toMatchObject({ kind: "launched", instance: { zone: "us-east-1a" } });
    const strange = [{ InstanceIds: ["i-1"], InstanceType: "r5.large" as const }];
    expect(read({ FleetId: "f", Instances: strange })).toMatchObject({
      kind: "failed",
      fault: { kind: "unavailable" },
    });
  });
});

test.each([
  ["InvalidUserData.Malformed", "Invalid BASE64 encoding of user data", "LaunchFailed"],
  ["InvalidParameterValue", "User data is limited to 16384 bytes", "UserDataSizeLimitExceeded"],
])("%s, %s: %s", (code, message, reason) => {
  expect(withReason({ kind: "launch-refused", code, message }).reason).toBe(reason);
});
