import { afterAll, beforeAll, expect, test } from "vitest";
import { AwsWorld } from "../support/aws/aws-world.ts";
import { StandIn } from "../support/aws/stand-in.ts";

let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.stop());

const byDiscovery = [{ tags: { "karpenter.sh/discovery": "demo" } }];
function nodeClass(spec: object = {}): object {
  return {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: byDiscovery,
      securityGroupSelectorTerms: byDiscovery,
      ...spec,
    },
  };
}
function pool(requirements: readonly object[] = []): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [
            { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
            { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] },
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] },
            ...requirements,
          ],
        },
      },
    },
  };
}
function spread(replicas: number): object {
  const labels = { app: "web" };
  const container = { name: "web", image: "nginx", resources: { requests: { cpu: "1", memory: "1Gi" } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

test("plain", async () => {
  const world = await AwsWorld.start(standIn, [nodeClass(), pool(), spread(4)]);
  await world.ticks(12);
  for (const report of world.reports) {
    console.log("--", report.steps.map(({ stage, command, outcome }) => `${stage}:${command.kind}:${outcome.kind === "failed" ? `${outcome.fault.kind} ${outcome.fault.code} ${outcome.fault.message}` : "ok"}`).filter((x) => !x.startsWith("events")).join("\n   "));
  }
  console.log(world.list("Pod").map((p) => [p.metadata.name, (p as { status?: { phase?: string } }).status?.phase]));
  console.log((await world.instances()).map(({ InstanceId, InstanceType, State }) => [InstanceId, InstanceType, State?.Name]));
  expect(1).toBe(1);
});
