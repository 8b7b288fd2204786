import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { demoFile } from "../support/manifests.ts";
import { eventually } from "../support/real-cluster.ts";
import { Scenario, scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** Nodes come for pods, and go with them. */
export function scaleUp(world: () => World): void {
  test("the guide's workload: kubectl applies it, sees it run on new nodes, and scales it away", async () => {
    const guide = new Scenario(world(), "default");
    const kubectl = (...words: readonly string[]): Promise<string> => world().kubectl(...words);
    await kubectl("apply", "-f", demoFile("nodepool.yaml"), "-f", demoFile("deployment.yaml"));
    try {
      await kubectl("rollout", "status", "deployment/karpenter-test", "--timeout=180s");
      await kubectl(
        ..."wait nodeclaims -l karpenter.sh/nodepool=default --for=condition=Ready --timeout=180s".split(" "),
      );
      await eventuallyPrinted(() => kubectl("get", "nodepools,nodeclaims,ec2nodeclasses", "-o", "wide"), columns);
      for (const { spec, metadata } of await guide.nodes()) {
        expect(spec.taints).toEqual([{ key: "karpenter", value: "true", effect: "NoSchedule" }]);
        expect(metadata.labels).toMatchObject({
          "karpenter.sh/registered": "true",
          "karpenter.sh/initialized": "true",
        });
        expect(metadata.finalizers).toContain("karpenter.sh/termination");
      }
      const [claim] = await guide.claims();
      await eventuallyPrinted(() => kubectl("describe", "nodeclaim", claim?.metadata.name ?? ""), events);
      await kubectl("scale", "deployment/karpenter-test", "--replicas=0");
      const soon = JSON.stringify({ spec: { disruption: { consolidateAfter: "1s" } } });
      await kubectl("patch", "nodepool/default", "--type=merge", "-p", soon);
      await guide.eventuallyEmpty();
    } finally {
      await kubectl("delete", "nodepool/default", "deployment/karpenter-test");
    }
  });

  scenario(
    world,
    "many",
    "two hundred pods at once are placed at once, and nothing is launched afterwards",
    async (many) => {
      const containers = [{ name: "main", image: "none", resources: { requests: { cpu: "100m", memory: "100Mi" } } }];
      await many.apply(many.pool(), many.deployment(200, { containers }));
      await many.eventuallyRunning(200);
      await many.nothingMoreIsLaunched();
    },
  );

  test("a claim that somebody wrote, without a pool, becomes a node; kubectl deletes it and waits for its end", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outrigger-claim-"));
    try {
      const file = join(folder, "claim.yaml");
      writeFileSync(file, stringify(handMade));
      await world().kubectl("create", "-f", file);
      await world().kubectl("wait", "nodeclaim/by-hand", "--for=condition=Initialized", "--timeout=180s");
      const node = (await world().nodes()).find(({ metadata }) => metadata.labels?.team === "red");
      expect(node?.metadata.labels).toMatchObject({ "karpenter.k8s.aws/ec2nodeclass": "default" });
      expect(node?.spec.taints).toEqual([{ key: "team", value: "red", effect: "NoSchedule" }]);
      await world().kubectl("delete", "nodeclaim/by-hand", "--timeout=180s");
      const left = await world().nodes();
      expect(left.some(({ metadata }) => metadata.uid === node?.metadata.uid)).toBe(false);
    } finally {
      await world().admin.delete("NodeClaim", "by-hand");
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

/** What `kubectl get -o wide` shows of a pool, a claim and a class. */
const columns = [
  /^nodepool\.karpenter\.sh\/default +default +[1-9]\d* +True/m,
  /^nodeclaim\.karpenter\.sh\/default-\w+ +\S+\.\S+ +spot +us-east-1\w +\S+ +True +\S+ +ami-\w+ +aws:\S+ +default +default/m,
  /^ec2nodeclass\.karpenter\.k8s\.aws\/default +True/m,
];

const events = ["Launched", "Registered", "Initialized"].map((reason) => new RegExp(`Normal +${reason} `));

/** A tick writes a condition before the event that tells of it, and counts nodes in the next one. */
async function eventuallyPrinted(print: () => Promise<string>, patterns: readonly RegExp[]): Promise<void> {
  let printed = "";
  const isThere = async (): Promise<boolean> => {
    printed = await print();
    return patterns.every((pattern) => pattern.test(printed));
  };
  await eventually("kubectl prints it", isThere, printedMsMax).catch(() => {
    for (const pattern of patterns) expect(printed).toMatch(pattern);
  });
}

/** Some ticks on a busy machine. */
const printedMsMax = 60_000;

const handMade = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: "by-hand", labels: { team: "red" } },
  spec: {
    nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
    taints: [{ key: "team", value: "red", effect: "NoSchedule" }],
    requirements: [
      { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
      { key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large", "m6i.large"] },
    ],
    resources: { requests: { cpu: "1" } },
  },
};
