import fc from "fast-check";
import { expect, test } from "vitest";
import { hasScheduleForm } from "./schedule-form.ts";

/** As it stands in the CRD. */
const pattern = /^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$/;

test("says what the CRD's pattern says", () => {
  const piece = fc.constantFrom("*", "0", " ", "  ", "\n", "\t", "@daily", "mon-fri", "");
  const verdicts = { yes: 0, no: 0 };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join("");
      verdicts[hasScheduleForm(text) ? "yes" : "no"]++;
      expect(hasScheduleForm(text)).toBe(pattern.test(text));
    }),
    { seed: 1, numRuns: 3_000 },
  );
  expect(Math.min(verdicts.yes, verdicts.no)).toBeGreaterThan(100);
});

test("is not held up by a line of blanks", () => {
  expect(hasScheduleForm(`${" ".repeat(1_000_000)}\n`)).toBe(false);
});
