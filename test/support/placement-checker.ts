/**
 * Is a placement right? Slow, obvious and independent: it shares no code with the scheduler. It takes a claim as it will
 * be written, makes every node that it may be launched as (each named type in each available offering that the claim's
 * requirements allow), and asks of each whether all the pods could run there by kube-scheduler's rules.
 */
import type { NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { InstanceType } from "#core/instance-type.ts";

type Labels = Readonly<Record<string, string>>;

interface PossibleNode {
  readonly name: string;
  readonly labels: Labels;
  readonly allocatable: Readonly<Record<string, number>>;
}

/** Labels and room of one existing node, with its remaining amounts as allocatable. */
export function nodePlacementComplaints(
  node: { readonly name: string; readonly labels: Labels; readonly allocatable: Readonly<Record<string, number>> },
  taints: readonly Taint[],
  pods: readonly Pod[],
): readonly string[] {
  return nodeComplaints(node, taints, pods, []);
}

/** What is wrong with the pods on that claim; empty when nothing is. `daemons`: pods that will run on every such node. */
export function claimComplaints(
  claim: NodeClaim,
  pods: readonly Pod[],
  types: readonly InstanceType[],
  daemons: readonly Pod[] = [],
): readonly string[] {
  const nodes = possibleNodes(claim, types);
  const named = claim.spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values ?? [];
  const useless = named.filter((name) => !nodes.some((node) => node.name.startsWith(`${name} `)));
  return [
    ...(nodes.length === 0 ? ["it cannot be launched as anything"] : []),
    ...useless.map((name) => `${name} is named although it cannot be launched`),
    ...nodes.flatMap((node) => nodeComplaints(node, claim.spec.taints ?? [], pods, daemons)),
  ];
}

function possibleNodes(claim: NodeClaim, types: readonly InstanceType[]): readonly PossibleNode[] {
  return types.flatMap((type) =>
    type.offerings
      .filter(({ available }) => available)
      .map(({ zone, capacityType }) => {
        const labels: Record<string, string> = { ...claim.metadata.labels };
        for (const { key, operator, values = [] } of type.requirements) {
          if (operator === "In" && values.length === 1) labels[key] = values[0] ?? "";
        }
        labels["topology.kubernetes.io/zone"] = zone;
        labels["karpenter.sh/capacity-type"] = capacityType;
        return { name: `${type.name} ${zone} ${capacityType}`, labels, allocatable: type.allocatable };
      })
      .filter(({ labels }) => claim.spec.requirements.every((requirement) => meets(labels, requirement))),
  );
}

function nodeComplaints(
  node: PossibleNode,
  taints: readonly Taint[],
  pods: readonly Pod[],
  daemons: readonly Pod[],
): readonly string[] {
  const complaints = [
    ...roomComplaints(node, [...pods, ...daemons]),
    ...pods.flatMap((pod) => podComplaints(node, taints, pod)),
    ...portComplaints(pods),
  ];
  return complaints.map((complaint) => `${node.name}: ${complaint}`);
}

function roomComplaints(node: PossibleNode, pods: readonly Pod[]): readonly string[] {
  const used: Record<string, number> = {};
  for (const pod of pods) {
    for (const [name, asked] of Object.entries(requestsOf(pod))) used[name] = (used[name] ?? 0) + asked;
  }
  return Object.entries(used)
    .filter(([name, asked]) => asked > (node.allocatable[name] ?? 0))
    .map(([name, asked]) => `${name} ${asked} > ${node.allocatable[name] ?? 0}`);
}

function podComplaints(node: PossibleNode, taints: readonly Taint[], pod: Pod): readonly string[] {
  const hard = taints.filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerated(taint, pod.spec.tolerations ?? []),
  );
  return [
    ...(selects(pod, node.labels) ? [] : [`${pod.metadata.name} does not select ${JSON.stringify(node.labels)}`]),
    ...hard.map(({ key }) => `${pod.metadata.name} does not tolerate ${key}`),
  ];
}

function portComplaints(pods: readonly Pod[]): readonly string[] {
  const ports = pods
    .flatMap(({ spec }) => spec.containers)
    .flatMap((container) => container.ports ?? [])
    .filter(({ hostPort }) => hostPort !== undefined)
    .map(({ protocol, hostPort }) => `${protocol ?? "TCP"} ${hostPort}`);
  return ports.filter((port, i) => ports.indexOf(port) !== i).map((port) => `port ${port} is taken twice`);
}

function selects({ spec }: Pod, labels: Labels): boolean {
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms === undefined || terms.some((term) => termMatches(term, labels));
}

function termMatches(term: NodeSelectorTerm, labels: Labels): boolean {
  const expressions: readonly NodeSelectorRequirement[] = term.matchExpressions ?? [];
  return expressions.length > 0 && expressions.every((expression) => meets(labels, expression));
}

function meets(labels: Labels, { key, operator, values = [] }: RequirementSpec): boolean {
  const value = labels[key];
  const bound = Number(values[0]);
  const n = value !== undefined && /^-?[0-9]+$/.test(value) ? Number(value) : Number.NaN;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return n > bound;
    case "Lt":
      return n < bound;
    case "Gte":
      return n >= bound;
    default:
      return n <= bound;
  }
}

function tolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(({ key, operator = "Equal", value, effect }) => {
    if (effect !== undefined && effect !== taint.effect) return false;
    if (operator === "Exists") return key === undefined || key === taint.key;
    return key === taint.key && (value ?? "") === (taint.value ?? "");
  });
}

/** Milli-CPU, bytes, counts; containers only. */
function requestsOf(pod: Pod): Readonly<Record<string, number>> {
  const total: Record<string, number> = { pods: 1 };
  for (const { resources } of pod.spec.containers) {
    for (const [name, text] of Object.entries(resources?.requests ?? {})) {
      total[name] = (total[name] ?? 0) + amount(name, text);
    }
  }
  return total;
}

function amount(name: string, text: string): number {
  const [, digits = "0", suffix = ""] = /^([0-9.]+)([A-Za-z]*)$/.exec(text) ?? [];
  const factors: Readonly<Record<string, number>> = { "": 1, m: 0.001, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
  const value = Number(digits) * (factors[suffix] ?? Number.NaN);
  return name === "cpu" ? Math.round(value * 1000) : value;
}
