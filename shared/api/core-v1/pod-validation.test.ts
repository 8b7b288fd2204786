import { describe, expect, test } from "vitest";
import { parseObject } from "../parse.ts";
import { formatProblem } from "../problem.ts";
import type { Pod } from "./pod.ts";

const container = { name: "web", image: "nginx" };

function podOf(spec: object, metadata: object = {}): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "a", ...metadata },
    spec: { containers: [container], ...spec },
  };
}

function read(spec: object): Pod {
  const parsed = parseObject(podOf(spec));
  if (parsed.kind === "problems") throw new Error(parsed.problems.map(formatProblem).join("\n"));
  if (parsed.kind !== "object" || parsed.objectKind !== "Pod") throw new Error(parsed.kind);
  return parsed.object;
}

function problem(spec: object, metadata: object = {}): string | undefined {
  const parsed = parseObject(podOf(spec, metadata));
  return parsed.kind === "problems" ? parsed.problems.map(formatProblem).join("\n") : undefined;
}

describe("what the API server fills in on a pod", () => {
  test("grace period, restart policy and scheduler", () => {
    expect(read({}).spec).toEqual({
      containers: [container],
      terminationGracePeriodSeconds: 30,
      restartPolicy: "Always",
      schedulerName: "default-scheduler",
    });
  });

  test("a request for each limit that has none, in init containers too", () => {
    const limited = { ...container, resources: { requests: { cpu: "1" }, limits: { cpu: 2, memory: "1Gi" } } };
    const { spec } = read({ containers: [limited], initContainers: [{ ...limited, name: "init" }] });
    expect(spec.containers[0]?.resources?.requests).toEqual({ cpu: "1", memory: "1Gi" });
    expect(spec.initContainers?.[0]?.resources?.requests).toEqual({ cpu: "1", memory: "1Gi" });
  });

  test("a request of the whole pod for its limits that no container requests", () => {
    const requesting = { ...container, resources: { requests: { cpu: "1" } } };
    const { spec } = read({ containers: [requesting], resources: { limits: { cpu: "4", memory: "4Gi" } } });
    expect(spec.resources?.requests).toEqual({ memory: "4Gi" });
  });

  test("TCP where a port names no protocol", () => {
    const ports = [
      { containerPort: 53, hostPort: 53 },
      { containerPort: 53, protocol: "UDP" },
    ];
    expect(read({ containers: [{ ...container, ports }] }).spec.containers[0]?.ports).toEqual([
      { containerPort: 53, hostPort: 53, protocol: "TCP" },
      { containerPort: 53, protocol: "UDP" },
    ]);
  });

  test("the host's port on the host's network, in init containers too", () => {
    const open = { ...container, ports: [{ containerPort: 80 }] };
    const { spec } = read({ hostNetwork: true, containers: [open], initContainers: [{ ...open, name: "init" }] });
    expect(spec.containers[0]?.ports?.[0]?.hostPort).toBe(80);
    expect(spec.initContainers?.[0]?.ports?.[0]?.hostPort).toBe(80);
    expect(read({ containers: [open] }).spec.containers[0]?.ports?.[0]?.hostPort).toBeUndefined();
  });

  test("quantities given as numbers become texts", () => {
    const requests = { cpu: 0.5, memory: 1_073_741_824 };
    const read0 = read({ containers: [{ ...container, resources: { requests } }] }).spec.containers[0];
    expect(read0?.resources?.requests).toEqual({ cpu: "0.5", memory: "1073741824" });
  });

  test("empty texts of a toleration are left out", () => {
    const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" }];
    expect(read({ tolerations }).spec.tolerations).toEqual([{ operator: "Exists" }]);
  });
});

const requests = (list: object): object => ({ containers: [{ ...container, resources: { requests: list } }] });
const term = (expression: object): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [expression] }] },
    },
  },
});
const spread = (change: object): object => ({
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule", ...change },
  ],
});

const wrong: readonly [string, object, string][] = [
  ["no containers", { containers: [] }, "spec.containers: must have at least 1 item"],
  [
    "containers of one name",
    { containers: [container, container] },
    "spec.containers[1]: must not repeat item 0 (web)",
  ],
  ["a name in capitals", { containers: [{ name: "Web" }] }, "spec.containers[0].name: "],
  [
    "a request that is none",
    requests({ cpu: "two" }),
    "spec.containers[0].resources.requests[cpu]: must be a quantity",
  ],
  [
    "a negative request",
    requests({ memory: "-1Gi" }),
    "spec.containers[0].resources.requests[memory]: must not be negative",
  ],
  ["an unknown resource", requests({ gpu: 1 }), "spec.containers[0].resources.requests[gpu]: must be cpu, memory"],
  [
    "a request above its limit",
    { containers: [{ ...container, resources: { requests: { cpu: "2" }, limits: { cpu: "1500m" } } }] },
    "spec.containers[0].resources.requests[cpu]: must be at most the limit 1500m; got 2",
  ],
  [
    "a port out of range",
    { containers: [{ ...container, ports: [{ containerPort: 70_000 }] }] },
    "spec.containers[0].ports[0].containerPort: must be a whole number from 1 to 65535; got 70000",
  ],
  [
    "a selector that is no text",
    { nodeSelector: { disk: true } },
    "spec.nodeSelector[disk]: must be a text (put it in quotes); got true",
  ],
  ["a selector with a bad key", { nodeSelector: { "a b": "c" } }, "spec.nodeSelector[a b]: "],
  [
    "a toleration without key and operator",
    { tolerations: [{ effect: "NoSchedule" }] },
    "spec.tolerations[0].operator: must be Exists when key is empty",
  ],
  [
    "Exists with a value",
    { tolerations: [{ key: "a", operator: "Exists", value: "b" }] },
    "spec.tolerations[0].value: must be empty",
  ],
  [
    "an unknown effect",
    { tolerations: [{ key: "a", operator: "Exists", effect: "NoRun" }] },
    'spec.tolerations[0].effect: must be one of NoSchedule, PreferNoSchedule, NoExecute; got "NoRun"',
  ],
  [
    "seconds without NoExecute",
    { tolerations: [{ key: "a", operator: "Exists", tolerationSeconds: 1 }] },
    'spec.tolerations[0].effect: must be "NoExecute"',
  ],
  [
    "In without values",
    term({ key: "a", operator: "In" }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: must have at least one value",
  ],
  [
    "Exists with values",
    term({ key: "a", operator: "Exists", values: ["b"] }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: must be absent",
  ],
  [
    "Gt with two values",
    term({ key: "a", operator: "Gt", values: ["1", "2"] }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: must have exactly one value",
  ],
  [
    "Karpenter's own operator",
    term({ key: "a", operator: "Gte", values: ["1"] }),
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].operator: must be one of",
  ],
  [
    "no skew",
    spread({ maxSkew: 0 }),
    "spec.topologySpreadConstraints[0].maxSkew: must be a whole number of at least 1; got 0",
  ],
  [
    "minDomains of a soft spread",
    spread({ whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 }),
    "spec.topologySpreadConstraints[0].minDomains: must be absent",
  ],
  [
    "matchLabelKeys without a selector",
    spread({ matchLabelKeys: ["a"] }),
    "spec.topologySpreadConstraints[0].matchLabelKeys: must be absent",
  ],
  [
    "a volume without a name",
    { volumes: [{ persistentVolumeClaim: { claimName: "a" } }] },
    "spec.volumes[0].name: is required",
  ],
  [
    "a claim without a name",
    { volumes: [{ name: "a", persistentVolumeClaim: {} }] },
    "spec.volumes[0].persistentVolumeClaim.claimName: is required",
  ],
  [
    "an unknown restart policy",
    { restartPolicy: "Sometimes" },
    "spec.restartPolicy: must be one of Always, OnFailure, Never",
  ],
];

describe("what is wrong with a pod", () => {
  test.each(wrong)("%s", (_, spec, message) => {
    expect(problem(spec)).toContain(message);
  });

  test("a label that is no label", () => {
    expect(problem({}, { labels: { team: "a b" } })).toContain("metadata.labels[team]: ");
    expect(problem({}, { labels: { "a/b/c": "d" } })).toContain("metadata.labels[a/b/c]: ");
  });

  test("a name that is none", () => {
    expect(problem({}, { name: "Web_1" })).toContain("metadata.name: ");
  });

  test("nothing, when a resource of another kind has no limit", () => {
    expect(problem(requests({ "nvidia.com/gpu": "1", "hugepages-2Mi": "4Mi" }))).toBeUndefined();
  });
});
