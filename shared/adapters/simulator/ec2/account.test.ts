import { describe, expect, test } from "vitest";
import { simulatedAccount, startMs, usualQuery } from "../../../../test/support/simulated-account.ts";

describe("Account: what a launch may meet", () => {
  test("a full subnet refuses until an instance of it is gone", async () => {
    const { clock, ec2, launch, subnetId } = await simulatedAccount();
    ec2.account.network.subnet(subnetId)?.addresses.resize(10);
    expect((await launch()).kind).toBe("done");
    await clock.runUntil(startMs + 1);
    expect(await launch()).toMatchObject({ fault: { code: "InsufficientFreeAddressesInSubnet" } });
    await ec2.apply({ kind: "terminate-instance", instanceId: ec2.instances()[0]?.id ?? "" });
    await clock.runUntil(startMs + 2);
    expect((await launch()).kind).toBe("done");
  });

  test("an image for another architecture, a missing group or profile is refused, not called a shortage", async () => {
    const { ec2, launch, template } = await simulatedAccount({ obliging: false });
    await ec2.apply({
      ...template,
      name: "no-group",
      details: { NetworkInterfaces: [{ DeviceIndex: 0, Groups: ["sg-0000000000"] }] },
    });
    await ec2.apply({ ...template, name: "no-profile", details: { IamInstanceProfile: { Name: "nobody" } } });
    const option = { instanceType: "m5.large", zone: "us-east-1a", pricePerHour: 0.04, launchTemplate: "t" };
    for (const [options, code] of [
      [[{ ...option, instanceType: "m6g.large" }], "InvalidParameterValue"],
      [[{ ...option, launchTemplate: "no-group" }], "InvalidGroup.NotFound"],
      [[{ ...option, launchTemplate: "no-profile" }], "InvalidParameterValue"],
      [[], "MissingParameter"],
    ] as const) {
      expect(await launch({ options })).toMatchObject({ fault: { kind: "launch-refused", code } });
    }
  });

  test("other content under the name of a launch template is a defect", async () => {
    const { ec2, template } = await simulatedAccount();
    await expect(ec2.apply({ ...template, imageId: "ami-0other" })).rejects.toThrow("other content");
  });

  test("the third of ten launches is throttled, and the other nine run", async () => {
    const { ec2, launch, clock } = await simulatedAccount();
    const fault = { kind: "throttled", code: "RequestLimitExceeded", message: "" } as const;
    ec2.script.failCalls("launch-instance", { fault, effect: "none" }, 3);
    const outcomes = [];
    for (let i = 0; i < 10; i++) outcomes.push((await launch()).kind);
    expect(outcomes.indexOf("failed")).toBe(2);
    expect(outcomes.filter((kind) => kind === "done")).toHaveLength(9);
    await clock.runUntil(startMs + 1);
    expect((await ec2.observe(usualQuery)).instances).toHaveLength(9);
  });

  test("a launch template that somebody deleted is refused until it is ensured again", async () => {
    const { ec2, launch, template } = await simulatedAccount();
    ec2.account.templates.delete("t");
    expect(await launch()).toMatchObject({ fault: { code: "InvalidLaunchTemplateName.NotFoundException" } });
    await ec2.apply(template);
    expect((await launch()).kind).toBe("done");
  });

  test("an account that does not oblige takes the profiles that were registered", async () => {
    const { ec2, launch, template } = await simulatedAccount({ obliging: false });
    const option = { instanceType: "m5.large", zone: "us-east-1a", pricePerHour: 0.04, launchTemplate: "own" };
    await ec2.apply({ ...template, name: "own", details: { IamInstanceProfile: { Name: "my-profile" } } });
    expect(await launch({ options: [option] })).toMatchObject({ fault: { kind: "launch-refused" } });
    ec2.account.profiles.register("my-profile");
    expect((await launch({ options: [option] })).kind).toBe("done");
  });

  test("a foreign instance is shown when it carries the cluster's tags, and only then", async () => {
    const { ec2, clock } = await simulatedAccount();
    const facts = {
      ...{ instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand", pricePerHour: 0.096 },
      ...{ imageId: "ami-0", subnetId: "subnet-0", securityGroupIds: [] },
    };
    const ours = { "eks:eks-cluster-name": "demo", "karpenter.sh/nodepool": "default" };
    const id = ec2.launchForeign({ ...facts, tags: ours });
    ec2.launchForeign({ ...facts, tags: { Name: "database" } });
    ec2.launchForeign({ ...facts, tags: { ...ours, "eks:eks-cluster-name": "other" } });
    await clock.runUntil(startMs + 1);
    expect((await ec2.observe(usualQuery)).instances.map((instance) => instance.id)).toEqual([id]);
  });
});
