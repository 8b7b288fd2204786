/**
 * An oracle: a pod's ports, selectors and terms, written from Kubernetes' rules and apart from
 * shared/core/scheduling/pods/pod-class.ts on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { LabelSelector, LabelSelectorRequirement } from "#api/core-v1/meta.ts";
import type { Pod, PodAffinityTerm, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import { compileSelector } from "#api/label-selector.ts";
import { controllerOf } from "../controllers/ownership.ts";
import { type Amounts, podRequests } from "./pod-requests.ts";

type Labels = Readonly<Record<string, string>>;

/** An affinity term of one pod, ready to be asked about other pods. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly weight: number;
  readonly selects: (pod: Pod, namespaceLabels: (namespace: string) => Labels) => boolean;
}

export interface SpreadConstraint {
  readonly spec: TopologySpreadConstraint;
  readonly selects: (pod: Pod) => boolean;
}

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

/** A pod with everything that scheduling asks of it read once. */
export interface PodInfo {
  readonly pod: Pod;
  /** UID of the ReplicaSet, StatefulSet, … that the pod is one of. */
  readonly controller: string | undefined;
  readonly requests: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
  readonly spreads: readonly SpreadConstraint[];
}

export function podInfo(pod: Pod): PodInfo {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const required = (terms: readonly PodAffinityTerm[] = []): readonly AffinityTerm[] =>
    terms.map((term) => compileTerm(term, 1, pod));
  const preferred = (
    terms: readonly { readonly weight: number; readonly podAffinityTerm: PodAffinityTerm }[] = [],
  ): readonly AffinityTerm[] => terms.map(({ weight, podAffinityTerm }) => compileTerm(podAffinityTerm, weight, pod));
  return {
    pod,
    controller: controllerOf(pod)?.uid,
    requests: podRequests(pod),
    hostPorts: hostPortsOf(pod),
    affinity: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    spreads: (pod.spec.topologySpreadConstraints ?? []).map((spec) => compileSpread(spec, pod)),
  };
}

function compileTerm(term: PodAffinityTerm, weight: number, pod: Pod): AffinityTerm {
  const own = pod.metadata.labels ?? {};
  const { matchLabelKeys = [], mismatchLabelKeys = [], namespaces = [], namespaceSelector } = term;
  const extra = [...expressions(matchLabelKeys, own, "In"), ...expressions(mismatchLabelKeys, own, "NotIn")];
  const selects = compileSelector(withExpressions(term.labelSelector, extra));
  const selectsNamespace = namespaceSelector === undefined ? () => false : compileSelector(namespaceSelector);
  const ownNamespace = namespaces.length === 0 && namespaceSelector === undefined ? pod.metadata.namespace : undefined;
  const named = new Set(ownNamespace === undefined ? namespaces : [ownNamespace]);
  return {
    topologyKey: term.topologyKey,
    weight,
    selects: (other, namespaceLabels) => {
      const namespace = other.metadata.namespace ?? "default";
      if (!named.has(namespace) && !selectsNamespace(namespaceLabels(namespace))) return false;
      return selects(other.metadata.labels ?? {});
    },
  };
}

function compileSpread(spec: TopologySpreadConstraint, pod: Pod): SpreadConstraint {
  const extra = expressions(spec.matchLabelKeys ?? [], pod.metadata.labels ?? {}, "In");
  const selects = compileSelector(withExpressions(spec.labelSelector, extra));
  return {
    spec,
    selects: ({ metadata }) => metadata.namespace === pod.metadata.namespace && selects(metadata.labels ?? {}),
  };
}

/** Keys that the pod lacks are ignored. */
function expressions(
  keys: readonly string[],
  labels: Labels,
  operator: "In" | "NotIn",
): readonly LabelSelectorRequirement[] {
  return keys.flatMap((key) => {
    const value = labels[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
}

function withExpressions(
  selector: LabelSelector | undefined,
  extra: readonly LabelSelectorRequirement[],
): LabelSelector | undefined {
  if (selector === undefined || extra.length === 0) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...extra] };
}

function hostPortsOf(pod: Pod): readonly HostPort[] {
  const sidecars = (pod.spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...sidecars, ...pod.spec.containers].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, containerPort, protocol = "TCP", hostIP = "" }) => {
      const port = hostPort ?? (pod.spec.hostNetwork === true ? containerPort : 0);
      return port > 0 ? [{ port, protocol, ip: hostIP === "" ? "0.0.0.0" : hostIP }] : [];
    }),
  );
}
