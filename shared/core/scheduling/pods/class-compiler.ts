/**
 * Compiles pods into the parts of their classes. Each part is compiled once for all pods that are written alike in it.
 * Karpenter counterpart: scheduler.go, updateCachedPodData, once a pod.
 */
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import { labelOf } from "#api/label-selector.ts";
import type { Resources } from "../../instance-type.ts";
import { objectName } from "../../object-ref.ts";
import { type NodeAsk, nodeAsk } from "../requirements/node-ask.ts";
import { type RelaxationStep, relaxationSteps } from "../requirements/relaxation.ts";
import { podRequests, sum } from "../resources/resources.ts";
import { identityText } from "../topology/group-index.ts";
import { statedRules } from "../topology/pod-rules.ts";
import { identityOf, type PodIdentity, PodSelectors } from "../topology/pod-selector.ts";
import { type RuleLadder, ruleLadder } from "../topology/rule-ladder.ts";
import { noVolumeNeeds, type VolumeNeeds, type VolumeNeedsByPod } from "../volumes/volume-needs.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { PairNumbers } from "./pair-numbers.ts";
import type { ClassContext, PodClass } from "./pod-class.ts";
import { nodeTextOf, resourcesTextOf } from "./pod-shape.ts";
import { unsupportedRule } from "./unsupported.ts";

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
  /** Equal for pods that ask the same of nodes and of other pods. */
  readonly ask: number;
  /** Equal for pods of one class. */
  readonly number: number;
}

interface Numbered<T> {
  readonly one: T;
  readonly number: number;
}

/** The number of the rules between pods of a pod that states none. */
export const noRules = 0;

/** Things that are made once for each key, and numbered. */
class Interned<T, Key = string> {
  readonly #byKey = new Map<Key, Numbered<T>>();
  readonly #byCanonical = new Map<string, Numbered<T>>();

  get(key: Key): Numbered<T> | undefined {
    return this.#byKey.get(key);
  }

  /** `key`: as written; `canonical`: where those that mean the same meet again. */
  add(key: Key, made: T, canonical: string): Numbered<T> {
    let known = this.#byCanonical.get(canonical);
    if (known === undefined) {
      known = { one: made, number: this.#byCanonical.size };
      this.#byCanonical.set(canonical, known);
    }
    this.#byKey.set(key, known);
    return known;
  }
}

export class ClassCompiler {
  readonly #context: ClassContext;
  readonly #labelKeys: readonly string[] | undefined;
  readonly #selectors: PodSelectors;
  readonly #resources = new Interned<ResourceAsk>();
  readonly #nodes = new Interned<NodeAsk>();
  readonly #ladders = new Interned<RuleLadder, number>();
  readonly #identities = new Interned<PodIdentity>();
  readonly #requests = new Interned<Resources>();
  readonly #volumes = new Map([["", 0]]);
  readonly #steps = new Map<number, readonly RelaxationStep[]>();
  readonly #stated = new PairNumbers();
  readonly #asks = new PairNumbers();
  readonly #needs = new PairNumbers();
  readonly #wants = new PairNumbers();
  readonly #classes = new PairNumbers();

  /** `labelKeys`: the labels that rules between pods see. */
  constructor(context: ClassContext, labelKeys: readonly string[] | undefined) {
    this.#context = context;
    this.#labelKeys = labelKeys;
    this.#selectors = context.selectors ?? new PodSelectors([]);
  }

  /** `rules`: number of what it states of other pods, equal for equal texts. */
  partsOf(pod: Pod, rules: number): Parts {
    const { spec } = pod;
    const volumes = needsOf(pod, this.#context.volumes ?? noVolumeNeeds);
    const resources = this.#resourcesOf(spec);
    const node = this.#nodeOf(spec);
    const identity = this.#identityOf(pod);
    const ladder = this.#ladderOf(spec, rules, identity);
    const needs = this.#needs.of(resources.number, this.#volumesNumber(volumes));
    const ask = this.#asks.of(node.number, ladder.number);
    const number = this.#classes.of(this.#wants.of(needs, ask), identity.number);
    return { resources, node, ladder, identity, volumes, ask, number };
  }

  classOf({ resources, node, ladder, identity, volumes, ask }: Parts): Omit<PodClass, "pods"> {
    const { hostPorts, unsupported } = resources.one;
    let steps = this.#steps.get(ask);
    if (steps === undefined) {
      steps = relaxationSteps(node.one, ladder.one, this.#context.preferNoScheduleTaints);
      this.#steps.set(ask, steps);
    }
    const requests = this.#requestsOf(resources.one, volumes);
    const parts = { node: node.one, ladder: ladder.one, identity: identity.one };
    return { requests, hostPorts, ...parts, steps, volumes, unsupported };
  }

  #volumesNumber(volumes: VolumeNeeds | undefined): number {
    const text = volumes?.text ?? "";
    if (text === "") return 0;
    let number = this.#volumes.get(text);
    if (number === undefined) {
      number = this.#volumes.size;
      this.#volumes.set(text, number);
    }
    return number;
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

  #ladderOf(spec: PodSpec, rules: number, identity: Numbered<PodIdentity>): Numbered<RuleLadder> {
    // Without rules it is the same for whomever; what rules mean depends on who states them.
    const stated = rules === noRules ? this.#stated.of(noRules, noRules) : this.#stated.of(rules, identity.number);
    const known = this.#ladders.get(stated);
    if (known !== undefined) return known;
    const ladder = ruleLadder(statedRules(spec, identity.one, this.#selectors), this.#context.preferencePolicy);
    return this.#ladders.add(stated, ladder, ladder.text);
  }
}

/** Where no rule sees pods, they are all alike. */
const nobody: Numbered<PodIdentity> = { one: { namespace: "", labels: {} }, number: 0 };

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
