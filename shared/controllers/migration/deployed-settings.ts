/**
 * Karpenter counterpart: pkg/operator/options of both repositories: flags and variables of the controller. Those that the
 * loop has too carry the same names here, so that they are compared as they are.
 */
import { parseNanos } from "#api/duration.ts";
import { karpenterLeaseName } from "#ports/lease.ts";
import { differingGates, foreignGates, gatesProblem, gatesVariables } from "./feature-gates.ts";
import { flagOf } from "./go-words.ts";
import type { KarpenterDeployment, MigrationView } from "./view.ts";

interface Setting {
  /** Field of `outrigger.config.ts`. */
  readonly field: string;
  readonly default: string;
  /** One text for all spellings of a value; undefined: it cannot be read. */
  readonly read: (text: string) => string | undefined;
  readonly shown: (read: string) => string;
}

const seconds = (text: string): string | undefined => {
  const nanos = parseNanos(text);
  return nanos === undefined || nanos < 0n ? undefined : String(Number(nanos) / 1e9);
};
const share = (text: string): string | undefined =>
  Number(text) >= 0 && Number(text) <= 1 ? String(Number(text)) : undefined;
const count = (text: string): string | undefined => (/^\+?\d+$/.test(text) ? String(Number(text)) : undefined);
const flag = (text: string): string | undefined => flagOf(text)?.toString();
const wordOf =
  (...words: readonly string[]) =>
  (text: string): string | undefined =>
    words.find((word) => word === text);
const asIs = (text: string): string => text;
const quoted = (text: string): string => JSON.stringify(text);

/** Karpenter: the settings that change what is decided. */
const settings: Readonly<Record<string, Setting>> = {
  PREFERENCE_POLICY: {
    ...{ field: "preferencePolicy", default: "Respect" },
    ...{ read: wordOf("Respect", "Ignore"), shown: quoted },
  },
  MIN_VALUES_POLICY: {
    ...{ field: "minValuesPolicy", default: "Strict" },
    ...{ read: wordOf("Strict", "BestEffort"), shown: quoted },
  },
  BATCH_IDLE_DURATION: { field: "batchIdleSeconds", default: "1s", read: seconds, shown: asIs },
  BATCH_MAX_DURATION: { field: "batchMaxSeconds", default: "10s", read: seconds, shown: asIs },
  VM_MEMORY_OVERHEAD_PERCENT: { field: "vmMemoryOverheadPercent", default: "0.075", read: share, shown: asIs },
  RESERVED_ENIS: { field: "reservedEnis", default: "0", read: count, shown: asIs },
  AMI_REFRESH_INTERVAL: { field: "amiRefreshSeconds", default: "1m", read: seconds, shown: asIs },
  SUBNET_REFRESH_INTERVAL: { field: "subnetRefreshSeconds", default: "1m", read: seconds, shown: asIs },
  DISABLE_CLUSTER_STATE_OBSERVABILITY: {
    ...{ field: "disableClusterStateObservability", default: "false" },
    ...{ read: flag, shown: asIs },
  },
  DISABLE_DRY_RUN: { field: "disableDryRun", default: "false", read: flag, shown: asIs },
};

/** Switches that change what Karpenter decides, that nothing here acts on, and the value that asks for nothing. */
const foreignSwitches: Readonly<Record<string, { readonly idle: boolean; readonly what: string }>> = {
  ENABLE_ZONAL_SHIFT: { idle: false, what: "zonal shifts" },
  IGNORE_DRA_REQUESTS: { idle: true, what: "dynamic resource allocation" },
};

/** Karpenter: how a leader is elected. The loop knows Karpenter by its lease. */
const leaseNames = { name: "LEADER_ELECTION_NAME", off: "DISABLE_LEADER_ELECTION", cluster: "CLUSTER_NAME" } as const;

/** Karpenter: default spread constraints, as a text. */
const schedulerConfig = "SCHEDULER_CONFIG";

/** Names under which settings are read from flags: `--batch-max-duration`. */
export const settingNames: readonly string[] = [
  ...Object.keys(settings),
  ...Object.keys(foreignSwitches),
  ...Object.values(leaseNames),
  schedulerConfig,
  ...gatesVariables,
];

type Given = Readonly<Record<string, string>>;

/** Karpenter: a variable that is empty is one that is not set. */
function given(variables: Given, name: string): string | undefined {
  const text = variables[name]?.trim();
  return text === "" ? undefined : text;
}

/** What the running Karpenter is told and the deployed loop is not, as lines of its configuration. */
export function differingSettings({ deployments, deployed }: MigrationView): readonly string[] {
  const [karpenter] = deployments;
  if (karpenter === undefined || deployed.kind === "unknown") return [];
  const { variables } = deployed;
  return [
    ...Object.entries(settings).flatMap(([name, { field, default: otherwise, read, shown }]) => {
      const theirs = read(given(karpenter.settings, name) ?? otherwise);
      const ours = read(given(variables, name) ?? otherwise);
      return theirs === undefined || theirs === ours ? [] : [`${field}: ${shown(theirs)}`];
    }),
    ...differingGates(karpenter.settings, variables),
  ];
}

/** Settings whose value is written elsewhere, or is none that can be taken over. */
function unknownSettings({ settings: theirs, elsewhere }: KarpenterDeployment): readonly string[] {
  const unread = Object.entries(settings).flatMap(([name, { read }]) => {
    const text = given(theirs, name);
    return text !== undefined && read(text) === undefined ? [name] : [];
  });
  return [
    ...elsewhere
      .filter((name) => settingNames.includes(name))
      .map((name) => `${name} of Karpenter's Deployment is written elsewhere: write its value into the Deployment`),
    ...[...unread, ...gatesVariables.filter((name) => gatesProblem(theirs, name))].map(
      (name) => `${name} of Karpenter's Deployment is "${theirs[name]}", which cannot be read: mend it first`,
    ),
  ];
}

/** What stands in the way in Karpenter's own settings, whatever the loop is told. */
export function settingObstacles(karpenter: KarpenterDeployment, { deployed }: MigrationView): readonly string[] {
  const theirs = karpenter.settings;
  const where = `Deployment ${karpenter.namespace}/${karpenter.name}`;
  const switches = Object.entries(foreignSwitches).filter(
    ([name, { idle }]) => (flagOf(given(theirs, name) ?? "") ?? idle) !== idle,
  );
  const cluster = given(theirs, leaseNames.cluster);
  const own = deployed.kind === "known" ? given(deployed.variables, leaseNames.cluster) : undefined;
  return [
    ...foreignGates(theirs).map(
      (gate) => `Karpenter runs with the gate ${gate}, which Outrigger does not act on: switch it off first`,
    ),
    ...switches.map(
      ([name, { idle, what }]) =>
        `Karpenter runs with ${name}=${given(theirs, name)}, and Outrigger does not act on ${what}: set it to ${idle} first`,
    ),
    ...(given(theirs, schedulerConfig) === undefined
      ? []
      : [
          `Karpenter runs with a ${schedulerConfig}, and Outrigger does not act on default spread constraints: write topologySpreadConstraints into the workloads and take it back first`,
        ]),
    ...unknownSettings(karpenter),
    ...leaseObstacles(karpenter),
    ...(cluster !== undefined && own !== undefined && cluster !== own
      ? [`${where} runs for the cluster ${cluster}, and the deployed loop for ${own}: name the right one`]
      : []),
  ];
}

/** The loop rests beside a Karpenter whose lease it sees; one without it would not be seen. */
function leaseObstacles({ namespace, name, settings: theirs }: KarpenterDeployment): readonly string[] {
  const lease = given(theirs, leaseNames.name);
  const way = (variable: string) =>
    `take it away (\`kubectl set env deployment/${name} -n ${namespace} ${variable}-\`), so that never both act`;
  return [
    ...(flagOf(given(theirs, leaseNames.off) ?? "") === true
      ? [`Karpenter runs with ${leaseNames.off}, and holds no lease by which it is seen: ${way(leaseNames.off)}`]
      : []),
    ...(lease !== undefined && lease !== karpenterLeaseName
      ? [`Karpenter's lease has the name ${lease}, and is looked for as ${karpenterLeaseName}: ${way(leaseNames.name)}`]
      : []),
  ];
}
