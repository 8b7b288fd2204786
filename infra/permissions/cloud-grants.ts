import type { CloudRight } from "#ports/rights.ts";
import type { Grant, GrantOptions } from "./grant.ts";
import { launchGrants } from "./launch-grants.ts";
import type { Place } from "./place.ts";
import { profileGrants } from "./profile-grants.ts";
import { readGrants } from "./read-grants.ts";

/**
 * The statements for a list of rights: the actions that the rights name, on the resources and under the conditions of
 * Karpenter's reference policy. An action that no statement knows is an error: a right must not get lost on its way.
 */
export function cloudGrants(
  rights: readonly CloudRight[],
  place: Place,
  options: GrantOptions,
  more: readonly Grant[] = [],
): readonly Grant[] {
  const wanted = new Set(rights.flatMap(({ actions }) => actions));
  const all = [...launchGrants(place, options), ...profileGrants(place), ...readGrants(place, options), ...more];
  const known = new Set(all.flatMap(({ actions }) => actions));
  const lost = [...wanted].filter((action) => !known.has(action));
  if (lost.length > 0) throw new Error(`infra/permissions has no statement for ${lost.sort().join(", ")}`);
  return all.flatMap((grant) => {
    const actions = grant.actions.filter((action) => wanted.has(action));
    return actions.length === 0 ? [] : [{ ...grant, actions }];
  });
}
