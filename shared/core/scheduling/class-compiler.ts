/**
 * Compiles pods into the parts of their classes. Each part is compiled once for all pods that are written alike in it.
 * Karpenter counterpart: scheduler.go, updateCachedPodData, once a pod.
 */
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import { labelOf } from "#api/label-selector.ts";
import type { Resources } from "../instance-type.ts";
import { objectName } from "../object-ref.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type NodeAsk, nodeAsk } from "./node-ask.ts";
import type { ClassContext, PodClass } from "./pod-class.ts";
import { nodeTextOf, resourcesTextOf } from "./pod-shape.ts";
import { type RelaxationStep, relaxationSteps } from "./relaxation.ts";
import { podRequests, sum } from "./resources.ts";
import { identityText } from "./topology/group-index.ts";
import { statedRules } from "./topology/pod-rules.ts";
import { identityOf, type PodIdentity, PodSelectors } from "./topology/pod-selector.ts";
import { type RuleLadder, ruleLadder } from "./topology/rule-ladder.ts";
import { unsupportedRule } from "./unsupported.ts";
import { noVolumeNeeds, type VolumeNeeds, type VolumeNeedsByPod } from "./volumes/volume-needs.ts";

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

export class ClassCompiler {
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
