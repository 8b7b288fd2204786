/**
 * Pods that scheduling cannot tell apart form one class; each rule is looked at once a class, and a pod costs a few texts
 * and map look-ups. Labels count as far as some rule between pods reads them. Karpenter counterpart: none; its PodData
 * (scheduling/scheduler.go) is made for every pod.
 */
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import { labelOf } from "#api/label-selector.ts";
import type { Resources } from "../instance-type.ts";
import { objectName } from "../object-ref.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type NodeAsk, nodeAsk } from "./node-ask.ts";
import { nodeTextOf, resourcesTextOf, rulesTextOf } from "./pod-shape.ts";
import { type RelaxationRules, type RelaxationStep, relaxationSteps } from "./relaxation.ts";
import { podRequests, sum } from "./resources.ts";
import { identityText } from "./topology/group-index.ts";
import { labelKeysOfRules, statedRules } from "./topology/pod-rules.ts";
import { identityOf, type PodIdentity, PodSelectors } from "./topology/pod-selector.ts";
import { type RuleLadder, ruleLadder } from "./topology/rule-ladder.ts";
import { unsupportedRule } from "./unsupported.ts";
import { noVolumeNeeds, type VolumeNeeds, type VolumeNeedsByPod } from "./volumes/volume-needs.ts";

/** Parts that classes share are one object each. */
export interface PodClass {
  /** The oldest first. */
  readonly pods: readonly Pod[];
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly node: NodeAsk;
  /** What they ask of other pods. */
  readonly ladder: RuleLadder;
  readonly steps: readonly RelaxationStep[];
  /** What rules of other pods see of them. */
  readonly identity: PodIdentity;
  /** Undefined: no volume that matters. Where the volumes are narrows the node, not what the pod itself asks for. */
  readonly volumes: VolumeNeeds | undefined;
  /** Set: these pods are refused because of it. */
  readonly unsupported: string | undefined;
}

export interface ClassContext extends RelaxationRules {
  readonly volumes?: VolumeNeedsByPod;
  readonly selectors?: PodSelectors;
  /** Label keys that rules of running pods read; absent: there are no such rules. */
  readonly labelKeys?: readonly string[];
}

/**
 * The classes in the order in which they are placed: much CPU first, then much memory (as Karpenter's queue), then the
 * class of the oldest pod. Pods within a class and the order do not depend on the order of `pods`.
 */
export function podClasses(pods: readonly Pod[], context: ClassContext): readonly PodClass[] {
  const rulesTexts = pods.map(({ spec }) => rulesTextOf(spec));
  const compiler = new ClassCompiler(context, labelKeysOf(pods, rulesTexts, context));
  const classes = new Map<string, { readonly made: Omit<PodClass, "pods">; readonly pods: Pod[] }>();
  for (const [i, pod] of pods.entries()) {
    const parts = compiler.partsOf(pod, rulesTexts[i] ?? "");
    const known = classes.get(parts.text);
    if (known !== undefined) known.pods.push(pod);
    else classes.set(parts.text, { made: compiler.classOf(parts), pods: [pod] });
  }
  return [...classes.values()]
    .map(({ made, pods: members }) => ({ ...made, pods: sorted(members, byAge) }))
    .sort(byDemand);
}

/** Older first; then by UID and name, so that the order is total. */
export function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata, b.metadata];
  return (
    compare(first.creationTimestamp, second.creationTimestamp) ||
    compare(first.uid, second.uid) ||
    compare(first.namespace, second.namespace) ||
    compare(first.name, second.name)
  );
}

function byDemand(a: PodClass, b: PodClass): number {
  const [first, second] = [a.pods[0], b.pods[0]];
  return (
    (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
    (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
    (first === undefined || second === undefined ? 0 : byAge(first, second))
  );
}

/** Keys that some rule between pods reads, sorted; undefined when there is no such rule. */
function labelKeysOf(
  pods: readonly Pod[],
  rulesTexts: readonly string[],
  { labelKeys }: ClassContext,
): readonly string[] | undefined {
  const keys = new Set(labelKeys);
  const seen = new Set<string>();
  for (const [i, { spec }] of pods.entries()) {
    const text = rulesTexts[i] ?? "";
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    for (const key of labelKeysOfRules(spec)) keys.add(key);
  }
  return labelKeys === undefined && seen.size === 0 ? undefined : [...keys].sort();
}

interface ResourceAsk {
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly unsupported: string | undefined;
}

interface Parts {
  readonly resources: Numbered<ResourceAsk>;
  readonly node: Numbered<NodeAsk>;
  readonly ladder: Numbered<RuleLadder>;
  readonly identity: Numbered<PodIdentity>;
  readonly volumes: VolumeNeeds | undefined;
  /** Equal for pods of one class. */
  readonly text: string;
}

interface Numbered<T> {
  readonly one: T;
  readonly number: number;
}

/** Things that are made once for each text, and numbered. */
class Interned<T> {
  readonly #byText = new Map<string, Numbered<T>>();
  readonly #byCanonical = new Map<string, Numbered<T>>();

  get(text: string): Numbered<T> | undefined {
    return this.#byText.get(text);
  }

  /** `text`: as written; `canonical`: where those that mean the same meet again. */
  add(text: string, made: T, canonical: string): Numbered<T> {
    const known = this.#byCanonical.get(canonical) ?? { one: made, number: this.#byCanonical.size };
    this.#byCanonical.set(canonical, known);
    this.#byText.set(text, known);
    return known;
  }
}

class ClassCompiler {
  readonly #context: ClassContext;
  readonly #labelKeys: readonly string[] | undefined;
  readonly #selectors: PodSelectors;
  readonly #resources = new Interned<ResourceAsk>();
  readonly #nodes = new Interned<NodeAsk>();
  readonly #ladders = new Interned<RuleLadder>();
  readonly #identities = new Interned<PodIdentity>();
  readonly #requests = new Interned<Resources>();
  readonly #steps = new Map<string, readonly RelaxationStep[]>();

  /** `labelKeys`: the labels that rules between pods see. */
  constructor(context: ClassContext, labelKeys: readonly string[] | undefined) {
    this.#context = context;
    this.#labelKeys = labelKeys;
    this.#selectors = context.selectors ?? new PodSelectors([]);
  }

  /** `rulesText`: of its rules between pods. */
  partsOf(pod: Pod, rulesText: string): Parts {
    const { spec } = pod;
    const volumes = needsOf(pod, this.#context.volumes ?? noVolumeNeeds);
    const resources = this.#resourcesOf(spec);
    const node = this.#nodeOf(spec);
    const identity = this.#identityOf(pod);
    const ladder = this.#ladderOf(spec, rulesText, identity);
    const text = `${resources.number} ${node.number} ${ladder.number} ${identity.number} ${volumes?.text ?? ""}`;
    return { resources, node, ladder, identity, volumes, text };
  }

  classOf({ resources, node, ladder, identity, volumes }: Parts): Omit<PodClass, "pods"> {
    const { hostPorts, unsupported } = resources.one;
    const key = `${node.number} ${ladder.number}`;
    const steps = this.#steps.get(key) ?? relaxationSteps(node.one, ladder.one, this.#context.preferNoScheduleTaints);
    this.#steps.set(key, steps);
    const requests = this.#requestsOf(resources.one, volumes);
    const parts = { node: node.one, ladder: ladder.one, identity: identity.one };
    return { requests, hostPorts, ...parts, steps, volumes, unsupported };
  }

  #requestsOf({ requests }: ResourceAsk, volumes: VolumeNeeds | undefined): Resources {
    if (volumes === undefined) return requests;
    const all = sum(requests, volumes.requests);
    const text = textOfAmounts(all);
    return (this.#requests.get(text) ?? this.#requests.add(text, all, text)).one;
  }

  #resourcesOf(spec: PodSpec): Numbered<ResourceAsk> {
    const text = resourcesTextOf(spec);
    const known = this.#resources.get(text);
    if (known !== undefined) return known;
    const ask = { requests: podRequests(spec), hostPorts: hostPortsOf(spec), unsupported: unsupportedRule(spec) };
    return this.#resources.add(text, ask, textOfResources(ask));
  }

  #nodeOf(spec: PodSpec): Numbered<NodeAsk> {
    const text = nodeTextOf(spec);
    const known = this.#nodes.get(text);
    if (known !== undefined) return known;
    const ask = nodeAsk(spec, this.#context.preferencePolicy);
    return this.#nodes.add(text, ask, ask.text);
  }

  #identityOf(pod: Pod): Numbered<PodIdentity> {
    const keys = this.#labelKeys;
    if (keys === undefined) return nobody;
    const identity = identityOf(pod);
    const text = identityText(identity, keys);
    return this.#identities.get(text) ?? this.#identities.add(text, visiblePart(identity, keys), text);
  }

  #ladderOf(spec: PodSpec, rulesText: string, identity: Numbered<PodIdentity>): Numbered<RuleLadder> {
    const text = rulesText === "" ? "" : `${identity.number} ${rulesText}`;
    const known = this.#ladders.get(text);
    if (known !== undefined) return known;
    const ladder = ruleLadder(statedRules(spec, identity.one, this.#selectors), this.#context.preferencePolicy);
    return this.#ladders.add(text, ladder, ladder.text);
  }
}

/** Where no rule sees pods, they are all alike. */
const nobody: Numbered<PodIdentity> = { one: { namespace: "", labels: {} }, number: -1 };

function visiblePart({ namespace, labels }: PodIdentity, keys: readonly string[]): PodIdentity {
  const seen = keys.flatMap((key) => {
    const value = labelOf(labels, key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { namespace, labels: Object.fromEntries(seen) };
}

function textOfResources({ requests, hostPorts, unsupported }: ResourceAsk): string {
  return JSON.stringify([textOfAmounts(requests), hostPorts, unsupported]);
}

function textOfAmounts(amounts: Resources): string {
  return JSON.stringify(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function needsOf({ metadata, spec }: Pod, byPod: VolumeNeedsByPod): VolumeNeeds | undefined {
  return byPod.size === 0 || spec.volumes === undefined ? undefined : byPod.get(objectName(metadata));
}

/** Lists mostly come sorted. */
function sorted<T>(items: T[], order: (a: T, b: T) => number): readonly T[] {
  const isSorted = items.every((item, i) => i === 0 || order(items[i - 1] ?? item, item) <= 0);
  return isSorted ? items : items.sort(order);
}

function compare(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
