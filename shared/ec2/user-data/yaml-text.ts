/** Karpenter counterpart: none, because it writes YAML with a library. */
import type { Json } from "#api/core-v1/meta.ts";

const plainKey = /^[A-Za-z][A-Za-z0-9_.-]*$/;
/** Words that YAML 1.1 readers take for something else. */
const words = /^(y|n|yes|no|on|off|true|false|null)$/i;

/** A mapping as block YAML: texts always quoted (JSON's form is YAML's), keys only where they must be. */
export function yamlText(value: Readonly<Record<string, Json>>): string {
  return `${mapping(value, "").join("\n")}\n`;
}

function mapping(value: Readonly<Record<string, Json>>, indent: string): readonly string[] {
  return Object.entries(value).flatMap(([key, entry]) => {
    const name = plainKey.test(key) && !words.test(key) ? key : JSON.stringify(key);
    if (Array.isArray(entry)) {
      return entry.length === 0
        ? [`${indent}${name}: []`]
        : [`${indent}${name}:`, ...entry.flatMap((item) => listItem(item, indent))];
    }
    if (isMapping(entry)) {
      const lines = mapping(entry, `${indent}  `);
      return lines.length === 0 ? [`${indent}${name}: {}`] : [`${indent}${name}:`, ...lines];
    }
    return [`${indent}${name}: ${JSON.stringify(entry)}`];
  });
}

function listItem(item: Json, indent: string): readonly string[] {
  if (!isMapping(item)) return [`${indent}- ${JSON.stringify(item)}`];
  const [first = "{}", ...others] = mapping(item, `${indent}  `);
  return [`${indent}- ${first.trimStart()}`, ...others];
}

function isMapping(value: Json): value is Readonly<Record<string, Json>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
