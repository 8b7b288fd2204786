import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RoomTree, roomAsk } from "./room-tree.ts";

const rooms = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 })), { maxLength: 70 });
const treeOf = (all: readonly (readonly [number, number])[]): RoomTree => {
  const tree = new RoomTree(2);
  for (const room of all) tree.set(tree.push(), Float64Array.from(room));
  return tree;
};

describe("the first place with enough room", () => {
  test("is the one that looking at all of them finds", () => {
    fc.assert(
      fc.property(rooms, fc.nat(70), fc.nat(9), fc.nat(9), (all, from, a, b) => {
        const found = all.findIndex(([x, y], i) => i >= from && x >= a && y >= b);
        expect(treeOf(all).first(from, roomAsk([a, b]))).toBe(found);
      }),
    );
  });

  test("follows what changes", () => {
    fc.assert(
      fc.property(rooms, fc.array(fc.tuple(fc.nat(69), fc.nat(9), fc.nat(9))), (all, changes) => {
        const [tree, now] = [treeOf(all), [...all]];
        for (const [place, x, y] of changes) {
          if (place >= now.length) continue;
          now[place] = [x, y];
          tree.set(place, Float64Array.of(x, y));
        }
        expect(tree.first(0, roomAsk([5, 5]))).toBe(now.findIndex(([x, y]) => x >= 5 && y >= 5));
      }),
    );
  });

  test("looks at nothing but what is asked for", () => {
    const tree = treeOf([
      [0, 1],
      [0, 2],
    ]);
    expect(tree.first(0, roomAsk([undefined, 2]))).toBe(1);
  });

  test("is never one that was taken out", () => {
    const tree = treeOf([
      [1, 1],
      [1, 1],
    ]);
    tree.remove(0);
    expect(tree.first(0, roomAsk([undefined, 0]))).toBe(1);
  });
});
