import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { apart, hostKey, podOf, spread, spreading, term } from "../../../../test/support/pod-rules.ts";
import {
  instanceType,
  launched,
  node,
  nodePool,
  pendingPods,
  sizes,
  snapshotOf,
  stored,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const typesOf = (claim: NodeClaim): readonly string[] =>
  claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];

describe("claims in flight", () => {
  const pods = [...pendingPods(5, "a", { cpu: "3" }), ...pendingPods(30, "b", { cpu: "1" })];
  const base = { pods, nodePools: [nodePool("default")] };
  const small = sizes.slice(0, 5);
  const first = plan(snapshotOf(base, small));
  const claims = first.claims.map(({ nodeClaim }) => nodeClaim);
  const cheapest = (claim: NodeClaim): InstanceType =>
    small.find(({ name }) => name === typesOf(claim)[0]) ?? instanceType("none", 0);

  test("the batch needs more than one claim", () => {
    expect(claims.length).toBeGreaterThan(1);
  });

  test.each<[string, (claim: NodeClaim, index: number) => NodeClaim]>([
    ["none was launched", stored],
    ["all were launched", (claim) => launched(claim, cheapest(claim), "zone-a", "spot")],
    [
      "some were launched",
      (claim, index) => (index % 2 === 0 ? stored(claim) : launched(claim, cheapest(claim), "zone-b", "spot")),
    ],
  ])("pods that are expected on them make no second claim: %s", (_, state) => {
    const nodeClaims = claims.map(state).sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    const second = plan(snapshotOf({ ...base, nodeClaims }, small));
    expect(second.claims).toEqual([]);
    expect(second.unschedulable).toEqual([]);
    for (const { nodeClaim, planned } of first.claims) {
      const again = second.placements.find(({ node: { name } }) => name === nodeClaim.metadata.name);
      expect(again?.pods.map(({ metadata }) => metadata.name).sort()).toEqual(
        planned.pods.map(({ metadata }) => metadata.name).sort(),
      );
    }
  });

  test("are hosts of their own for a spread where no other can be made, however alike they are", () => {
    const webPods = (names: string, spec: Partial<PodSpec>): Pod[] =>
      [...names].map((one) => podOf(one, "web", spec, "100m"));
    const alone = plan(snapshotOf({ ...base, pods: webPods("xy", apart(term(hostKey))) }, small));
    const nodeClaims = alone.claims.map(({ nodeClaim }) => stored(nodeClaim));
    const unready = nodePool("default", { ready: false });
    const later = { nodePools: [unready], nodeClaims, pods: webPods("pqrs", spreading(spread(hostKey))) };
    const { placements } = plan(snapshotOf(later, small));
    expect(placements.map(({ pods: { length } }) => length)).toEqual([2, 2]);
  });

  test("a registered node that is not initialised keeps startup and ephemeral taints out of the way", () => {
    const [claim] = claims;
    if (claim === undefined) throw new Error("no claim");
    const startup = { key: "cni", effect: "NoExecute" as const };
    const inFlight = launched(
      { ...claim, spec: { ...claim.spec, startupTaints: [startup] } },
      instanceType("size-16", 16),
      "zone-a",
      "spot",
    );
    const name = claim.metadata.name;
    const joined = node(
      name,
      { cpu: "15900m", memory: "32Gi", pods: "110" },
      {
        labels: { ...inFlight.metadata.labels, "karpenter.sh/registered": "true" },
        spec: {
          providerID: `test:///${name}`,
          taints: [startup, { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }],
        },
      },
    );
    const result = plan(
      snapshotOf({ pods: pendingPods(2, "p", { cpu: "1" }), nodes: [joined], nodeClaims: [inFlight] }),
    );
    expect(result.placements.map(({ node: { name: at }, pods: { length } }) => [at, length])).toEqual([[name, 2]]);
  });
});
