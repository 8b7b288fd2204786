import fc from "fast-check";
import { expect, test } from "vitest";
import { ClosedSlots } from "./claim-lanes.ts";

test("closed slots are stepped over, in whatever order they were closed", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), fc.nat(40), (closed, from) => {
      const slots = new ClosedSlots();
      for (const slot of closed) {
        slots.close(slot);
        slots.openFrom(0);
      }
      let open = from;
      while (closed.includes(open)) open++;
      expect(slots.openFrom(from)).toBe(open);
    }),
  );
});
