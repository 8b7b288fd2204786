/** Karpenter counterpart: none; what it keeps in memory is here a key each of one ConfigMap. */
import type { PatchState } from "../command.ts";
import { byKey, inTurn } from "../order.ts";
import { type KeyFamily, type KeyFamilyName, keyFamilies } from "./key-families.ts";

export type State = Readonly<Record<string, string>>;

/**
 * The patch that sets and removes these keys of one family, none when that changes nothing. It keeps the family's
 * bounds: a value that is too long is cut, and where there would be too many keys those go first
 * that are over first, or that the family says are worth least. What one stage decides of a family comes in one call, else
 * each call makes room for its own keys only.
 */
export function statePatches(name: KeyFamilyName, state: State, data: PatchState["data"]): readonly PatchState[] {
  const family: KeyFamily = keyFamilies[name];
  const bounded: Record<string, string | null> = {};
  for (const [key, value] of Object.entries(data)) {
    if (!key.startsWith(family.prefix)) throw new Error(`${key} is no key of the family ${name}`);
    bounded[key] = value === null ? null : cut(value, family.bytesMax - key.length);
  }
  for (const key of surplus(family, { ...state, ...bounded })) bounded[key] = null;
  const changes = Object.entries(bounded).filter(([key, value]) => (state[key] ?? null) !== value);
  return changes.length === 0 ? [] : [{ kind: "patch-state", data: Object.fromEntries(changes) }];
}

/** What the state holds after `patches`, in order. */
export function stateAfter(state: State, patches: readonly Pick<PatchState, "data">[]): State {
  const all: Record<string, string | null> = Object.assign({}, state, ...patches.map(({ data }) => data));
  return presentOf(all);
}

/** The facts that `data` sets, without those that it removes. */
export function presentOf(data: PatchState["data"]): State {
  return Object.fromEntries(Object.entries(data).filter((entry): entry is [string, string] => entry[1] !== null));
}

/** As much of the text as fits. */
function cut(text: string, bytesMax: number): string {
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += bytesOf(character.codePointAt(0) ?? 0);
    if (bytes > bytesMax) break;
    length += character.length;
  }
  return text.slice(0, length);
}

/** UTF-8: one byte for ASCII, at most four. */
function bytesOf(codePoint: number): number {
  return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
}

/** The keys that the family has too many. */
function surplus(
  { prefix, keysMax, overAtMs, worth = overAtMs }: KeyFamily,
  data: PatchState["data"],
): readonly string[] {
  const present = Object.entries(presentOf(data)).filter(([key]) => key.startsWith(prefix));
  if (present.length <= keysMax) return [];
  const order = inTurn<readonly [string, string]>(
    byKey(([, value]) => worth(value)),
    byKey(([key]) => key),
  );
  return present
    .sort(order)
    .slice(0, present.length - keysMax)
    .map(([key]) => key);
}
