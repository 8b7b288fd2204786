import type { CreateFleetCommandOutput, CreateFleetError } from "@aws-sdk/client-ec2";
import { describe, expect, test } from "vitest";
import type { LaunchInstance } from "#core/command.ts";
import { readFleetAnswer } from "./fleet-answer.ts";

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
  });
});

describe("nothing was launched", () => {
  test("a want of capacity everywhere is a shortage of all that were named", () => {
    const Errors = [error("InsufficientInstanceCapacity"), error("VcpuLimitExceeded", "c5.large")];
    expect(read({ Errors })).toMatchObject({
      fault: {
        kind: "insufficient-capacity",
        code: "InsufficientInstanceCapacity",
        message: "InsufficientInstanceCapacity happened (and 1 other offerings)",
        offerings: [{ instanceType: "c5.large" }, { instanceType: "m5.large" }],
      },
    });
  });

  test("one other cause is what must be mended, whatever else was short", () => {
    const Errors = [error("InsufficientInstanceCapacity"), error("InvalidAMIID.NotFound", "c5.large")];
    expect(read({ Errors })).toMatchObject({
      fault: { kind: "launch-refused", code: "InvalidAMIID.NotFound", reason: "AMINotFound" },
    });
  });

  test("a template that is gone is told apart, since it can be made anew", () => {
    const Errors = [error("InvalidLaunchTemplateName.NotFoundException")];
    expect(read({ Errors })).toEqual({ kind: "template-missing" });
  });

  test("no instance and no error is a shortage of everything that was asked for", () => {
    expect(read({})).toMatchObject({
      fault: { kind: "insufficient-capacity", code: "UnfulfillableCapacity", offerings: [{}, {}] },
    });
  });
});
