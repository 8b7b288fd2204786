/**
 * The peer's benchmark mix, made here: `peer gen -pods N -types M -seed S` gives the same problem. One NodePool, types of
 * 1 … M cores with 2 GiB each; a fifth of the pods each plain, spread over zones, spread over hosts, together by zone,
 * apart by host.
 */
import { Random } from "../differential/generator/random.ts";

const zoneKey = "topology.kubernetes.io/zone";
const hostKey = "kubernetes.io/hostname";
const cpus = [100, 250, 500, 1000, 1500];
const mems = [100, 256, 512, 1024, 2048, 4096];
const letters = ["a", "b", "c", "d", "e", "f", "g"];

export function mixTypes(count: number): readonly object[] {
  return Array.from({ length: count }, (_, i) => {
    const cores = i + 1;
    const price = 0.1 * cores + (0.1 * cores * 2 * 2 ** 30) / 1e9;
    const large = cores > 4;
    const ways = [
      ["spot", "1"],
      ["spot", "2"],
      ["on-demand", "1"],
      ["on-demand", "2"],
      ["on-demand", "3"],
    ] as const;
    return {
      name: `fake-it-${i}`,
      requirements: [
        { key: "kubernetes.io/os", operator: "In", values: ["darwin", "linux", "windows"] },
        { key: "integer", operator: "In", values: [String(cores)] },
        large ? { key: "special", operator: "In", values: ["optional"] } : { key: "special", operator: "DoesNotExist" },
        { key: "size", operator: "In", values: [large ? "large" : "small"] },
      ],
      capacity: { cpu: String(cores), memory: `${2 * cores}Gi`, pods: thousands(10 * cores) },
      overhead: { kubeReserved: { cpu: "100m", memory: "10Mi" } },
      offerings: ways.map(([capacityType, zone]) => ({ zone: `test-zone-${zone}`, capacityType, price })),
    };
  });
}

export const mixPool = {
  kind: "NodePool",
  apiVersion: "karpenter.sh/v1",
  metadata: { name: "default" },
  spec: {
    template: {
      metadata: {},
      spec: {
        requirements: null,
        nodeClassRef: { kind: "TestNodeClass", name: "default", group: "karpenter.test.sh" },
        expireAfter: "Never",
      },
    },
    disruption: {
      consolidateAfter: "0s",
      consolidationPolicy: "WhenEmptyOrUnderutilized",
      budgets: [{ nodes: "100%" }],
    },
    limits: { cpu: "10M", memory: "10000000Gi" },
  },
  status: { nodes: null },
};

/** In the order in which the peer draws, since each draw moves the sequence on. */
class PodMaker {
  readonly pods: object[] = [];
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  letter(): string {
    return letters[this.#random.below(letters.length)] ?? "";
  }

  add(kind: string, labels: Readonly<Record<string, string>>, rules: object): void {
    const cpu = cpus[this.#random.below(cpus.length)] ?? 0;
    const memory = mems[this.#random.below(mems.length)] ?? 0;
    const requests = { cpu: cpuText(cpu), memory: memoryText(memory) };
    this.pods.push({
      metadata: { name: `${kind}-${String(this.pods.length).padStart(5, "0")}`, labels },
      spec: { containers: [{ name: "main", image: "pause", resources: { requests } }], ...rules },
      status: {},
    });
  }
}

function mixPods(count: number, seed: number): readonly object[] {
  const maker = new PodMaker(seed);
  const each = Math.floor(count / 5);
  const times = (n: number, make: () => void): void => {
    for (let i = 0; i < n; i++) make();
  };
  const plain = () => maker.add("generic", { "my-label": maker.letter() }, {});
  const spread = (kind: string, topologyKey: string) => () => {
    const labels = { "my-label": maker.letter() };
    const labelSelector = { matchLabels: { "my-label": maker.letter() } };
    const constraint = { maxSkew: 1, topologyKey, whenUnsatisfiable: "DoNotSchedule", labelSelector };
    maker.add(kind, labels, { topologySpreadConstraints: [constraint] });
  };
  const company = (rule: string, labels: Readonly<Record<string, string>>, topologyKey: string) => ({
    affinity: {
      [rule]: {
        requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels: labels }, topologyKey }],
      },
    },
  });
  times(each, plain);
  times(each, spread("zonal", zoneKey));
  times(each, spread("host", hostKey));
  times(each, () => {
    const labels = { "my-affinity": maker.letter() };
    maker.add("affinity", labels, company("podAffinity", labels, zoneKey));
  });
  times(each, () => maker.add("anti", { app: "nginx" }, company("podAntiAffinity", { app: "nginx" }, hostKey)));
  times(count - 5 * each, plain);
  return maker.pods;
}

export function generatedMix(pods: number, types: number, seed: number): object {
  return {
    options: { wellKnownLabels: ["size", "special", "integer"] },
    nodePools: [mixPool],
    instanceTypes: mixTypes(types),
    pods: mixPods(pods, seed),
  };
}

function cpuText(millis: number): string {
  return millis % 1000 === 0 ? String(millis / 1000) : `${millis}m`;
}

/** As Go writes a quantity. */
function thousands(count: number): string {
  return count % 1000 === 0 ? `${count / 1000}k` : String(count);
}

function memoryText(mebibytes: number): string {
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}
