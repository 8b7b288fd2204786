/** Nights in which a pool rests, in the whole simulated cluster and account. */
import { describe, expect, test } from "vitest";
import type { OffHoursWindow } from "#api/off-hours.ts";
import { handleInterruptions } from "#controllers/interruption.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 9, 27, 7);
/** From 08:20 to 08:50 in Berlin. */
const rest: OffHoursWindow = { schedule: "20 8 * * *", duration: "30m", timeZone: "Europe/Berlin" };
const twoCores = [
  { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] },
  { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] },
] as const;
const budget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web" },
  spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
};

function pool(template: Readonly<Record<string, unknown>> = {}): object {
  const made = demoNodePool({ requirements: twoCores, budgets: [{ nodes: "0" }] }) as {
    readonly spec: { readonly template: { readonly spec: object } };
  };
  const { spec } = made;
  return { ...made, spec: { ...spec, template: { spec: { ...spec.template.spec, ...template } } } };
}

function night(objects: readonly object[]) {
  const simulation = createSimulation({ seed: 5, startMs, clusterName: "demo" });
  expect(simulation.cluster.load([demoNodeClass(), ...objects] as never)).toEqual([]);
  const { api, clock, cloud, cluster } = simulation;
  const settings = { ...defaultSettings, offHours: [rest], clusterName: "demo", clusterIdentity: "demo-1" };
  let made = 0;
  const start = () => {
    const session = cluster.connect();
    const tick = ({ steps }: { readonly steps: readonly { readonly command: { readonly kind: string } }[] }) => {
      made += steps.filter(({ command }) => command.kind === "create-node-claim").length;
    };
    return { ports: { cluster: session, cloud, clock, telemetry: { tick } }, close: session.close };
  };
  new Invocations(clock, start, { provider: ec2Provider, settings, seed: 5 }).schedule(
    startMs,
    startMs + 90 * minuteMs,
  );
  return {
    simulation,
    made: () => made,
    claims: () => api.store.list("NodeClaim"),
    running: () => api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length,
    said: (name: string) =>
      api.store
        .list("Event")
        .flatMap((event) => (event.involvedObject.name.startsWith(name) ? [`${event.reason}: ${event.message}`] : [])),
    at: (minute: number) => clock.runUntil(startMs + minute * minuteMs),
  };
}

describe("a pool with off-hours", () => {
  test("is empty in them whatever its budgets say, its pods wait and know until when, and run again after them", async () => {
    const { at, claims, running, made, said, simulation } = night([pool(), demoDeployment({ replicas: 3 })]);
    await at(19);
    expect([claims().length, running()]).toEqual([3, 3]);
    await at(30);
    expect([claims().length, running()]).toEqual([0, 0]);
    expect(simulation.api.store.list("Node")).toEqual([]);
    await at(49);
    expect(made()).toBe(3);
    expect(said("web-")).toContain(
      "FailedScheduling: NodePool default rests until 08:50 Europe/Berlin; no NodePool is ready to make nodes",
    );
    const [nodePool] = simulation.api.store.list("NodePool");
    expect(nodePool?.status?.conditions?.find(({ type }) => type === "OffHours")?.message).toBe(
      "Its nodes go and no new ones are made until 2026-10-27 08:50 Europe/Berlin",
    );
    expect(said("default").filter((text) => text.startsWith("OffHours"))).toEqual([
      "OffHours: OffHours was Unknown and is True (Resting): Its nodes go and no new ones are made until 2026-10-27 08:50 Europe/Berlin",
    ]);
    await at(54);
    expect(running()).toBe(3);
    expect(simulation.api.store.list("NodePool")[0]?.status?.conditions?.map(({ type }) => type)).not.toContain(
      "OffHours",
    );
  });

  test("keeps a PodDisruptionBudget, and with it the last node, until the window closes", async () => {
    const { at, claims, running } = night([pool(), demoDeployment({ replicas: 3 }), budget]);
    await at(45);
    expect([claims().length, running()]).toEqual([1, 1]);
    await at(60);
    expect(running()).toBe(3);
  });

  test("with a terminationGracePeriod ends even that one when the period is over", async () => {
    const grace = pool({ terminationGracePeriod: "5m" });
    const { at, claims } = night([grace, demoDeployment({ replicas: 3 }), budget]);
    await at(24);
    expect(claims().length).toBe(1);
    await at(30);
    expect(claims()).toEqual([]);
  });

  test("keeps a node that asks not to be disrupted; warned of its end it goes, and nothing takes its place", async () => {
    const { at, claims, made, simulation } = night([pool(), demoDeployment({ replicas: 1 })]);
    await at(10);
    const [node] = simulation.api.store.list("Node");
    const name = node?.metadata.name ?? "";
    simulation.api.patch("Node", name, undefined, {
      metadata: { annotations: { "karpenter.sh/do-not-disrupt": "true" } },
    });
    await at(30);
    expect(claims().length).toBe(1);
    const instance = node?.spec.providerID?.split("/").at(-1) ?? "";
    const { bus, cluster, clock, cloud } = simulation;
    bus.subscribe((body) =>
      clock.spawn(async () => {
        await handleInterruptions([{ id: body.id, body }], { provider: ec2Provider }, { cluster, clock });
      }),
    );
    cloud.interrupt(instance);
    await at(31);
    expect(claims().map(({ metadata }) => metadata.deletionTimestamp)).toEqual([expect.any(String)]);
    await at(40);
    expect([claims().length, made()]).toEqual([0, 1]);
  });
});
