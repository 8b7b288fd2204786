import { expect, test } from "vitest";
import { shortened } from "./message.ts";

test.each([
  ["short enough", 12, "short enough"],
  ["a longer one", 8, "a longe…"],
  ["ab\u{1F680}cd", 4, "ab…"],
])("%j in %i characters is %j", (message, charactersMax, wanted) => {
  expect(shortened(message, charactersMax)).toBe(wanted);
});
