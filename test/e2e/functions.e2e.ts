/** The bundles that are deployed, run as Lambda runs them, between a real API server and the stand-in for AWS. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeInstancesCommand, DescribeLaunchTemplatesCommand } from "@aws-sdk/client-ec2";
import { ListInstanceProfilesCommand } from "@aws-sdk/client-iam";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clientsOf } from "../support/aws/clients.ts";
import type { InvocationResult } from "../support/lambda-runtime/invocation-result.ts";
import type { LambdaFunction } from "../support/lambda-runtime/lambda-function.ts";
import { listAll } from "./support/admin-client.ts";
import { FunctionWorld, functionNodeClass } from "./support/function-world.ts";
import { deployment, nodePool } from "./support/manifests.ts";
import { eventually } from "./support/real-cluster.ts";
import { typed } from "./support/typed.ts";

let world: FunctionWorld;
let reconcile: LambdaFunction;

beforeAll(async () => {
  world = await FunctionWorld.start();
  // Time for one tick, and none for a stay.
  reconcile = await world.deploy("reconcile", 35_000);
}, 200_000);
afterAll(() => world.stop());

function answerOf({ ended, log }: InvocationResult): unknown {
  if (ended.kind !== "answered") throw new Error(`${JSON.stringify(ended)}\n${log.join("\n")}`);
  return ended.answer;
}
const claims = async () => (await listAll(world.real.admin, "NodeClaim")) as readonly NodeClaim[];
const calls = async (action: string) => (await world.standIn.calls(action)).length;

describe("the functions", { timeout: 200_000 }, () => {
  test("one that lacks a variable ends at its start, and says which", async () => {
    const broken = await world.deploy("reconcile", 10_000, { CLUSTER_NAME: "" });
    const { ended } = await broken.invoke({});
    expect(ended).toMatchObject({ kind: "failed", message: "CLUSTER_NAME: is not set" });
  });

  test("catalog writes what the region offers", async () => {
    const catalog = await world.deploy("catalog", 120_000);
    expect(answerOf(await catalog.invoke({}))).toMatchObject({ types: expect.any(Number), problems: 0 });
    expect(answerOf(await catalog.invoke({ part: "spot-prices" }))).toMatchObject({ problems: 0 });
  });

  test("reconcile launches an instance for a pod, and tells of it", async () => {
    for (const object of [functionNodeClass, nodePool("fn"), deployment("web", "fn", 1)]) {
      await world.real.admin.create(object);
    }
    await eventually("an instance is on record", async () => {
      expect(answerOf(await reconcile.invoke({}))).toEqual({ ended: "held" });
      return (await claims()).some(({ status }) => status?.providerID !== undefined);
    });
    const lines = reconcile.results.flatMap(({ log }) => log).map((line) => JSON.parse(line));
    expect(lines).toContainEqual(
      expect.objectContaining({ code: "claim-launched", claim: expect.any(String), decision: expect.any(String) }),
    );
    expect(lines.some((line) => line._aws !== undefined && line.NodeCount === 0)).toBe(true);
    expect(await calls("PutEvents")).toBeGreaterThan(0);
    expect(await world.recordings()).toBeGreaterThan(0);
  });

  test("outrigger replays what they recorded, and plans on the cluster that they run", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outrigger-recordings-"));
    const { kubeconfig } = world.real.controlPlane;
    try {
      const file = join(folder, "recording.json.gz");
      const recordings = await world.readRecordings();
      for (const recording of recordings) {
        writeFileSync(file, recording);
        const { out, code } = await typed(`npx outrigger replay ${file}`, kubeconfig);
        expect([code, out]).toEqual([0, expect.stringMatching(/^the same is decided: \d+ command/)]);
        expect((await typed(`npx outrigger plan --snapshot ${file}`, kubeconfig)).error).toBe("");
      }
      const { endpoint, region } = world.standIn;
      const keys = { AWS_ACCESS_KEY_ID: "AKIDPERSON", AWS_SECRET_ACCESS_KEY: "not-a-secret" };
      const account = { ...keys, AWS_REGION: region, AWS_ENDPOINT_URL: endpoint };
      const cluster = `--kubeconfig ~/.kube/config --eks-cluster functions --region ${region}`;
      const plan = await typed(`npx outrigger plan ${cluster}`, kubeconfig, account);
      expect([plan.code, plan.error]).toEqual([0, ""]);
      const [claim] = await claims();
      expect(plan.out).toMatch(new RegExp(`^NodeClaim ${claim?.metadata.name} has room for pod default/web-`, "m"));
      const seen = await typed(`npx outrigger snapshot ${cluster}`, kubeconfig, account);
      writeFileSync(join(folder, "seen.json"), seen.out);
      const again = await typed(`npx outrigger plan --snapshot ${join(folder, "seen.json")}`, kubeconfig);
      expect(again.out).toMatch(new RegExp(`^NodeClaim ${claim?.metadata.name} has room for pod default/web-`, "m"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("interruption marks the claim of a warning, acknowledges the rest, and wakes the loop", async () => {
    const [claim] = await claims();
    const instanceId = claim?.status?.providerID?.split("/").at(-1) ?? "";
    const warning = (id: string) =>
      JSON.stringify({
        ...{ version: "0", source: "aws.ec2", "detail-type": "EC2 Spot Instance Interruption Warning" },
        ...{ time: new Date().toISOString(), detail: { "instance-id": id, "instance-action": "terminate" } },
      });
    const bodies = [warning(instanceId), "abcd", warning("i-foreign"), warning(instanceId)];
    const interruption = await world.deploy("interruption", 15_000);
    const batch = { Records: bodies.map((body, i) => ({ messageId: `m${i}`, body })) };
    const told = await calls("PutEvents");
    const first = await interruption.invoke(batch);
    expect(answerOf(first)).toEqual({ batchItemFailures: [] });
    expect(first.log.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ Interruptions: 1 }));
    expect(await calls("PutEvents")).toBe(told + 1);
    const [marked] = await claims();
    expect(marked?.metadata.deletionTimestamp).toBeDefined();
    expect(marked?.metadata.annotations).toHaveProperty("outrigger.dev/interrupted-at");
    expect(answerOf(await interruption.invoke(batch))).toEqual({ batchItemFailures: [] });
    expect(await calls("PutEvents")).toBe(told + 1);
  });
});

describe("a removal by force", { timeout: 200_000 }, () => {
  test("brings all of it to its end by the function of setup alone, the loop never running again", async () => {
    const instanceIds = (await claims()).map(({ status }) => status?.providerID?.split("/").at(-1) ?? "");
    expect(instanceIds).toHaveLength(1);
    const setup = await world.deploy("setup", 100_000, { QUEUE: "none", CATALOG_FUNCTION: "catalog" });
    const ticks = reconcile.results.length;
    const removal = {
      ...{
        RequestType: "Delete",
        ResourceType: "Custom::OutriggerSetup",
        StackId: "s",
        PhysicalResourceId: "functions",
      },
      ResourceProperties: { OnDelete: "force" },
      Begun: { atMs: Date.now(), manner: "force" },
    };
    await eventually("the removal is over", async () => {
      return (answerOf(await setup.invoke(removal)) as { readonly IsComplete: boolean }).IsComplete;
    });
    expect(await claims()).toEqual([]);
    const { ec2, iam } = clientsOf(world.standIn);
    const { Reservations = [] } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: instanceIds }));
    expect(Reservations.flatMap(({ Instances = [] }) => Instances.map(({ State }) => State?.Name))).toEqual([
      "terminated",
    ]);
    const { LaunchTemplates } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
    const { InstanceProfiles } = await iam.send(new ListInstanceProfilesCommand({}));
    expect([LaunchTemplates, InstanceProfiles]).toEqual([[], []]);
    const [nodeClass] = await listAll(world.real.admin, "EC2NodeClass");
    expect(nodeClass?.metadata.finalizers ?? []).toEqual([]);
    expect(reconcile.results.length).toBe(ticks);
  });
});
