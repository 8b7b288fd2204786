/**
 * Karpenter counterpart: none, because it has no catalogue file. Here the file comes from storage that others can write,
 * so nothing of it is believed before it was checked; what is wrong is data.
 */
import type { Catalogue, CatalogueType } from "./catalogue.ts";

export type CatalogueAnswer =
  | { readonly kind: "catalogue"; readonly catalogue: Catalogue }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

interface Check {
  readonly test: (value: unknown) => boolean;
  readonly wanted: string;
}

const problemsMax = 20;

const text: Check = { test: (value) => typeof value === "string" && value !== "", wanted: "a text" };
const count: Check = { test: (value) => isCount(value), wanted: "a whole number" };
const positive: Check = { test: (value) => isCount(value) && value > 0, wanted: "a positive whole number" };
const flag: Check = { test: (value) => typeof value === "boolean", wanted: "true or false" };
const price: Check = { test: (value) => isPrice(value), wanted: "a price, 0 or more" };
const prices: Check = {
  test: (value) => isRecord(value) && Object.values(value).every(isPrice),
  wanted: "prices by zone",
};
const texts: Check = { test: (value) => Array.isArray(value) && value.every(text.test), wanted: "a list of texts" };

const required = {
  name: text,
  arch: oneOf(["amd64", "arm64"]),
  vcpus: positive,
  memoryMiB: positive,
  enis: positive,
  ipv4PerEni: positive,
  cpuManufacturer: text,
  hypervisor: oneOf(["nitro", "xen", ""]),
  bareMetal: flag,
  encryptionInTransit: flag,
  nitroEnclaves: flag,
  usageClasses: listOf(["on-demand", "spot"]),
  zones: texts,
  spotPerHour: prices,
} satisfies Partial<Record<keyof CatalogueType, Check>>;

const optional = {
  clockMhz: positive,
  networkMbps: count,
  ebsMbps: count,
  nvmeGB: count,
  gpu: fields({ name: text, manufacturer: text, count, memoryMiB: count }),
  accelerator: fields({ name: text, manufacturer: text, count, coresPerDevice: count }),
  efaInterfaces: count,
  branchInterfaces: count,
  nestedVirtualization: flag,
  onDemandPerHour: price,
} satisfies Partial<Record<keyof CatalogueType, Check>>;

/** Reads a catalogue file (parsed JSON). Types come out sorted by name. At most 20 problems are named. */
export function readCatalogue(raw: unknown): CatalogueAnswer {
  if (!isRecord(raw)) return { kind: "problems", problems: ["the catalogue must be an object"] };
  const version = raw.version;
  if (version !== 1) {
    return { kind: "problems", problems: [`version must be 1, the one this release reads; got ${shown(version)}`] };
  }
  const problems = checked(raw, { region: text, date: text, source: text, writtenAtMs: count }, {}, "");
  const rows: readonly unknown[] = Array.isArray(raw.types) ? raw.types : [];
  if (rows.length === 0) problems.push("types must be a list of at least one instance type");
  const names = new Set<unknown>();
  for (const [index, row] of rows.entries()) {
    const at = `types[${index}]`;
    if (!isRecord(row)) {
      problems.push(`${at} must be an object`);
      continue;
    }
    problems.push(...checked(row, required, optional, `${at}.`));
    if (names.has(row.name)) problems.push(`${at}.name: ${shown(row.name)} is there twice`);
    names.add(row.name);
  }
  if (problems.length > 0) return { kind: "problems", problems: problems.slice(0, problemsMax) };
  // Every field was checked above.
  const catalogue = raw as unknown as Catalogue;
  const types = [...catalogue.types].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { kind: "catalogue", catalogue: { ...catalogue, types } };
}

function checked(
  record: Readonly<Record<string, unknown>>,
  must: Readonly<Record<string, Check>>,
  may: Readonly<Record<string, Check>>,
  prefix: string,
): string[] {
  const wrong = (name: string, check: Check): string =>
    `${prefix}${name} must be ${check.wanted}; got ${shown(record[name])}`;
  return [
    ...Object.entries(must).flatMap(([name, check]) => (check.test(record[name]) ? [] : [wrong(name, check)])),
    ...Object.entries(may).flatMap(([name, check]) =>
      record[name] === undefined || check.test(record[name]) ? [] : [wrong(name, check)],
    ),
  ];
}

function oneOf(values: readonly string[]): Check {
  return { test: (value) => values.includes(String(value)) && typeof value === "string", wanted: values.join(" or ") };
}

function listOf(values: readonly string[]): Check {
  const each = oneOf(values);
  return { test: (value) => Array.isArray(value) && value.every(each.test), wanted: `a list of ${values.join(", ")}` };
}

function fields(checks: Readonly<Record<string, Check>>): Check {
  return {
    test: (value) => isRecord(value) && Object.entries(checks).every(([name, check]) => check.test(value[name])),
    wanted: `an object with ${Object.keys(checks).join(", ")}`,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 60);
}
