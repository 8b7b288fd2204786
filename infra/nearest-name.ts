import { closest, distance } from "fastest-levenshtein";

/** Of the letters of a name: with more of them wrong another name may have been meant as well. */
const wrongShare = 0.4;

/** Which of the names was meant: the same letters in another case, the beginning of one, or one written wrongly. */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const word = written.toLowerCase();
  const known = names.find((name) => name.toLowerCase() === word) ?? names.find((name) => isPart(word, name));
  if (known !== undefined || names.length === 0) return known;
  const near = closest(
    word,
    names.map((name) => name.toLowerCase()),
  );
  if (distance(word, near) > wrongShare * word.length) return undefined;
  return names.find((name) => name.toLowerCase() === near);
}

function isPart(word: string, name: string): boolean {
  const known = name.toLowerCase();
  return known.startsWith(word) || word.startsWith(known);
}
