import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  boundPod,
  instanceType,
  launched,
  node,
  nodePool,
  pendingPod,
  pendingPods,
  sizes,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import {
  allowedZones,
  boundClaim,
  csiNode,
  driver,
  onlyIn,
  openClaim,
  storageClass,
  using,
  volume,
} from "../../../test/support/volume-objects.ts";
import { podClasses } from "../scheduling/pods/pod-classes.ts";
import type { Settings } from "../settings.ts";
import { type Plan, planProvisioning } from "./plan.ts";
import { provisioningProblem } from "./scheduling-problem.ts";

const zone = "topology.kubernetes.io/zone";
const small = { cpu: "100m" };
const roomy = { cpu: "16", memory: "64Gi", pods: "110" };

function plan(
  cluster: Partial<ClusterView>,
  types: readonly InstanceType[] = sizes,
  settings: Partial<Settings> = {},
): Plan {
  const world = { nodePools: [nodePool("default")], storageClasses: [storageClass("waiting")], ...cluster };
  return planProvisioning(snapshotOf(world, types, settings), testProvider);
}

const zonesOf = ({ claims }: Plan) =>
  claims.map(({ nodeClaim }) => nodeClaim.spec.requirements.find(({ key }) => key === zone)?.values);
const placedOn = ({ placements }: Plan) => placements.map(({ node: { name }, pods }) => [name, pods.length]);

/** Pods `prefix-0…` that each have a claim of their own, with the claims. */
function withClaims(count: number, prefix: string) {
  const names = Array.from({ length: count }, (_, i) => `${prefix}-${i}`);
  return {
    pods: names.map((name) => pendingPod(name, small, using(name))),
    persistentVolumeClaims: names.map((name) => openClaim(name, "waiting")),
  };
}

describe("where volumes are, their pods go", () => {
  const inB = {
    persistentVolumes: [volume("pv", onlyIn(zone, ["zone-b"]))],
    persistentVolumeClaims: [boundClaim("data", "pv")],
  };
  const pods = [pendingPod("p", small, using("data"))];

  test("a bound volume's zone is the zone of the new node", () => {
    expect(zonesOf(plan({ ...inB, pods }))).toEqual([["zone-b"]]);
  });

  test("a node in another zone is no place, one in the volume's zone is", () => {
    const nodes = ["zone-a", "zone-b"].map((name) => node(`in-${name}`, roomy, { labels: { [zone]: name } }));
    expect(placedOn(plan({ ...inB, pods, nodes }))).toEqual([["in-zone-b", 1]]);
  });

  test("allowedTopologies are alternatives, and the cheapest one is taken", () => {
    const dearA = instanceType("t", 4, {
      offerings: ["zone-a", "zone-c"].map((name, i) => ({
        zone: name,
        capacityType: "on-demand",
        pricePerHour: 2 - i,
        available: true,
      })),
    });
    const storageClasses = [storageClass("waiting", allowedZones(["zone-a"], ["zone-c"]))];
    const persistentVolumeClaims = [openClaim("data", "waiting")];
    expect(zonesOf(plan({ pods, persistentVolumeClaims, storageClasses }, [dearA]))).toEqual([["zone-c"]]);
  });

  test("of several volumes only what all allow is left", () => {
    const persistentVolumes = [
      volume("x", onlyIn(zone, ["zone-a"], ["zone-b"])),
      volume("y", onlyIn(zone, ["zone-b"], ["zone-c"])),
    ];
    const persistentVolumeClaims = [boundClaim("x", "x"), boundClaim("y", "y")];
    const both = [pendingPod("p", small, using("x", "y"))];
    expect(zonesOf(plan({ pods: both, persistentVolumes, persistentVolumeClaims }))).toEqual([["zone-b"]]);
  });

  test("a pod that wants another zone than its volume is told of both", () => {
    const elsewhere = [pendingPod("p", small, { ...using("data"), nodeSelector: { [zone]: "zone-a" } })];
    expect(plan({ ...inB, pods: elsewhere }).unschedulable.map(({ message }) => message)).toEqual([
      "its volumes want topology.kubernetes.io/zone in [zone-b], and its nodeSelector or required node affinity excludes that: no node can meet both",
    ]);
  });

  test("a zone that no NodePool serves is named with the volume", () => {
    const pool = nodePool("default", { requirements: [{ key: zone, operator: "In", values: ["zone-a"] }] });
    expect(plan({ ...inB, pods, nodePools: [pool] }).unschedulable.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^its volumes want topology.kubernetes.io\/zone in \[zone-b\]; NodePool default: .*zone-a/),
    ]);
  });

  test("a volume on the disk of a node ties its pod to that node as long as the node stays", () => {
    const local = volume("pv", { local: { path: "/d" }, ...onlyIn("kubernetes.io/hostname", ["full"]) });
    const objects = { pods, persistentVolumes: [local], persistentVolumeClaims: [boundClaim("data", "pv")] };
    const full = node("full", { cpu: "0", memory: "1Gi", pods: "10" });
    expect(plan({ ...objects, nodes: [full] }).claims).toEqual([]);
    expect(plan({ ...objects, nodes: [] }).claims).toHaveLength(1);
  });

  test("a pod whose claim is missing waits with a reason, and no node is made for it", () => {
    const { claims, unschedulable } = plan({ pods });
    expect(claims).toEqual([]);
    expect(unschedulable.map(({ message }) => message)).toEqual([
      "its PersistentVolumeClaim default/data does not exist",
    ]);
  });

  test("a pod on a node that goes, whose claim is being deleted, is no demand", () => {
    const meta = { deletionTimestamp: "2026-01-01T11:59:00Z", finalizers: ["karpenter.sh/termination"] };
    const going = node("going", roomy, { meta });
    const claim = openClaim("data", "waiting");
    const { deletionTimestamp } = meta;
    const objects = {
      nodes: [going],
      pods: [boundPod("p", "going", small, using("data"))],
      persistentVolumeClaims: [{ ...claim, metadata: { ...claim.metadata, deletionTimestamp } }],
    };
    expect(plan(objects).claims).toEqual([]);
    expect(plan({ ...objects, persistentVolumeClaims: [claim] }).claims).toHaveLength(1);
  });
});

describe("minValues after the volume has narrowed the zones (users' row 18)", () => {
  const pool = nodePool("default", {
    requirements: [{ key: zone, operator: "In", values: ["zone-b", "zone-c"], minValues: 2 }],
  });
  const cluster = {
    nodePools: [pool],
    pods: [pendingPod("p", small, using("data"))],
    persistentVolumes: [volume("pv", onlyIn(zone, ["zone-b"]))],
    persistentVolumeClaims: [boundClaim("data", "pv")],
  };

  test("BestEffort makes the claim with the values that there are and says so", () => {
    const [claim] = plan(cluster, sizes, { minValuesPolicy: "BestEffort" }).claims;
    expect(claim?.nodeClaim.spec.requirements.find(({ key }) => key === zone)).toEqual({
      key: zone,
      operator: "In",
      values: ["zone-b"],
      minValues: 1,
    });
    expect(claim?.nodeClaim.metadata.annotations?.["karpenter.sh/nodeclaim-min-values-relaxed"]).toBe("true");
  });

  test("Strict makes none and says how many values are left", () => {
    const { claims, unschedulable } = plan(cluster);
    expect(claims).toEqual([]);
    expect(unschedulable.map(({ message }) => message)).toEqual([
      expect.stringMatching(/minValues of topology.kubernetes.io\/zone wants 2 different values, 1 are left/),
    ]);
  });
});

describe("how many volumes a node can attach", () => {
  const running = withClaims(27, "r");
  const bound = running.pods.map(({ metadata, spec }) =>
    boundPod(metadata.name, "n", { cpu: "1m" }, { ...(spec.volumes === undefined ? {} : { volumes: spec.volumes }) }),
  );
  const waiting = withClaims(1, "w");
  const full = {
    nodes: [node("n", roomy)],
    pods: [...bound, ...waiting.pods],
    persistentVolumeClaims: [...running.persistentVolumeClaims, ...waiting.persistentVolumeClaims],
  };

  test("a node at its limit takes no pod with another volume, however much CPU is free (users' row 8)", () => {
    const result = plan({ ...full, csiNodes: [csiNode("n", 27)] });
    expect([result.claims.length, placedOn(result)]).toEqual([1, []]);
    expect(placedOn(plan({ ...full, csiNodes: [csiNode("n", 28)] }))).toEqual([["n", 1]]);
  });

  test("a driver that registered without a count has no limit; one that did not register has none that is known", () => {
    expect(placedOn(plan({ ...full, csiNodes: [csiNode("n", undefined)] }))).toEqual([["n", 1]]);
    expect(placedOn(plan({ ...full, csiNodes: [csiNode("n", 1, "other.driver")] }))).toEqual([["n", 1]]);
  });

  test("the reason counts the volumes", () => {
    const { unschedulable } = plan({ ...full, csiNodes: [csiNode("n", 27)], nodePools: [] });
    expect(unschedulable.map(({ message }) => message)).toEqual([
      expect.stringMatching(/1 without room \(volumes of disk.csi.example: 1 wanted, at most 0 free\)/),
    ]);
  });

  test("a volume that several pods use is attached once", () => {
    const persistentVolumeClaims = [openClaim("data", "waiting")];
    const pods = Array.from({ length: 3 }, (_, i) => pendingPod(`p-${i}`, small, using("data")));
    const objects = { nodes: [node("n", roomy)], persistentVolumeClaims, csiNodes: [csiNode("n", 1)] };
    expect(placedOn(plan({ ...objects, pods }))).toEqual([["n", 3]]);
    const already = boundPod("r", "n", small, using("data"));
    expect(placedOn(plan({ ...objects, csiNodes: [csiNode("n", 0)], pods: [already, ...pods] }))).toEqual([["n", 3]]);
  });

  test("inline and ephemeral volumes count as well", () => {
    const ephemeral = { volumeClaimTemplate: { spec: { storageClassName: "waiting" } } };
    const pods = [
      pendingPod("a", small, { volumes: [{ name: "x", csi: { driver } }] }),
      pendingPod("b", small, { volumes: [{ name: "x", ephemeral }] }),
    ];
    const objects = { pods, nodes: [node("n", roomy)], persistentVolumeClaims: [openClaim("b-x", "waiting")] };
    expect(placedOn(plan({ ...objects, csiNodes: [csiNode("n", 2)] }))).toEqual([["n", 2]]);
    expect(placedOn(plan({ ...objects, csiNodes: [csiNode("n", 1)] }))).toEqual([["n", 1]]);
  });
});

describe("nodes whose CSINode does not tell yet", () => {
  const limited = instanceType("limited", 16, { volumeLimits: { [driver]: 2 } });
  const claimOf = (): NodeClaim => {
    const [first] = plan({ pods: [pendingPod("x", { cpu: "12" })] }, [limited]).claims;
    if (first === undefined) throw new Error("no claim");
    return launched(first.nodeClaim, limited, "zone-a", "spot");
  };

  test("a new claim takes as many volumes as its types are known to attach", () => {
    const { claims } = plan(withClaims(5, "p"), [limited]);
    expect(claims.map(({ planned }) => planned.pods.length)).toEqual([2, 2, 1]);
    expect(Object.keys(claims[0]?.nodeClaim.spec.resources?.requests ?? {})).toEqual(["cpu", "pods"]);
  });

  test("a launched claim is held to what its type attaches", () => {
    const result = plan({ ...withClaims(3, "p"), nodeClaims: [claimOf()] }, [limited]);
    expect(placedOn(result)).toEqual([[claimOf().metadata.name, 2]]);
    expect(result.claims.map(({ planned }) => planned.pods.length)).toEqual([1]);
  });

  test("where nothing is known of the driver there is no limit", () => {
    expect(plan(withClaims(30, "p"), [instanceType("t", 16)]).claims).toHaveLength(1);
  });
});

test("pods whose volumes are alike are one class, however their claims are called", () => {
  const { pods, persistentVolumeClaims } = withClaims(50, "p");
  const world = { pods, persistentVolumeClaims, storageClasses: [storageClass("waiting")], nodePools: [nodePool("d")] };
  const { problem } = provisioningProblem(snapshotOf(world), testProvider);
  const rules = {
    preferencePolicy: "Respect" as const,
    preferNoScheduleTaints: false,
    volumes: problem.volumes ?? new Map(),
  };
  expect(podClasses(problem.pods, rules)).toHaveLength(1);
  expect(podClasses([...problem.pods, ...pendingPods(2, "q", small)], rules)).toHaveLength(2);
});
