import { describe, expect, test } from "vitest";
import type { Problem } from "../../../cli/solve/problem.ts";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import type { CheckedAnswer, CheckedClaim } from "./answer.ts";
import { checkAnswer } from "./check.ts";

const zoneKey = "topology.kubernetes.io/zone";
const hostKey = "kubernetes.io/hostname";

const offers = ["a", "b", "c"].map((zone) => ({ zone, capacityType: "on-demand", price: 0.1 }));
const types = [2, 4].map((cpu) => ({
  name: `size-${cpu}`,
  capacity: { cpu: String(cpu), memory: `${cpu * 2}Gi`, pods: "10" },
  overhead: { kubeReserved: { cpu: "100m" } },
  offerings: offers.map((one) => ({ ...one, price: cpu * 0.05 })),
}));

interface Sketch {
  readonly pods?: readonly object[];
  readonly pool?: object;
  readonly template?: object;
  readonly [field: string]: unknown;
}

function problem({ pods = [], pool = {}, template = {}, ...more }: Sketch): Problem {
  const spec = { requirements: [], ...template };
  return problemOf({
    nodePools: [{ metadata: { name: "general" }, spec: { ...pool, template: { spec } } }],
    instanceTypes: types,
    pods,
    ...more,
  });
}

function pod(name: string, spec: object = {}, metadata: object = {}): object {
  const container = { name: "main", resources: { requests: { cpu: "500m" } } };
  return { metadata: { name, labels: { app: "web" }, ...metadata }, spec: { containers: [container], ...spec } };
}

function claim(pods: readonly string[], more: Partial<CheckedClaim> = {}): CheckedClaim {
  const named = pods.map((name) => `default/${name}`);
  return { nodePool: "general", requirements: [], instanceTypes: ["size-2", "size-4"], pods: named, ...more };
}

function inZone(zone: string): Partial<CheckedClaim> {
  return { requirements: [{ key: zoneKey, operator: "In", values: [zone] }] };
}

function answer(nodeClaims: readonly CheckedClaim[], more: Partial<CheckedAnswer> = {}): CheckedAnswer {
  return { nodeClaims, existingNodes: [], podErrors: {}, ...more };
}

function rulesBroken(of: Problem, given: CheckedAnswer): readonly string[] {
  return [...new Set(checkAnswer(of, given).violations.map(({ rule }) => rule))];
}

const spread = {
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: { matchLabels: { app: "web" } },
};
const own = { labelSelector: { matchLabels: { app: "web" } } };
const required = (topologyKey: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ ...own, topologyKey }],
});

/** What is wrong, the problem, the claim, the rule. */
const wrongClaims: readonly (readonly [string, Sketch, CheckedClaim, string])[] = [
  [
    "a pod that selects another zone",
    { pods: [pod("x", { nodeSelector: { [zoneKey]: "a" } })] },
    claim(["x"], inZone("b")),
    "node-affinity",
  ],
  ["a zone that nobody offers", { pods: [pod("x")] }, claim(["x"], inZone("d")), "offering"],
  [
    "an unknown type beside a good one",
    { pods: [pod("x")] },
    claim(["x"], { instanceTypes: ["size-2", "size-9"] }),
    "unknown-name",
  ],
  ["an unknown NodePool", { pods: [pod("x")] }, claim(["x"], { nodePool: "none" }), "unknown-name"],
  [
    "a taint that the pod does not tolerate",
    { pods: [pod("x")], template: { taints: [{ key: "team", effect: "NoSchedule" }] } },
    claim(["x"]),
    "taints",
  ],
  [
    "a claim that left its NodePool's requirements out",
    {
      pods: [pod("x", { nodeSelector: { "example.org/team": "red" } })],
      template: { requirements: [{ key: "example.org/team", operator: "In", values: ["red", "blue"] }] },
    },
    claim(["x"]),
    "node-affinity",
  ],
  [
    "no room beside a daemon",
    {
      pods: [pod("x", { containers: [{ name: "m", resources: { requests: { cpu: "1800m" } } }] })],
      daemonSets: [
        {
          metadata: { name: "d" },
          spec: {
            selector: { matchLabels: { d: "d" } },
            template: {
              metadata: { labels: { d: "d" } },
              spec: { containers: [{ name: "m", resources: { requests: { cpu: "200m" } } }] },
            },
          },
        },
      ],
    },
    claim(["x"], { instanceTypes: ["size-2"] }),
    "daemons",
  ],
  [
    "two pods on one port of the host",
    {
      pods: ["x", "y"].map((name) =>
        pod(name, { containers: [{ name: "m", ports: [{ containerPort: 1, hostPort: 80 }] }] }),
      ),
    },
    claim(["x", "y"]),
    "host-ports",
  ],
  [
    "a volume whose claim does not exist",
    { pods: [pod("x", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "no" } }] })] },
    claim(["x"]),
    "volumes",
  ],
  ["a limit in machines", { pods: [pod("x")], pool: { limits: { cpu: "3" } } }, claim(["x"]), "limits"],
  ["a limit in nodes", { pods: [pod("x")], pool: { limits: { nodes: "0" } } }, claim(["x"]), "limits"],
  [
    "fewer types than minValues",
    {
      pods: [pod("x")],
      template: { requirements: [{ key: "node.kubernetes.io/instance-type", operator: "Exists", minValues: 2 }] },
    },
    claim(["x"], { instanceTypes: ["size-2"] }),
    "min-values",
  ],
];

describe("a claim", () => {
  test("is right when all its pods run on all that it may become", () => {
    const verdict = checkAnswer(problem({ pods: [pod("x"), pod("y")] }), answer([claim(["x", "y"])]));
    expect(verdict.violations).toEqual([]);
    expect([...verdict.placed]).toEqual(["default/x", "default/y"]);
    expect(verdict.pricePerHour).toBe(0.1);
  });

  test("that names a type with too little room is mended, and the violation blames no pod", () => {
    const pods = ["v", "w", "x", "y"].map((name) => pod(name));
    const verdict = checkAnswer(problem({ pods }), answer([claim(["v", "w", "x", "y"])]));
    expect(verdict.violations).toMatchObject([{ rule: "resources", pods: [] }]);
    expect(verdict.wrong.size).toBe(0);
    expect(verdict.pricePerHour).toBe(0.2);
  });

  test("that is too small in every type is worth nothing", () => {
    const pods = Array.from({ length: 8 }, (_, i) => pod(`p${i}`));
    const verdict = checkAnswer(problem({ pods }), answer([claim(pods.map((_, i) => `p${i}`))]));
    expect(verdict.violations[0]?.rule).toBe("resources");
    expect(verdict.wrong.size).toBe(8);
  });

  test.each(wrongClaims)("is wrong for %s", (_, sketch, given, rule) => {
    expect(rulesBroken(problem(sketch), answer([given]))).toEqual([rule]);
  });

  test("is wrong when it waits for a reservation that others have used up", () => {
    const label = "example.org/reservation";
    const reserved = {
      zone: "a",
      capacityType: "reserved",
      price: 0,
      reservationCapacity: 1,
      requirements: [{ key: label, operator: "In", values: ["r1"] }],
    };
    const instanceTypes = [{ ...types[0], offerings: [reserved] }];
    const of = problem({ pods: [pod("x"), pod("y")], instanceTypes, options: { reservationIDLabel: label } });
    const one = (name: string) => claim([name], { instanceTypes: ["size-2"] });
    expect(rulesBroken(of, answer([one("x"), one("y")]))).toEqual(["reservations"]);
    expect(
      rulesBroken(
        problem({ pods: [pod("x")], instanceTypes, options: { reservationIDLabel: label } }),
        answer([one("x")]),
      ),
    ).toEqual([]);
  });
});

describe("rules between pods", () => {
  const pods = ["x", "y", "z"].map((name) => pod(name, { topologySpreadConstraints: [spread] }));

  test("a spread holds when there is an order of binding in which it does", () => {
    const even = answer([claim(["x"], inZone("a")), claim(["y"], inZone("b")), claim(["z"], inZone("c"))]);
    expect(rulesBroken(problem({ pods }), even)).toEqual([]);
  });

  test("whoever does not crowd out others is bound before those who do", () => {
    const small = { containers: [{ name: "main", resources: { requests: { cpu: "100m", memory: "1Mi" } } }] };
    const over = (app: string, maxSkew: number, topologyKey = hostKey) => {
      return { ...spread, topologyKey, maxSkew, labelSelector: { matchLabels: { app } } };
    };
    const named = (letter: string) => Array.from({ length: 5 }, (_, i) => `${letter}-${i}`);
    const crowd = named("crowd").map((name) =>
      pod(name, { ...small, topologySpreadConstraints: [over("nobody", 3)] }, { labels: { app: "crowd" } }),
    );
    const calm = named("calm").map((name) =>
      pod(name, { ...small, topologySpreadConstraints: [over("crowd", 1), over("web", 9, zoneKey)] }),
    );
    const together = answer([claim([...named("crowd"), ...named("calm")]), claim(["alone"])]);
    expect(rulesBroken(problem({ pods: [...crowd, ...calm, pod("alone")] }), together)).toEqual([]);
  });

  test("a spread is broken by a zone that stays empty although a NodePool could fill it", () => {
    const uneven = answer([claim(["x", "y", "z"], inZone("a"))]);
    expect(rulesBroken(problem({ pods }), uneven)).toEqual(["spread"]);
  });

  test("a zone that no offering reaches is no domain", () => {
    const instanceTypes = types.map((type) => ({
      ...type,
      offerings: type.offerings.filter(({ zone }) => zone === "a"),
    }));
    const of = problem({
      pods,
      instanceTypes,
      template: { requirements: [{ key: zoneKey, operator: "In", values: ["a", "b"] }] },
    });
    expect(rulesBroken(of, answer([claim(["x", "y", "z"], inZone("a"))]))).toEqual([]);
  });

  test("a claim that may turn out in the wrong zone breaks a spread", () => {
    const open = answer([claim(["x"], inZone("a")), claim(["y"], inZone("b")), claim(["z"])]);
    expect(rulesBroken(problem({ pods }), open)).toEqual(["spread"]);
  });

  test("pods that keep apart by host may not share a claim", () => {
    const apart = ["x", "y"].map((name) => pod(name, { affinity: { podAntiAffinity: required(hostKey) } }));
    expect(rulesBroken(problem({ pods: apart }), answer([claim(["x", "y"])]))).toEqual(["anti-affinity"]);
    expect(rulesBroken(problem({ pods: apart }), answer([claim(["x"]), claim(["y"])]))).toEqual([]);
  });

  test("a running pod that keeps others away does so to pods without a rule of their own", () => {
    const running = pod("old", { nodeName: "node", affinity: { podAntiAffinity: required(zoneKey) } });
    const nodes = [{ name: "node", nodePool: "general", instanceType: "size-2", zone: "a", capacityType: "on-demand" }];
    const of = problem({ pods: [running, pod("x")], nodes });
    expect(rulesBroken(of, answer([claim(["x"], inZone("a"))]))).toEqual(["anti-affinity"]);
    expect(rulesBroken(of, answer([claim(["x"], inZone("b"))]))).toEqual([]);
  });

  test("pods that belong together may start anywhere, and then must meet", () => {
    const together = ["x", "y"].map((name) => pod(name, { affinity: { podAffinity: required(zoneKey) } }));
    const of = problem({ pods: together });
    expect(rulesBroken(of, answer([claim(["x"], inZone("a")), claim(["y"], inZone("a"))]))).toEqual([]);
    expect(rulesBroken(of, answer([claim(["x"], inZone("a")), claim(["y"], inZone("b"))]))).toEqual(["affinity"]);
    expect(rulesBroken(of, answer([claim(["x"]), claim(["y"])]))).toEqual(["affinity"]);
  });

  test("a pod whose company runs elsewhere may not start a group of its own", () => {
    const nodes = [{ name: "node", zone: "a", capacity: { cpu: "1", pods: "1" } }];
    const of = problem({
      pods: [pod("old", { nodeName: "node" }), pod("x", { affinity: { podAffinity: required(zoneKey) } })],
      nodes,
    });
    expect(rulesBroken(of, answer([claim(["x"], inZone("b"))]))).toEqual(["affinity"]);
  });
});

describe("a node that exists", () => {
  const nodes = [{ name: "node", nodePool: "general", instanceType: "size-2", zone: "a", capacityType: "on-demand" }];
  const on = (...names: readonly string[]): CheckedAnswer =>
    answer([], { existingNodes: [{ name: "node", pods: names.map((name) => `default/${name}`) }] });

  test("takes pods until it is full, and the rest are wrong", () => {
    const pods = ["v", "w", "x", "y"].map((name) => pod(name));
    const verdict = checkAnswer(problem({ pods, nodes }), on("v", "w", "x", "y"));
    expect(verdict.violations).toMatchObject([{ rule: "resources", pods: ["default/y"] }]);
    expect(verdict.placed.size).toBe(3);
  });

  test("takes none when it is going away", () => {
    expect(
      rulesBroken(problem({ pods: [pod("x")], nodes, options: { markedForDeletion: ["node"] } }), on("x")),
    ).toEqual(["accounting"]);
  });

  test("attaches so many volumes and no more", () => {
    const objects = [
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "CSINode",
        metadata: { name: "node" },
        spec: { drivers: [{ name: "disk", nodeID: "n", allocatable: { count: 1 } }] },
      },
      {
        apiVersion: "storage.k8s.io/v1",
        kind: "StorageClass",
        metadata: { name: "s" },
        provisioner: "disk",
        volumeBindingMode: "WaitForFirstConsumer",
      },
      ...["x", "y"].map((name) => ({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name, namespace: "default" },
        spec: { storageClassName: "s" },
      })),
    ];
    const pods = ["x", "y"].map((name) =>
      pod(name, { volumes: [{ name: "v", persistentVolumeClaim: { claimName: name } }] }),
    );
    expect(rulesBroken(problem({ pods, nodes, objects }), on("x", "y"))).toEqual(["volume-limits"]);
  });

  test.each([
    ["there", [], ["volumes"]],
    ["going away", ["other"], []],
  ])("takes no pod whose local volume is on another node that is %s", (_, markedForDeletion, broken) => {
    const terms = [{ matchExpressions: [{ key: hostKey, operator: "In", values: ["other"] }] }];
    const objects = [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "x", namespace: "default", annotations: { "pv.kubernetes.io/bind-completed": "yes" } },
        spec: { volumeName: "disk" },
      },
      {
        apiVersion: "v1",
        kind: "PersistentVolume",
        metadata: { name: "disk" },
        spec: { local: { path: "/disk" }, nodeAffinity: { required: { nodeSelectorTerms: terms } } },
      },
    ];
    const pods = [pod("x", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "x" } }] })];
    const both = [...nodes, { name: "other", capacity: { cpu: "0" } }];
    const of = problem({ pods, nodes: both, objects, options: { markedForDeletion } });
    expect(rulesBroken(of, on("x"))).toEqual(broken);
  });

  test("lacks a label although a pod that forbids a value of it is there", () => {
    const expression = (operator: string) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: "team", operator, values: ["red"] }] }],
          },
        },
      },
    });
    const pods = [pod("x", expression("NotIn")), pod("y", expression("In"))];
    expect(checkAnswer(problem({ pods, nodes }), on("x", "y")).violations).toMatchObject([
      { rule: "node-affinity", pods: ["default/y"] },
    ]);
  });
});

describe("the accounts", () => {
  test("each waiting pod has one place or one reason", () => {
    const of = problem({ pods: [pod("x"), pod("y")] });
    expect(rulesBroken(of, answer([claim(["x"])]))).toEqual(["accounting"]);
    expect(rulesBroken(of, answer([claim(["x"]), claim(["x"])], { podErrors: { "default/y": "no" } }))).toEqual([
      "accounting",
    ]);
    expect(rulesBroken(of, answer([claim(["x"])], { podErrors: { "default/y": "no" } }))).toEqual([]);
  });

  test("a pod that runs is not placed again", () => {
    const of = problem({ pods: [pod("x", { nodeName: "node" })], nodes: [{ name: "node", capacity: { cpu: "1" } }] });
    expect(rulesBroken(of, answer([claim(["x"])]))).toEqual(["accounting"]);
  });
});
