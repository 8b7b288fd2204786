import { Random } from "../differential/generator/random.ts";

/** The problem with each of its lists of objects in another order. */
export function inAnotherOrder(problem: object, seed = 1): object {
  const random = new Random(seed);
  return Object.fromEntries(
    Object.entries(problem).map(([name, value]) => [name, Array.isArray(value) ? shuffled(value, random) : value]),
  );
}

function shuffled(list: readonly unknown[], random: Random): readonly unknown[] {
  const all = [...list];
  for (let i = all.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [all[i], all[j]] = [all[j], all[i]];
  }
  return all;
}
