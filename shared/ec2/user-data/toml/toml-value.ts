/** Karpenter counterpart: none, because it reads TOML with a library. */
/** Numbers, booleans and dates stay the text that they were: they are passed on, never computed with. */
export interface TomlRaw {
  readonly raw: string;
}
export type TomlTable = Map<string, TomlValue>;
export type TomlValue = string | TomlRaw | TomlValue[] | TomlTable;

export function isTable(value: TomlValue | undefined): value is TomlTable {
  return value instanceof Map;
}
