import { expect, test } from "vitest";
import { pictureOf, shownPicture } from "../../tools/picture.ts";
import { outrigger } from "../simulation/command-line.ts";

test("the README's picture is what the demo prints today; `npm run picture` draws it anew", async () => {
  const { out } = await outrigger("simulate");
  expect(shownPicture()).toBe(pictureOf(out));
});

test("the picture folds long lines beneath their text, cuts the wide table and loses no word of the timeline", () => {
  const words = Array.from({ length: 40 }, (_, i) => `word${i}`);
  const picture = pictureOf(`title\n\n00:00:45  decision      ${words.join(" ")}\n${"column ".repeat(30)}\n`);
  const lines = picture.split("\n");
  expect(lines.every((line) => line.length <= 118)).toBe(true);
  expect(lines[1]).toMatch(/^ {24}word\d/);
  expect(picture.match(/word\d+/g)).toEqual(words);
  expect(lines.at(-2)).toMatch(/^column .*…$/);
});
