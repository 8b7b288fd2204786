import { describe, expect, test } from "vitest";
import { MigrationWorld } from "../../../test/support/migration-world.ts";
import { stepsForth } from "./steps.ts";

type Variables = Readonly<Record<string, string>>;

async function problemsOf(change: (world: MigrationWorld) => void, env: Variables = {}): Promise<string> {
  const world = new MigrationWorld({ env });
  change(world);
  const end = await world.run(stepsForth, {}, false);
  expect(world.writes).toBe(0);
  return end.kind === "stopped" ? end.problems.join("\n") : end.kind;
}

describe("what Karpenter is told and the loop does not do stops it:", () => {
  test.each<readonly [string, Variables, RegExp]>([
    ["a gate that nothing here acts on", { FEATURE_GATES: "NodeOverlay=true" }, /gate NodeOverlay/],
    ["one that is on in Go's other spelling", { FEATURE_GATES: "StaticCapacity=True" }, /gate StaticCapacity/],
    ["one that is on by its number", { FEATURE_GATES: "CapacityBuffer=1" }, /gate CapacityBuffer/],
    ["one that nobody here knows", { FEATURE_GATES: "Levitation=true" }, /gate Levitation/],
    ["one of the AWS provider", { AWS_FEATURE_GATES: "NodeClassCEL=true" }, /gate NodeClassCEL/],
    ["gates that cannot be read", { FEATURE_GATES: "NodeRepair" }, /FEATURE_GATES .* is "NodeRepair"/],
    ["zonal shifts", { ENABLE_ZONAL_SHIFT: "true" }, /ENABLE_ZONAL_SHIFT=true, and Outrigger does not act on zonal/],
    [
      "default spread constraints",
      { SCHEDULER_CONFIG: "podTopologySpread: {}" },
      /SCHEDULER_CONFIG.*take it back first/,
    ],
    ["dynamic resource allocation", { IGNORE_DRA_REQUESTS: "false" }, /set it to true first/],
    [
      "a Karpenter without a lease",
      { DISABLE_LEADER_ELECTION: "true" },
      /holds no lease .*`kubectl set env deployment\/karpenter -n kube-system DISABLE_LEADER_ELECTION-`/,
    ],
    ["a lease of another name", { LEADER_ELECTION_NAME: "karpenter-b" }, /lease has the name karpenter-b/],
    ["a share that is a percentage", { VM_MEMORY_OVERHEAD_PERCENT: "7.5" }, /is "7\.5", which cannot be read/],
  ])("%s", async (_, env, words) => {
    expect(await problemsOf(() => {}, env)).toMatch(words);
  });

  test("Karpenter of another cluster than the deployed loop's", async () => {
    const problems = await problemsOf((world) => {
      world.deployed = { CLUSTER_NAME: "other" };
    });
    expect(problems).toMatch(/runs for the cluster e2e, and the deployed loop for other/);
  });

  test.each<readonly [string, Variables]>([
    ["variables that are empty", { VM_MEMORY_OVERHEAD_PERCENT: "", BATCH_IDLE_DURATION: "", FEATURE_GATES: "" }],
    ["a gate that 1.0 made the rule", { FEATURE_GATES: "Drift=true" }],
    ["unknown gates that are off", { FEATURE_GATES: "Levitation=false,NodeOverlay=F" }],
    [
      "what its chart says by itself",
      { IGNORE_DRA_REQUESTS: "true", LEADER_ELECTION_NAME: "karpenter-leader-election" },
    ],
    ["another spelling of a default", { DISABLE_DRY_RUN: "False", BATCH_MAX_DURATION: "10000ms" }],
  ])("not %s", async (_, env) => {
    expect(await problemsOf(() => {}, env)).toBe("to-do");
  });
});

/** Karpenter's Deployment with another container. */
function withContainer(world: MigrationWorld, more: object, labels: object | null = {}): void {
  const { metadata, spec, ...rest } = world.get("Deployment", "karpenter", "kube-system") as unknown as {
    readonly metadata: object;
    readonly spec: { readonly template: { readonly spec: { readonly containers: readonly object[] } } };
  };
  const { template } = spec;
  const containers = template.spec.containers.map((container) => ({ ...container, ...more }));
  world.api.delete("Deployment", "karpenter", "kube-system");
  world.load({
    ...rest,
    metadata: { ...metadata, ...(labels === null ? { labels: { "app.kubernetes.io/name": "autoscaler" } } : {}) },
    spec: { ...spec, template: { ...template, spec: { containers } } },
  });
}

describe("settings are read", () => {
  const map = {
    ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "karpenter-env", namespace: "kube-system" } },
    data: { RESERVED_ENIS: "2", max: "20s" },
  };
  const key = (name: string) => ({ configMapKeyRef: { name, key: "max" } });

  test.each<readonly [string, object, RegExp]>([
    [
      "from flags",
      { args: ["--batch-idle-duration", "2s", "--reserved-enis=1"] },
      /batchIdleSeconds: 2, reservedEnis: 1/,
    ],
    ["from gates in a flag", { args: ["--feature-gates", "NodeRepair=1"] }, /, nodeRepair: true \}/],
    ["from a whole ConfigMap", { envFrom: [{ configMapRef: { name: "karpenter-env" } }] }, /reservedEnis: 2/],
    [
      "from a ConfigMap's key",
      { env: [{ name: "BATCH_MAX_DURATION", valueFrom: key("karpenter-env") }] },
      /batchMaxSeconds: 20/,
    ],
    [
      "not from one that is not there",
      { env: [{ name: "BATCH_MAX_DURATION", valueFrom: key("none") }] },
      /BATCH_MAX_DURATION of Karpenter's Deployment is written elsewhere/,
    ],
    [
      "not from a Secret",
      { env: [{ name: "FEATURE_GATES", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] },
      /FEATURE_GATES of Karpenter's Deployment is written elsewhere/,
    ],
  ])("%s", async (_, container, words) => {
    const change = (world: MigrationWorld): void => {
      world.load(map);
      withContainer(world, container);
    };
    expect(await problemsOf(change)).toMatch(words);
  });

  test("of a Karpenter whose chart has another name, by what its container is", async () => {
    const change = (world: MigrationWorld): void => withContainer(world, { args: ["--reserved-enis=1"] }, null);
    expect(await problemsOf(change)).toMatch(/reservedEnis: 1/);
  });
});
