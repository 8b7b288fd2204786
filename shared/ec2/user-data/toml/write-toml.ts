/** Karpenter counterpart: none, because it writes TOML with a library. */
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

/** A table as TOML: values first, then its tables under their headers; keys in order, so that equal tables are equal texts. */
export function tomlText(table: TomlTable): string {
  return `${section(table, []).join("\n")}\n`;
}

function section(table: TomlTable, path: readonly string[]): readonly string[] {
  const entries = [...table].sort(([a], [b]) => (a < b ? -1 : 1));
  const values = entries.flatMap(([key, value]) => (isTable(value) ? [] : [`${keyText(key)} = ${valueText(value)}`]));
  const header = path.length > 0 && (values.length > 0 || table.size === 0) ? [`[${path.map(keyText).join(".")}]`] : [];
  const tables = entries.flatMap(([key, value]) => (isTable(value) ? section(value, [...path, key]) : []));
  return [...header, ...values, ...tables];
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : textOf(key);
}

function valueText(value: TomlValue): string {
  if (typeof value === "string") return textOf(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  if (!isTable(value)) return value.raw;
  const fields = [...value]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => `${keyText(key)} = ${valueText(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

/** JSON's escapes are TOML's, but for DEL, which TOML wants escaped. */
function textOf(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007F");
}
