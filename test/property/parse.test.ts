/** The door never throws and never does half a job, whatever JSON comes. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isKnownKind, type KnownKind, kinds } from "#api/kinds.ts";
import { itemsOf, parseObject } from "#api/parse.ts";
import { placesOf, replaced } from "../support/replacing.ts";
import { sampleObjects } from "../support/sample-objects.ts";

const seed = 20_260_131;
const names = Object.keys(kinds).filter(isKnownKind);

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null)
    for (const part of Object.values(Object.freeze(value))) deepFrozen(part);
  return value;
}

describe("parseObject", () => {
  test("takes any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(["problems", "unknown"]).toContain(parseObject(value).kind);
        for (const item of itemsOf(value)) parseObject(item.value);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("takes any JSON value as the rest of an object of a known kind", () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.dictionary(fc.string(), fc.jsonValue()), (kind, rest) => {
        const { apiVersion } = kinds[kind];
        const parsed = parseObject({ metadata: { name: "a" }, spec: rest, status: rest, ...rest, apiVersion, kind });
        expect(["object", "problems"]).toContain(parsed.kind);
      }),
      { seed, numRuns: 500 },
    );
  });

  test("takes any JSON value at any place of a valid object, changes nothing in it, and says what is wrong or is done", () => {
    const places = new Map(
      names.map((kind): [KnownKind, ReturnType<typeof placesOf>] => [kind, placesOf(sampleObjects[kind])]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.jsonValue({ maxDepth: 3 }), (kind, choice, value) => {
        const all = places.get(kind) ?? [];
        const object = deepFrozen(replaced(sampleObjects[kind], all[choice % all.length] ?? [], value));
        const parsed = parseObject(object);
        if (parsed.kind === "problems") expect(parsed.problems.length).toBeGreaterThan(0);
        if (parsed.kind !== "object") return;
        const again = parseObject(deepFrozen(parsed.object));
        expect(again.kind === "object" && again.object).toBe(parsed.object);
      }),
      { seed, numRuns: 5_000 },
    );
  });

  test.each(names)("reads a %s, keeps its unknown fields and gives the same again", (kind) => {
    const raw = deepFrozen({ ...(sampleObjects[kind] as object), "x-unknown": [null, { a: 1 }] });
    const parsed = parseObject(raw);
    expect(parsed.kind === "problems" ? parsed.problems : []).toEqual([]);
    if (parsed.kind !== "object") throw new Error(parsed.kind);
    expect(parsed.objectKind).toBe(kind);
    expect(parsed.object).toMatchObject({ "x-unknown": [null, { a: 1 }] });
    const again = parseObject(parsed.object);
    expect(again.kind === "object" && again.object).toBe(parsed.object);
  });

  test("an object as deep as JSON can be is no danger", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
    expect(parseObject({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: deep }).kind).toBe("problems");
    const list = Array.from({ length: 100 }).reduce<unknown>((inner) => ({ kind: "List", items: [inner] }), {});
    expect(itemsOf(list)).toHaveLength(1);
  });
});
