/**
 * To which domains a node must be narrowed so that it can take a pod of a class. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, AddRequirements. It differs: each choice of domains is tried, the
 * emptiest first, where Karpenter knows one; a pod that only wants to be alone leaves open which of the free domains, and
 * one that wants company which of those that have it.
 */
import type { DomainDraw } from "../claims/domain-draw.ts";
import { allowsValue, valueRequirement } from "../requirements/requirement.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { ClassRules, KeyChecks } from "./class-rules.ts";
import { allowsDomain, loadOf } from "./domain-check.ts";
import type { TopologyKeys } from "./topology-key.ts";
import type { Whereabouts } from "./whereabouts.ts";

/** A node narrowed to one choice of domains. */
export interface Choice {
  readonly set: RequirementSet;
  /** Pods of the class's spreads in these domains. */
  readonly load: number;
}

/** With more combinations than this the fuller domains are left out. */
const choicesMax = 64;

/** A node that is there, or a claim that can be anything that `where` says: may it take one as it is? */
export function allowsAsIs({ byKey }: ClassRules, where: Whereabouts): boolean {
  for (const checks of byKey) {
    const domains = where.domains[checks.index] ?? [];
    // A node without the label is in no domain: nothing keeps pods apart there, nothing can be near.
    if (domains.length === 0 && checks.settles) return false;
    if (domains.length > 1 && checks.settles && !mayStayOpen(checks, domains)) return false;
    for (const domain of domains) if (!allowsDomain(checks, domain)) return false;
  }
  return true;
}

/** Whichever of the domains it comes to be, the pods it wants to be near are there. */
function mayStayOpen({ spreads, nears }: KeyChecks, domains: readonly number[]): boolean {
  return spreads.length === 0 && nears.every(({ counts }) => domains.every((domain) => counts.at(domain) > 0));
}

export class DomainChoices {
  readonly #keys: TopologyKeys;
  readonly #sets: RequirementSets;
  readonly #pins = new Map<string, RequirementSet>();

  constructor(keys: TopologyKeys, sets: RequirementSets) {
    this.#keys = keys;
    this.#sets = sets;
  }

  /** The emptiest first, then by the domains' names; none: no choice is allowed. */
  of({ byKey }: ClassRules, set: RequirementSet, where: Whereabouts): readonly Choice[] {
    let choices: readonly Choice[] = [{ set, load: 0 }];
    for (const checks of byKey) {
      const pins = this.#pinsOf(checks, where.domains[checks.index] ?? []);
      choices = choices.flatMap((choice) => this.#narrowed(choice, pins)).slice(0, choicesMax);
    }
    return choices.length <= 1 ? choices : [...choices].sort((a, b) => a.load - b.load);
  }

  /**
   * As Karpenter chooses: one of the emptiest domains that the labels allow, by lot and whether something can be launched
   * there or not; undefined: it cannot be had.
   */
  drawn({ byKey }: ClassRules, set: RequirementSet, where: Whereabouts, draw: DomainDraw): RequirementSet | undefined {
    let chosen: RequirementSet | undefined = set;
    for (const checks of byKey) {
      const pin = draw.of(this.#emptiest(checks, set, where.domains[checks.index] ?? []));
      if (pin === undefined) return undefined;
      if (pin.set !== undefined) chosen = this.#sets.narrow(chosen, pin.set);
      if (chosen === undefined) return undefined;
    }
    return chosen;
  }

  /** Pins to the least full domains; those where nothing can be launched are pins too. */
  #emptiest(checks: KeyChecks, set: RequirementSet, domains: readonly number[]): readonly (Pin | undefined)[] {
    if (!checks.settles || checks.spreads.length === 0) return this.#pinsOf(checks, domains);
    const key = this.#keys.list[checks.index];
    const asked = set.requirements.get(key?.name ?? "");
    const all = Array.from({ length: key?.foreknown ?? 0 }, (_, domain) => domain);
    const allowed = all.filter(
      (domain) =>
        (asked === undefined || allowsValue(asked, key?.valueOf(domain) ?? "")) && allowsDomain(checks, domain),
    );
    const least = Math.min(...allowed.map((domain) => loadOf(checks, domain)));
    return allowed
      .filter((domain) => loadOf(checks, domain) === least)
      .map((domain) =>
        domains.includes(domain) ? { set: this.#pin(checks.index, [domain]), load: least } : undefined,
      );
  }

  /** A claim narrowed to each of its domains of one key, by the domains' names. */
  each(
    set: RequirementSet,
    where: Whereabouts,
    index: number,
  ): readonly { readonly set: RequirementSet; readonly domain: number }[] {
    return (where.domains[index] ?? []).flatMap((domain) => {
      const narrowed = this.#sets.narrow(set, this.#pin(index, [domain]));
      return narrowed === undefined ? [] : [{ set: narrowed, domain }];
    });
  }

  #narrowed({ set, load }: Choice, pins: readonly Pin[]): readonly Choice[] {
    return pins.flatMap((pin) => {
      const narrowed = pin.set === undefined ? set : this.#sets.narrow(set, pin.set);
      return narrowed === undefined ? [] : [{ set: narrowed, load: load + pin.load }];
    });
  }

  #pinsOf(checks: KeyChecks, domains: readonly number[]): readonly Pin[] {
    if (domains.length === 0) return checks.settles ? [] : [asItIs];
    const allowed = domains.filter((domain) => allowsDomain(checks, domain));
    if (allowed.length === 0) return [];
    if (!checks.settles || mayStayOpen(checks, allowed)) {
      return allowed.length === domains.length ? [asItIs] : [{ set: this.#pin(checks.index, allowed), load: 0 }];
    }
    return allowed
      .map((domain) => ({
        set: domains.length === 1 ? undefined : this.#pin(checks.index, [domain]),
        load: loadOf(checks, domain),
      }))
      .sort((a, b) => a.load - b.load);
  }

  #pin(index: number, domains: readonly number[]): RequirementSet {
    const text = `${index} ${domains.join()}`;
    const known = this.#pins.get(text);
    if (known !== undefined) return known;
    const key = this.#keys.list[index];
    const name = key?.name ?? "";
    const values = domains.map((domain) => key?.valueOf(domain) ?? "").sort();
    const pin = this.#sets.intern(new Map([[name, { ...valueRequirement(name, ""), values }]]));
    this.#pins.set(text, pin);
    return pin;
  }
}

interface Pin {
  /** Undefined: the node stays as it is. */
  readonly set: RequirementSet | undefined;
  readonly load: number;
}

const asItIs: Pin = { set: undefined, load: 0 };
