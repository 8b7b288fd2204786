import { settingsProblems } from "./check-settings.ts";
import { isClusterName } from "./names.ts";
import type { OutriggerSettings } from "./settings.ts";

/** One cluster of `outrigger.config.ts`. */
export interface ClusterConfig extends OutriggerSettings {
  /** The name that EKS knows it by. */
  readonly name: string;
  /** @default the account of the credentials that deploy */
  readonly account?: string;
  /** @default the region of the credentials that deploy */
  readonly region?: string;
}

/** What `outrigger.config.ts` exports as `config`. */
export interface OutriggerConfig {
  /** Settings of every cluster; a cluster's own come before them. */
  readonly defaults?: OutriggerSettings;
  readonly clusters?: readonly ClusterConfig[];
}

export type Clusters =
  | { readonly kind: "clusters"; readonly clusters: readonly ClusterConfig[] }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/**
 * The clusters to deploy to: those that `-c clusters=a,b` names, else all of the file. One that the file does not know has
 * its defaults. `here`: account and region of the credentials.
 */
export function clustersOf(
  named: unknown,
  config: unknown,
  here: Pick<ClusterConfig, "account" | "region"> = {},
): Clusters {
  const read = readConfig(config ?? {});
  if (read.kind === "problems") return read;
  const names = namesIn(named);
  if (names.length === 0 && read.clusters.length === 0) return problems([nothingNamed]);
  const wanted = names.length === 0 ? read.clusters : names.flatMap((name) => known(name, read.clusters));
  const found = wanted.map((cluster): ClusterConfig => ({ ...read.defaults, ...cluster }));
  const wrong = [...found.flatMap(problemsOf), ...twice(found.map((cluster) => ({ ...here, ...cluster })))];
  return wrong.length === 0 ? { kind: "clusters", clusters: found } : problems(wrong);
}

const nothingNamed =
  "No cluster is named. Say which: npx cdk synth -c clusters=NAME[,NAME…], or list them in outrigger.config.ts: " +
  'export const config = { clusters: [{ name: "NAME" }] };';

function known(name: string, clusters: readonly ClusterConfig[]): readonly ClusterConfig[] {
  const found = clusters.filter((cluster) => cluster.name === name);
  return found.length === 0 ? [{ name }] : found;
}

type Config = { readonly kind: "config"; readonly defaults: OutriggerSettings; readonly clusters: ClusterConfig[] };

/** A file that is not what its type says: it may be JavaScript, or come from elsewhere. */
function readConfig(config: unknown): Config | Extract<Clusters, { kind: "problems" }> {
  if (!isObject(config)) return problems(["outrigger.config.ts: config must be an object"]);
  const { defaults = {}, clusters = [], ...others } = config;
  const wrong = Object.keys(others).map((name) => `${name}: config has defaults and clusters, nothing else`);
  if (!isObject(defaults)) return problems([...wrong, "defaults: must be an object"]);
  if (!Array.isArray(clusters)) return problems([...wrong, "clusters: must be a list"]);
  for (const [index, cluster] of clusters.entries()) {
    if (!isObject(cluster) || typeof cluster.name !== "string") wrong.push(`clusters[${index}]: must have a name`);
  }
  wrong.push(...settingsProblems(defaults).map((problem) => `defaults.${problem}`));
  return wrong.length === 0 ? { kind: "config", defaults, clusters: clusters as ClusterConfig[] } : problems(wrong);
}

function problemsOf({ name, account, region, ...settings }: ClusterConfig): readonly string[] {
  const where = isClusterName(name)
    ? []
    : [`"${name}": no name of an EKS cluster: letters, digits, - and _, at most 100, a letter or digit first`];
  const whose =
    account === undefined || (typeof account === "string" && /^\d{12}$/.test(account))
      ? []
      : [`${name}.account: must be 12 digits, in quotes`];
  const which =
    region === undefined || /^[a-z]{2}(-[a-z]+)+-\d$/.test(region) ? [] : [`${name}.region: must be as us-east-1`];
  return [...where, ...whose, ...which, ...settingsProblems({ ...settings }).map((problem) => `${name}.${problem}`)];
}

/** One stack a cluster, so that no cluster comes twice; clusters of the same name in two regions are two. */
function twice(clusters: readonly ClusterConfig[]): readonly string[] {
  const seen = new Set<string>();
  return clusters.flatMap(({ name, account = "", region = "" }) => {
    const key = `${account}/${region}/${name}`;
    if (seen.has(key)) return [`"${name}": named twice`];
    seen.add(key);
    return [];
  });
}

function namesIn(named: unknown): readonly string[] {
  const words = typeof named === "string" ? named.split(",") : Array.isArray(named) ? named.map(String) : [];
  return words.map((word) => word.trim()).filter((word) => word !== "");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function problems(lines: readonly string[]): Extract<Clusters, { kind: "problems" }> {
  return { kind: "problems", problems: lines };
}
