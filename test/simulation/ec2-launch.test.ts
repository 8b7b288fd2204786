import { describe, expect, test } from "vitest";
import { act } from "#controllers/act.ts";
import { observe } from "#controllers/observe.ts";
import type { Configuration, Ports } from "#controllers/ports.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "#simulator/simulation.ts";

const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };
const brain: Configuration<Ec2Query, Ec2View> = { provider: ec2Provider, settings, seed: 1 };

const claim = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: "default-a", labels: { "karpenter.sh/nodepool": "default" } },
  spec: {
    nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
    requirements: [
      { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
      { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
    ],
    resources: { requests: { cpu: "2", memory: "4Gi" } },
  },
};

function nodeClass(spec: object): object {
  const byDiscovery = [{ tags: { "karpenter.sh/discovery": "demo" } }];
  return {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "KarpenterNodeRole-demo",
      subnetSelectorTerms: byDiscovery,
      securityGroupSelectorTerms: byDiscovery,
      ...spec,
    },
  };
}

function simulationWith(objects: readonly object[], options: Partial<SimulationOptions> = {}): Simulation {
  const simulation = createSimulation({ seed: 1, startMs: Date.UTC(2026, 0, 1), clusterName: "demo", ...options });
  expect(simulation.cluster.load(objects)).toEqual([]);
  return simulation;
}

/** The provider alone, as a tick would use it: the class is resolved, then the one claim is launched. */
async function resolveAndLaunch({ clock, cluster, cloud }: Simulation): Promise<readonly string[]> {
  const ports: Ports<Ec2Query, Ec2View> = { cluster, cloud, clock, telemetry: { tick: () => {} } };
  const done: string[] = [];
  clock.spawn(async () => {
    await act("classes", ec2Provider.nodeClasses(await observe(ports, brain)).commands, ports);
    const snapshot = await observe(ports, brain);
    const [stored] = snapshot.cluster.nodeClaims;
    const plan = stored && ec2Provider.planLaunch(snapshot, stored, 1);
    if (plan?.kind !== "launch") {
      done.push(plan === undefined ? "no claim" : `${plan.kind}: ${plan.message}`);
      return;
    }
    const steps = [...(await act("prepare", plan.prepare, ports)), ...(await act("launch", [plan.launch], ports))];
    done.push(...steps.map(({ outcome }) => (outcome.kind === "failed" ? outcome.fault.message : outcome.kind)));
  });
  await clock.runUntil(clock.nowMs() + 120_000);
  return done;
}

describe("the EC2 provider on the simulated account", () => {
  test.each([
    ["AL2023, pinned", { amiSelectorTerms: [{ alias: "al2023@v20240807" }] }],
    ["AL2023, latest", { amiSelectorTerms: [{ alias: "al2023@latest" }] }],
    ["AL2", { amiSelectorTerms: [{ alias: "al2@v20240625" }] }],
    ["Bottlerocket", { amiSelectorTerms: [{ alias: "bottlerocket@v1.20.4" }] }],
    ["an image by its id", { amiFamily: "AL2023", amiSelectorTerms: [{ id: "ami-0123456789abcdef0" }] }],
    ["images by name", { amiFamily: "AL2023", amiSelectorTerms: [{ name: "golden-*", owner: "self" }] }],
    ["an image by parameter", { amiFamily: "AL2023", amiSelectorTerms: [{ ssmParameter: "/golden/image" }] }],
    [
      "subnets and groups by id",
      {
        amiSelectorTerms: [{ alias: "al2023@latest" }],
        subnetSelectorTerms: [{ id: "subnet-0aaaaaaaa1" }],
        securityGroupSelectorTerms: [{ id: "sg-0aaaaaaaa1" }, { name: "my-nodes" }],
      },
    ],
  ])("with %s: the class becomes ready, the claim is launched, and its node joins", async (_, spec) => {
    const simulation = simulationWith([nodeClass(spec), claim]);
    const done = await resolveAndLaunch(simulation);
    expect(done.filter((each) => each !== "done")).toEqual([]);
    expect(done.length).toBeGreaterThanOrEqual(2);
    const [record, ...others] = simulation.cloud.instances();
    expect(others).toEqual([]);
    const nodes = simulation.api.store.list("Node");
    expect(nodes.map((node) => node.spec.providerID)).toEqual([`aws:///${record?.zone}/${record?.id}`]);
  });

  test("selectors that find nothing leave the class unready, and the claim waits", async () => {
    const amiSelectorTerms = [{ alias: "al2023@latest" }];
    const spec = { amiSelectorTerms, subnetSelectorTerms: [{ tags: { team: "nobody" } }] };
    const simulation = simulationWith([nodeClass(spec), claim], { obliging: false });
    const [answer] = await resolveAndLaunch(simulation);
    expect(answer).toMatch(/^not-ready: /);
    const [stored] = simulation.api.store.list("EC2NodeClass");
    const condition = stored?.status?.conditions?.find(({ type }) => type === "SubnetsReady");
    expect(condition).toMatchObject({ status: "False", reason: "SubnetsNotFound" });
  });
});
