type Container = Record<string, unknown>;

/** Every place in a JSON value, step by step, the root left out. */
export function placesOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => [[key], ...placesOf(child).map((place) => [key, ...place])]);
}

/** A copy of `object` with `value` at `place`. */
export function replaced(object: unknown, place: readonly string[], value: unknown): unknown {
  const copy = structuredClone(object) as Container;
  let holder = copy;
  for (const step of place.slice(0, -1)) holder = holder[step] as Container;
  holder[place.at(-1) ?? ""] = value;
  return copy;
}
