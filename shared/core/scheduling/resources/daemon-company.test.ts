import { describe, expect, test } from "vitest";
import type { PodSpec } from "#api/core-v1/pod.ts";
import {
  daemonSet,
  instanceType,
  launched,
  nodePool,
  pendingPod,
  pendingPods,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { planProvisioning } from "../../provisioning/plan.ts";
import type { ClusterView } from "../../snapshot.ts";

const types = [1, 2, 4].map((cpu) =>
  instanceType(`t${cpu}`, cpu, {}, [{ key: "example.dev/disk", operator: "In", values: [cpu === 2 ? "ssd" : "none"] }]),
);
const planOf = (cluster: Partial<ClusterView>) =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }, types), testProvider);

function apartFrom(app: string): Pick<PodSpec, "affinity"> {
  const term = { labelSelector: { matchLabels: { app } }, topologyKey: "kubernetes.io/hostname" };
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
}

/** A DaemonSet whose pods are labelled with its name. */
function labelled(name: string, spec: Partial<PodSpec> = {}) {
  const made = daemonSet(name, { cpu: "100m" }, spec);
  const template = { ...made.spec.template, metadata: { labels: { app: name } } };
  return { ...made, metadata: { ...made.metadata, namespace: "default" }, spec: { ...made.spec, template } };
}

describe("a pod that must not run beside a daemon", () => {
  test("that runs everywhere gets no node, and is told which daemon it is", () => {
    const { claims, unschedulable } = planOf({
      pods: [pendingPod("p", { cpu: "100m" }, apartFrom("agent"))],
      daemonSets: [labelled("agent")],
    });
    expect(claims).toEqual([]);
    expect(unschedulable[0]?.message).toBe(
      "NodePool default: DaemonSet default/agent runs on each of its nodes, and by anti-affinity the pod must not run beside it",
    );
  });

  test("that wants to be away from it gets none either", () => {
    const daemonSets = [labelled("agent", apartFrom("web"))];
    const pods = [pendingPod("p", { cpu: "100m" }, {}, { labels: { app: "web" } })];
    expect(planOf({ pods, daemonSets }).claims).toEqual([]);
    expect(planOf({ pods: [pendingPod("p", { cpu: "100m" })], daemonSets }).claims).toHaveLength(1);
  });

  test("that runs on some types gets one of the others, and shares it with its like", () => {
    const { claims } = planOf({
      pods: pendingPods(3, "p", { cpu: "1100m" }, apartFrom("agent")),
      daemonSets: [labelled("agent", { nodeSelector: { "example.dev/disk": "ssd" } })],
    });
    expect(claims.map(({ planned }) => [planned.pods.length, planned.instanceTypes])).toEqual([[3, ["t4"]]]);
  });

  test("uses the NodePool whose taint keeps the daemon off", () => {
    const taints = [{ key: "quiet", effect: "NoSchedule" as const }];
    const tolerations = [{ key: "quiet", operator: "Exists" as const }];
    const { claims } = planOf({
      nodePools: [nodePool("busy", { weight: 10 }), nodePool("quiet", { taints })],
      pods: [pendingPod("p", { cpu: "100m" }, { ...apartFrom("agent"), tolerations })],
      daemonSets: [labelled("agent")],
    });
    expect(claims.map(({ planned }) => planned.nodePool.metadata.name)).toEqual(["quiet"]);
  });

  test("is not sent to a claim on which the daemon will start", () => {
    const daemonSets = [labelled("agent")];
    const [first] = planOf({ pods: [pendingPod("other", { cpu: "100m" })], daemonSets }).claims;
    const [, two] = types;
    if (first === undefined || two === undefined) throw new Error("no claim");
    const nodeClaims = [launched(first.nodeClaim, two, "zone-a", "spot")];
    const pods = [pendingPod("p", { cpu: "100m" }, apartFrom("agent"))];
    expect(planOf({ pods, daemonSets, nodeClaims }).placements).toEqual([]);
    expect(planOf({ pods, nodeClaims }).placements).toHaveLength(1);
  });
});
