/**
 * What the claims of a lane may become for pods whose rules ask for domains. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topology.go, AddRequirements, asked for every claim and every pod. It differs: asked
 * once for all claims of a lane.
 */

import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { ClassRules } from "../topology/class-rules.ts";
import { allowsAsIs, type DomainChoices } from "../topology/domain-choice.ts";
import type { PlacedClaim } from "./claim-lanes.ts";
import type { DomainDraw } from "./domain-draw.ts";
import type { LaneEntry } from "./step-lanes.ts";

export class LaneDomains {
  readonly #choices: DomainChoices;
  readonly #draw: DomainDraw | undefined;

  /** `draw`: domains are drawn, and no others tried. */
  constructor(choices: DomainChoices, draw: DomainDraw | undefined) {
    this.#choices = choices;
    this.#draw = draw;
  }

  /** As counts are now, the emptiest domains first. */
  setsOf({ rules }: Step, { targets, sets }: LaneEntry): readonly RequirementSet[] {
    if (rules.byKey.length === 0) return sets;
    const first = targets[0];
    const isOpen = first === undefined || targets.length > 1 || !isSettled(rules, first.whereabouts.domains);
    if (isOpen || this.#draw !== undefined) return this.#chosen(rules, targets);
    return allowsAsIs(rules, first.whereabouts) ? sets : [];
  }

  #chosen(rules: ClassRules, targets: LaneEntry["targets"]): readonly RequirementSet[] {
    const draw = this.#draw;
    if (draw !== undefined) {
      return targets.flatMap(({ set, whereabouts }) => this.#choices.drawn(rules, set, whereabouts, draw) ?? []);
    }
    const choices = targets.flatMap(({ set, whereabouts }) => this.#choices.of(rules, set, whereabouts));
    if (choices.length > 1) choices.sort((a, b) => a.load - b.load);
    return choices.map(({ set }) => set);
  }
}

function isSettled({ byKey }: ClassRules, domains: PlacedClaim["whereabouts"]["domains"]): boolean {
  for (let i = 0; i < byKey.length; i++) if ((domains[byKey[i]?.index ?? -1]?.length ?? 0) > 1) return false;
  return true;
}
