import { DeleteLaunchTemplateCommand, DescribeLaunchTemplatesCommand } from "@aws-sdk/client-ec2";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AwsCloud } from "#aws/aws-cloud.ts";
import type { EnsureLaunchTemplate, LaunchInstance } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { Ec2Query } from "#ec2/view.ts";
import { realClock } from "../../shared/adapters/system/real-clock.ts";
import { prepareAccount, type StandInAccount } from "../support/aws/account.ts";
import { type Clients, clientsOf } from "../support/aws/clients.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const parameter = "/aws/service/eks/optimized-ami/1.32/amazon-linux-2023/x86_64/standard/recommended/image_id";
const noQuery: Ec2Query = { subnets: [], securityGroups: [], images: [], parameters: [], roles: [] };
const tags = {
  "eks:eks-cluster-name": "demo",
  "karpenter.sh/nodepool": "default",
  "karpenter.k8s.aws/ec2nodeclass": "default",
};
let standIn: StandIn;
let clients: Clients;
let account: StandInAccount;
let template: EnsureLaunchTemplate;

beforeAll(async () => {
  standIn = await StandIn.start();
  clients = clientsOf(standIn);
});
afterAll(() => standIn.stop());
beforeEach(async () => {
  await standIn.reset();
  account = await prepareAccount(clients, "demo", "node");
  const { view } = await cloudOf().observe({ ...noQuery, parameters: [parameter] });
  template = {
    kind: "ensure-launch-template",
    name: "karpenter.k8s.aws/t",
    imageId: view.parameters[parameter] ?? "",
    bootstrap: { clusterName: "demo", labels: {}, taints: [] },
    details: {
      UserData: "#!/bin/sh\necho grüß\n",
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: [account.securityGroupId] }],
      TagSpecifications: [{ ResourceType: "network-interface", Tags: [{ Key: "a", Value: "b" }] }],
    },
    tags,
  };
});

function cloudOf(): AwsCloud {
  const { endpoint, region } = standIn;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  return new AwsCloud({ clusterName: "demo", endpoint, region, credentials }, realClock);
}

function command(token: string, change: Partial<LaunchInstance> = {}): LaunchInstance {
  const option = { zone: "us-east-1a", subnetId: account.subnetIds[0] ?? "", launchTemplate: template.name };
  return {
    ...{ kind: "launch-instance", nodeClaim: token, nodeClaimUid: token, attempt: 1, token, tags },
    capacityType: "on-demand",
    options: [{ ...option, instanceType: "m5.large", pricePerHour: 0.096 }],
    ...change,
  };
}

async function instances(cloud = cloudOf()) {
  return (await cloud.observe(noQuery)).instances;
}

function kindOf(outcome: Outcome): string {
  return outcome.kind === "failed" ? outcome.fault.kind : outcome.kind;
}

describe("launch templates", () => {
  test("the instance is made of the template, user data and all", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    const outcome = await cloud.apply(command("a"));
    const id = outcome.kind === "done" ? (outcome.instance?.id ?? "") : "";
    const made = await standIn.launchedWith(id);
    expect(Buffer.from(String(made.UserData), "base64").toString("utf8")).toBe("#!/bin/sh\necho grüß\n");
    expect(made.ImageId).toBe(template.imageId);
    expect(outcome).toMatchObject({ instance: { imageId: template.imageId, state: "pending", tags } });
  });

  test("two invocations that make the same template make one", async () => {
    const outcomes = await Promise.all([cloudOf(), cloudOf(), cloudOf()].map((cloud) => cloud.apply(template)));
    expect(outcomes.map(kindOf)).toEqual(["done", "done", "done"]);
    const { LaunchTemplates } = await clients.ec2.send(new DescribeLaunchTemplatesCommand({}));
    expect(LaunchTemplates?.map(({ LaunchTemplateName }) => LaunchTemplateName)).toEqual([template.name]);
  });

  test("a template is asked for once in the life of a container", async () => {
    const cloud = cloudOf();
    for (let i = 0; i < 5; i++) await cloud.apply(template);
    expect(await standIn.calls("CreateLaunchTemplate")).toHaveLength(1);
    const looks = await standIn.calls("DescribeLaunchTemplates");
    const byName = looks.filter(({ parameters }) => parameters["Filter.1.Name"] === "launch-template-name");
    expect(byName).toHaveLength(1);
  });

  test("a template that somebody deleted is made anew, once, and the launch goes on under its token", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    await clients.ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: template.name }));
    expect(kindOf(await cloud.apply(command("a")))).toBe("done");
    expect(await standIn.calls("CreateLaunchTemplate")).toHaveLength(2);
    expect(await instances()).toHaveLength(1);
  });

  test("EC2 may say so by the template's id too, and says it for ever: the launch is refused after one try", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    const code = "InvalidLaunchTemplateId.NotFound";
    await standIn.fault({ action: "CreateFleet", count: 9, status: 400, code, message: "no such template" });
    expect(kindOf(await cloud.apply(command("a")))).toBe("launch-refused");
    expect(await standIn.calls("CreateFleet")).toHaveLength(2);
  });

  test("a template of our own is found by its tag and can be deleted twice", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    const { view } = await cloudOf().observe(noQuery);
    expect(view.ownTemplates).toMatchObject([{ name: template.name, nodeClass: "default" }]);
    const remove = { kind: "delete-cloud-resource", type: "launch-template", name: template.name } as const;
    for (let i = 0; i < 2; i++) expect(kindOf(await cloud.apply(remove))).toBe("done");
    expect((await cloudOf().observe(noQuery)).view.ownTemplates).toEqual([]);
  });
});

describe("many launches", () => {
  test("row 60: the third of ten is throttled: nine run, one is repeated, ten in all", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    await standIn.fault({ action: "CreateFleet", nth: 3 });
    const tokens = Array.from({ length: 10 }, (_, i) => `claim-${i}`);
    const first = await Promise.all(tokens.map((token) => cloud.apply(command(token))));
    expect(first.map(kindOf).filter((kind) => kind === "done")).toHaveLength(9);
    expect(first.map(kindOf).filter((kind) => kind === "throttled")).toHaveLength(1);
    const again = tokens.filter((_, i) => first[i]?.kind === "failed");
    for (const token of again) expect(kindOf(await cloud.apply(command(token)))).toBe("done");
    expect(await instances()).toHaveLength(10);
  });

  test("what some pools refused is told beside the instance that another gave", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    await standIn.shortage({ instanceType: "m5.large", zone: "us-east-1a" });
    const [option] = command("a").options;
    if (option === undefined) throw new Error("a command has an option");
    const options = [option, { ...option, instanceType: "m5.xlarge", pricePerHour: 0.192 }];
    expect(await cloud.apply(command("a", { options }))).toMatchObject({
      instance: { instanceType: "m5.xlarge" },
      refused: [{ instanceType: "m5.large", zone: "us-east-1a", capacityType: "on-demand" }],
    });
  });

  test("without the spot role no spot offering can be had, and the answer says what to do about it", async () => {
    const cloud = cloudOf();
    await cloud.apply(template);
    await standIn.shortage({
      code: "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
      message:
        "The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.",
    });
    const outcome = await cloud.apply(command("a", { capacityType: "spot" }));
    expect(outcome).toMatchObject({
      fault: {
        kind: "insufficient-capacity",
        code: "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
        message: expect.stringContaining("service-linked role"),
        offerings: [{ instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot" }],
      },
    });
  });
});
