import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  hostKey,
  podsBy,
  podsOfClaims,
  podsOnNodes,
  spread,
  spreading,
  term,
  unplacedPods,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import {
  boundPod,
  node,
  nodePool,
  pendingPod,
  sizes,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const valuesOf = (claim: NodeClaim | undefined, key: string): readonly string[] | undefined =>
  claim?.spec.requirements.find((requirement) => requirement.key === key)?.values;
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;

describe("preferences", () => {
  const prefers = (key: string, value: string, weight = 1) => ({
    weight,
    preference: { matchExpressions: [{ key, operator: "In" as const, values: [value] }] },
  });
  const preferring = (...terms: ReturnType<typeof prefers>[]) => ({
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
  });

  test("the heaviest that can be met is met", () => {
    const spec = preferring(
      prefers("topology.kubernetes.io/zone", "zone-b", 1),
      prefers("topology.kubernetes.io/zone", "zone-x", 50),
    );
    const claim = firstClaim(
      plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" }, spec)], nodePools: [nodePool("default")] })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toEqual(["zone-b"]);
  });

  test("one that contradicts the pod's own rule is given up, not read as the label's absence", () => {
    const spec = {
      ...preferring(prefers("topology.kubernetes.io/zone", "zone-b")),
      nodeSelector: { "topology.kubernetes.io/zone": "zone-a" },
    };
    const claim = firstClaim(
      plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" }, spec)], nodePools: [nodePool("default")] })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toEqual(["zone-a"]);
  });

  test("Ignore looks at none of them", () => {
    const pods = [pendingPod("p", { cpu: "1" }, preferring(prefers("topology.kubernetes.io/zone", "zone-b")))];
    const claim = firstClaim(
      plan(snapshotOf({ pods, nodePools: [nodePool("default")] }, sizes, { preferencePolicy: "Ignore" })),
    );
    expect(valuesOf(claim, "topology.kubernetes.io/zone")).toBeUndefined();
  });

  test("of equally heavy wishes to be apart the one by host is given up last, however they are written", () => {
    const wishes = [zoneKey, hostKey].map((key) => ({ weight: 100, podAffinityTerm: term(key) }));
    for (const preferredDuringSchedulingIgnoredDuringExecution of [wishes, [...wishes].reverse()]) {
      const spec = { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution } } };
      const pods = Array.from({ length: 5 }, (_, i) => pendingPod(`web-${i}`, { cpu: "1" }, spec, web));
      expect(podsOfClaims(plan(snapshotOf({ pods, nodePools: [nodePool("default")] })))).toHaveLength(5);
    }
  });

  test("a PreferNoSchedule taint is tolerated last", () => {
    const soft = [{ key: "soft", effect: "PreferNoSchedule" as const }];
    const pods = [pendingPod("p", { cpu: "1" })];
    const pools = [nodePool("soft", { taints: soft, weight: 50 }), nodePool("plain")];
    expect(plan(snapshotOf({ pods, nodePools: pools })).claims[0]?.planned.nodePool.metadata.name).toBe("plain");
    expect(plan(snapshotOf({ pods, nodePools: pools.slice(0, 1) })).claims).toHaveLength(1);
  });

  test("the order of OR-ed terms does not matter, and the cheaper one wins on a new node", () => {
    const term = (value: string) => ({
      matchExpressions: [{ key: "karpenter.sh/capacity-type", operator: "In" as const, values: [value] }],
    });
    const withTerms = (...values: string[]) =>
      firstClaim(
        plan(
          snapshotOf({
            pods: [
              pendingPod(
                "p",
                { cpu: "1" },
                {
                  affinity: {
                    nodeAffinity: {
                      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: values.map(term) },
                    },
                  },
                },
              ),
            ],
            nodePools: [nodePool("default")],
          }),
        ),
      );
    expect(withTerms("on-demand", "spot")).toEqual(withTerms("spot", "on-demand"));
    expect(valuesOf(withTerms("on-demand", "spot"), "karpenter.sh/capacity-type")).toEqual(["spot"]);
  });
});

describe("wishes about other pods", () => {
  const wish = (weight: number, podAffinityTerm: ReturnType<typeof term>) => ({ weight, podAffinityTerm });
  const wishes = (
    kind: "podAffinity" | "podAntiAffinity",
    ...preferredDuringSchedulingIgnoredDuringExecution: ReturnType<typeof wish>[]
  ) => ({ [kind]: { preferredDuringSchedulingIgnoredDuringExecution } });
  const pods = (count: number, spec: Partial<PodSpec>, cpu = "1") =>
    Array.from({ length: count }, (_, i) => pendingPod(`web-${i}`, { cpu }, spec, web));
  const inPool = (result: readonly Pod[], settings: Parameters<typeof snapshotOf>[2] = {}): Plan =>
    plan(snapshotOf({ pods: result, nodePools: [nodePool("default")] }, sizes, settings));

  test("are rules as long as they can be met: one pod a host", () => {
    const result = inPool(pods(4, { affinity: wishes("podAntiAffinity", wish(1, term(hostKey))) }));
    expect(result.claims).toHaveLength(4);
  });

  test("the heaviest is given up first", () => {
    const spec = { affinity: wishes("podAntiAffinity", wish(100, term(zoneKey)), wish(1, term(hostKey))) };
    const result = inPool(pods(6, spec));
    expect(podsBy(result, zoneKey)).toMatchObject({ open: expect.any(Number) });
    expect(podsOfClaims(result).map(({ length }) => length)).toEqual([1, 1, 1, 1, 1, 1]);
  });

  test("affinity is given up before anti-affinity, and that before node affinity", () => {
    const preference = { matchExpressions: [{ key: zoneKey, operator: "In" as const, values: ["zone-b"] }] };
    const spec: Partial<PodSpec> = {
      affinity: {
        ...wishes("podAffinity", wish(100, term(hostKey, "nobody"))),
        ...wishes("podAntiAffinity", wish(1, term(hostKey))),
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
      },
    };
    const result = inPool(pods(3, spec));
    expect(podsOfClaims(result).map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(podsBy(result, zoneKey)).toEqual({ "zone-b": 3 });
  });

  test("a wish that cannot be met costs nobody a place", () => {
    const spec = { affinity: wishes("podAffinity", wish(1, term(zoneKey, "nobody"))) };
    expect(unplacedPods(inPool(pods(2, spec)))).toEqual([]);
  });

  test("soft spread: Respect makes a node for each pod, Ignore one for all (users' row 22)", () => {
    const spec = spreading(spread(hostKey, { whenUnsatisfiable: "ScheduleAnyway" }));
    expect(inPool(pods(10, spec, "200m")).claims).toHaveLength(10);
    const ignoring = inPool(pods(10, spec, "380m"), { preferencePolicy: "Ignore" });
    expect(ignoring.claims).toHaveLength(1);
  });

  test("soft rules keep no pod from a node that has room, where no other can be made (users' row 23)", () => {
    const spec = { affinity: wishes("podAntiAffinity", wish(100, term(hostKey))) };
    const nodes = [node("n", { cpu: "10", memory: "64Gi", pods: "20" })];
    const bound = boundPod("dns", "n", { cpu: "100m" }, spec, web);
    const result = plan(snapshotOf({ pods: [bound, ...pods(8, spec)], nodes }));
    expect(podsOnNodes(result).n).toHaveLength(8);
  });

  test("soft spread that is met by a relaxed pod counts it once (slip 5)", () => {
    const spec = spreading(spread(zoneKey), spread(hostKey, { whenUnsatisfiable: "ScheduleAnyway" }));
    expect(podsBy(inPool(pods(6, spec)), zoneKey)).toEqual({ "zone-a": 2, "zone-b": 2, "zone-c": 2 });
  });
});
