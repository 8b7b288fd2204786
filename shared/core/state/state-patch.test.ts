import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nodeOf, nowMs, podOf, poolOf } from "../../../test/support/lifecycle-samples.ts";
import { disruptionMethods } from "../disruption/disruption-command.ts";
import { proposalPatches } from "../disruption/proposal.ts";
import { evictionKey, refusalsAfter, refusalsOf, refusalsText } from "../node/eviction-retry.ts";
import { familyOf, type KeyFamily, keyFamilies } from "./key-families.ts";
import { backOffPatches } from "./pool-back-off.ts";
import { rememberOutcomes } from "./registration-outcomes.ts";
import { type State, stateAfter, statePatches } from "./state-patch.ts";
import { markUnavailable } from "./unavailable-offerings.ts";

const families = Object.values<KeyFamily>(keyFamilies);
/** Kubernetes: all values of a ConfigMap together. */
const configMapBytesMax = 1_048_576;
const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");

describe("the bounds of the state", () => {
  test("all families full stay below what a ConfigMap holds", () => {
    const full = families.reduce((sum, { keysMax, bytesMax }) => sum + keysMax * bytesMax, 0);
    expect(full).toBeLessThan(configMapBytesMax);
  });

  test("no family's prefix begins another's", () => {
    for (const one of families) {
      expect(families.filter(({ prefix }) => prefix.startsWith(one.prefix))).toEqual([one]);
    }
  });

  test("a value that is too long is cut at a whole character", () => {
    const [patch] = statePatches("collection", {}, { "collection.x": "é".repeat(100) });
    const value = patch?.data["collection.x"] ?? "";
    expect(bytesOf(`collection.x${value}`)).toBeLessThanOrEqual(keyFamilies.collection.bytesMax);
    expect(value).toMatch(/^é+$/);
  });

  test("where there would be too many keys, those go first that are over first", () => {
    const soon = { "proposal.a": "1 x", "proposal.b": "3 x", "proposal.c": "2 x", "proposal.d": "9 x" };
    const patches = statePatches("proposal", soon, { "proposal.e": "5 x" });
    expect(Object.keys(stateAfter(soon, patches)).sort()).toEqual([
      "proposal.b",
      "proposal.c",
      "proposal.d",
      "proposal.e",
    ]);
  });

  test("what is there already is not written again, and a key of another family is refused", () => {
    expect(statePatches("collection", { "collection.x": "1" }, { "collection.x": "1", "collection.y": null })).toEqual(
      [],
    );
    expect(() => statePatches("collection", {}, { "proposal.x": "1" })).toThrow("no key of the family");
  });
});

/** What each owner of a family writes, given sizes beyond anything sensible. */
type Writer = (state: State, size: number, seed: number) => State;
const writers: Readonly<Record<string, Writer>> = {
  unavailable: (state, size, seed) => {
    const offerings = Array.from({ length: size * 50 }, (_, index) => ({
      instanceType: `u-24tb1.112xlarge-${seed}-${index}`,
      zone: "ap-southeast-99a",
      capacityType: "on-demand",
    }));
    return stateAfter(state, markUnavailable(state, offerings, nowMs + seed));
  },
  eviction: (state, size, seed) => {
    const pods = Array.from({ length: size }, (_, index) =>
      podOf(`p${index}`, "a", { uid: `${"f".repeat(30)}${index}` }),
    );
    const data = Array.from({ length: size * 5 }, (_, index) => {
      const node = nodeOf(`n${index}-${seed}`, { uid: `01234567-89ab-cdef-0123-${seed}-${index}` });
      const refusals = refusalsAfter(
        refusalsOf(state, node),
        { refused: pods, present: pods, isHurried: false },
        nowMs + seed,
      );
      return [evictionKey(node), refusals === undefined ? null : refusalsText(refusals)];
    });
    return stateAfter(state, statePatches("eviction", state, Object.fromEntries(data)));
  },
  registration: (state, size, seed) => {
    const outcome = { kind: "failed", reason: "LaunchFailed", message: "⚠".repeat(size * 10) } as const;
    const pools = Array.from({ length: size * 4 }, (_, index) => ({
      nodePool: poolOf(`p${index}`, { uid: `01234567-89ab-cdef-0123-${seed}-${index}` }),
      outcomes: [outcome],
    }));
    return stateAfter(state, rememberOutcomes(state, pools));
  },
  backOff: (state, size, seed) => {
    const pools = Array.from({ length: size * 5 }, (_, index) =>
      poolOf(`p${index}`, { uid: `01234567-89ab-cdef-0123-${seed}-${index}` }),
    );
    return stateAfter(state, backOffPatches(state, pools, [], nowMs + seed));
  },
  proposal: (state, size, seed) => {
    const uids = Array.from({ length: size * 10 }, (_, index) =>
      `01234567-89ab-cdef-0123-${seed}${index}`.padEnd(36, "0"),
    );
    const method = disruptionMethods[seed % disruptionMethods.length] ?? "multi";
    return stateAfter(
      state,
      proposalPatches(state, method, { atMs: nowMs + seed, shape: "replace", claimUids: new Set(uids) }),
    );
  },
};

test("whatever the owners write, every key is of a family, within its bounds, and the whole below 1 MiB", () => {
  const steps = fc.array(
    fc.record({
      writer: fc.constantFrom(...Object.values(writers)),
      size: fc.integer({ min: 0, max: 120 }),
      seed: fc.nat({ max: 9 }),
    }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(steps, (list) => {
      const state = list.reduce<State>((before, { writer, size, seed }) => writer(before, size, seed), {});
      const counts = new Map<KeyFamily, number>();
      for (const [key, value] of Object.entries(state)) {
        const family = familyOf(key);
        expect(family, key).toBeDefined();
        if (family === undefined) continue;
        expect(bytesOf(key + value)).toBeLessThanOrEqual(family.bytesMax);
        expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
        counts.set(family, (counts.get(family) ?? 0) + 1);
      }
      for (const [family, count] of counts) expect(count).toBeLessThanOrEqual(family.keysMax);
      expect(bytesOf(JSON.stringify(state))).toBeLessThan(configMapBytesMax);
    }),
    { numRuns: 15, seed: 5 },
  );
});

test("what an owner writes within its bounds it reads back whole", () => {
  const pods = Array.from({ length: 50 }, (_, index) => podOf(`p${index}`, "a"));
  const node = nodeOf("a", { uid: "01234567-89ab-cdef-0123-456789abcdef" });
  const refusals = refusalsAfter(undefined, { refused: pods, present: pods, isHurried: false }, nowMs);
  if (refusals === undefined) throw new Error("pods were refused");
  const state = stateAfter({}, statePatches("eviction", {}, { [evictionKey(node)]: refusalsText(refusals) }));
  expect(refusalsOf(state, node)).toEqual(refusals);
  const uids = Array.from({ length: 500 }, (_, index) => String(index).padStart(36, "0"));
  const [patch] = proposalPatches({}, "multi", { atMs: nowMs, shape: "delete", claimUids: new Set(uids) });
  expect(patch?.data["proposal.multi"]).toBe(`${nowMs} delete ${uids.join(",")}`);
});
