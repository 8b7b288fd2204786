/** `setup` as it is deployed, between a real API server and the stand-in for AWS: what it makes, leaves alone and refuses. */
import { CreateAccessEntryCommand, CreateClusterCommand } from "@aws-sdk/client-eks";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clusterRoles } from "../../shared/adapters/kubernetes/cluster-roles.ts";
import { clientsOf } from "../support/aws/clients.ts";
import { crdsOf } from "../support/karpenter-crds.ts";
import type { LambdaFunction } from "../support/lambda-runtime/lambda-function.ts";
import { FunctionWorld, functionNodeClass } from "./support/function-world.ts";
import { InstalledCrds } from "./support/installed-crds.ts";
import { nodePool } from "./support/manifests.ts";

const queue = "interruptions";
const [linux, windows] = ["linux-nodes", "windows-nodes"].map((name) => `arn:aws:iam::123456789012:role/${name}`);

let world: FunctionWorld;
let setup: LambdaFunction;

beforeAll(async () => {
  world = await FunctionWorld.start();
  const { endpoint, region } = world.standIn;
  const sqs = new SQSClient({ endpoint, region, credentials: { accessKeyId: "t", secretAccessKey: "t" } });
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: "failed" }));
  const deadLetterTargetArn = `arn:aws:sqs:${region}:123456789012:${QueueUrl.split("/").at(-1)}`;
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
  const Attributes = { VisibilityTimeout: "90", MessageRetentionPeriod: "3600", RedrivePolicy };
  await sqs.send(new CreateQueueCommand({ QueueName: queue, Attributes }));
  setup = await world.deploy("setup", 100_000, { QUEUE: queue, CATALOG_FUNCTION: "catalog" });
}, 200_000);
afterAll(() => world.stop());

type Change = Readonly<Record<string, unknown>>;

async function ask(
  RequestType: "Create" | "Update" | "Delete",
  change: Change = {},
  properties: Change = {},
  of = setup,
) {
  const { ended, log } = await of.invoke({
    ...{
      RequestType,
      ResourceType: "Custom::OutriggerSetup",
      StackId: "arn:aws:cloudformation:us-east-1:1:stack/none/1",
    },
    ...(RequestType === "Create" ? {} : { PhysicalResourceId: "functions" }),
    ResourceProperties: { OnDelete: "keep", LinuxNodeRoles: [linux], WindowsNodeRoles: [windows], ...properties },
    ...change,
  });
  return { ended, log: log.map((line) => JSON.parse(line) as Change) };
}

const rolesLeft = async (): Promise<number> => {
  const objects = clusterRoles() as readonly {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string };
  }[];
  const found = await Promise.all(
    objects.map(({ kind, metadata }) => world.real.admin.get(kind, metadata.name, metadata.namespace)),
  );
  return found.filter(({ kind }) => kind === "ok").length;
};

describe("setup", { timeout: 200_000 }, () => {
  test("on a cluster without access entries refuses, before anything is let in, with the command that mends it (users' row 84)", async () => {
    await world.standIn.configure({ authenticationMode: "CONFIG_MAP" });
    const facts = { roleArn: "arn:aws:iam::123456789012:role/cluster", version: "1.32", resourcesVpcConfig: {} };
    await clientsOf(world.standIn).eks.send(new CreateClusterCommand({ name: "old", ...facts }));
    const variables = { QUEUE: queue, CATALOG_FUNCTION: "catalog", CLUSTER_NAME: "old" };
    const ofOld = await world.deploy("setup", 100_000, variables);
    const preflight = { ResourceType: "Custom::OutriggerPreflight" };
    expect((await ask("Create", preflight, {}, ofOld)).ended).toMatchObject({
      kind: "failed",
      message: expect.stringContaining(
        "`aws eks update-cluster-config --name old --access-config authenticationMode=API_AND_CONFIG_MAP`",
      ),
    });
    expect((await ask("Create", preflight)).ended).toMatchObject({ kind: "answered" });
  });

  test("makes roles and entries, and takes over what is there", async () => {
    const { eks } = clientsOf(world.standIn);
    const clusterName = "functions";
    await eks.send(new CreateAccessEntryCommand({ clusterName, principalArn: linux, type: "STANDARD" }));
    for (const object of [functionNodeClass, nodePool("stays")]) await world.real.admin.create(object);
    const { ended, log } = await ask("Create");
    expect(ended, JSON.stringify(log)).toMatchObject({
      kind: "answered",
      answer: { PhysicalResourceId: "functions", Begun: { manner: "keep" } },
    });
    expect(await rolesLeft()).toBe(8);
    expect([...(await world.standIn.kept()).accessEntries].sort()).toEqual([
      `functions ${linux}`,
      `functions ${windows}`,
    ]);
    const begun = { Begun: { atMs: Date.now(), manner: "keep" } };
    expect((await ask("Create", begun)).ended).toMatchObject({ answer: { IsComplete: true } });
  });

  test("asked again with other properties answers with the same resource, so that nothing is replaced", async () => {
    const { ended } = await ask("Update", { PhysicalResourceId: "an-older-name" }, { DrainMinutes: "10" });
    expect(ended).toMatchObject({ kind: "answered", answer: { PhysicalResourceId: "an-older-name" } });
    expect(await rolesLeft()).toBe(8);
  });

  test("that goes leaves everything where it is by default", async () => {
    const { ended } = await ask("Delete");
    expect(ended).toMatchObject({
      kind: "answered",
      answer: { PhysicalResourceId: "functions", Begun: { manner: "keep" } },
    });
    const begun = { Begun: { atMs: Date.now(), manner: "keep" } };
    expect((await ask("Delete", begun)).ended).toMatchObject({ answer: { IsComplete: true } });
    expect(await rolesLeft()).toBe(8);
    expect((await world.real.admin.get("NodePool", "stays")).kind).toBe("ok");
  });

  test("that does not hear from CloudFormation whether the stack goes takes nothing away", async () => {
    const { ended } = await ask("Delete", {}, { OnDelete: "drain" });
    expect(ended).toMatchObject({ kind: "failed", message: expect.stringContaining("does not exist") });
    expect(await rolesLeft()).toBe(8);
  });

  test("removes what is its own when the nodes have gone; classes and pools stay", async () => {
    const begun = { Begun: { atMs: Date.now(), manner: "drain" } };
    const first = await ask("Delete", begun, { OnDelete: "drain" });
    expect(first.ended, JSON.stringify(first.log)).toMatchObject({ answer: { IsComplete: true } });
    expect(await rolesLeft()).toBe(0);
    expect((await world.real.admin.get("ConfigMap", "outrigger", "kube-system")).kind).toBe("refused");
    expect((await world.real.admin.get("NodePool", "stays")).kind).toBe("ok");
  });
});

describe("setup of a cluster that stores v1beta1", { timeout: 200_000 }, () => {
  test("refuses; with the conversion function it leaves that to the migration", async () => {
    const crds = new InstalledCrds(world.real);
    await crds.apply(crdsOf("1.0"));
    const status = { storedVersions: ["v1beta1", "v1"] };
    const name = "nodepools.karpenter.sh";
    await world.real.admin.patch("CustomResourceDefinition", name, undefined, { status }, "status");
    const { ended } = await ask("Create");
    expect(ended).toMatchObject({ kind: "failed", message: expect.stringContaining("outrigger migrate") });
    const converting = await ask("Create", {}, { ConversionWebhook: "true" });
    expect(converting.ended, JSON.stringify(converting.log)).toMatchObject({ kind: "answered" });
    expect((await crds.crd(name)).status?.storedVersions).toEqual(["v1beta1", "v1"]);
  });
});
