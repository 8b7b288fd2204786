/**
 * JSON merge patch (RFC 7396): objects merge, null removes, everything else replaces. Answers a new value; neither
 * `target` nor `patch` is changed, and nothing of a mutable `patch` is shared with the answer.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return structuredClone(patch);
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    // A plain assignment of this key would change the prototype instead.
    else if (key !== "__proto__" && value !== undefined) result[key] = mergePatch(result[key], value);
  }
  return result;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
