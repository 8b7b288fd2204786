import { parseDuration } from "#api/duration.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { defaultEc2Settings } from "#ec2/settings.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** What the function cannot start with; the message names the variable. */
export class EnvironmentProblem extends Error {
  constructor(variable: string, problem: string) {
    super(`${variable}: ${problem}`);
    this.name = "EnvironmentProblem";
  }
}

/** What every function is told. */
export interface CommonEnvironment {
  readonly region: string;
  /** Absent: AWS itself. */
  readonly endpoint?: string;
  readonly clusterName: string;
  readonly logLevel: "DEBUG" | "INFO" | "WARN" | "ERROR";
}

/** What every function is told that looks at AWS for the loop. */
export interface Environment extends CommonEnvironment {
  readonly catalogue: { readonly bucket: string; readonly key: string };
}

export interface SetupEnvironment extends CommonEnvironment {
  /** Name of the queue of interruptions. */
  readonly queue: string;
  /** How long the function that reads it may take. */
  readonly interruptionSeconds: number;
  /** Name of the function that writes the catalogue. */
  readonly catalogFunction: string;
}

/** What the functions that decide are told besides. */
export interface DecidingEnvironment extends Environment {
  /** Karpenter's options; what the cluster itself says is added when it is known. */
  readonly settings: Omit<Settings, "clusterIdentity">;
  readonly reaction: "minute" | "seconds";
  /** The bus for decisions that matter; absent: none. */
  readonly eventBus?: string;
  /** Bucket of the recordings; absent: none are made. */
  readonly recordingsBucket?: string;
  /** Metrics that are written to the log beside the fixed ones, by Karpenter's names. */
  readonly extraMetrics: readonly string[];
  /** Where samples are sent by Prometheus' remote write; absent: nowhere. */
  readonly remoteWriteUrl?: string;
}

export interface InterruptionEnvironment extends DecidingEnvironment {
  /** Name of the function that is woken. */
  readonly reconcileFunction: string;
}

function readCommon(variables: Variables): CommonEnvironment {
  const endpoint = optional(variables, "AWS_ENDPOINT_URL");
  return {
    region: required(variables, "AWS_REGION"),
    ...(endpoint === undefined ? {} : { endpoint }),
    clusterName: required(variables, "CLUSTER_NAME"),
    logLevel: logLevelOf(variables),
  };
}

/** Reads and checks everything at once, so that a function that starts has all it needs. Throws EnvironmentProblem. */
export function readEnvironment(variables: Variables): Environment {
  const common = readCommon(variables);
  return {
    ...common,
    catalogue: { bucket: required(variables, "CATALOGUE_BUCKET"), key: `catalogue/${common.region}.json.gz` },
  };
}

export function readSetupEnvironment(variables: Variables): SetupEnvironment {
  return {
    ...readCommon(variables),
    queue: required(variables, "QUEUE"),
    interruptionSeconds: numberOf(variables, "INTERRUPTION_SECONDS", 15),
    catalogFunction: required(variables, "CATALOG_FUNCTION"),
  };
}

/** What the conversion function is told: it asks nobody anything. */
export interface ConversionEnvironment {
  /** Where it answers, as `/…`; long enough that nobody guesses it. */
  readonly path: string;
}

const pathCharactersMin = 32;

export function readConversionEnvironment(variables: Variables): ConversionEnvironment {
  const secret = required(variables, "CONVERSION_SECRET");
  if (!/^[A-Za-z0-9]+$/.test(secret) || secret.length < pathCharactersMin) {
    throw new EnvironmentProblem("CONVERSION_SECRET", `must be ${pathCharactersMin} letters and digits or more`);
  }
  return { path: `/${secret}` };
}

export function readDecidingEnvironment(variables: Variables): DecidingEnvironment {
  const common = readEnvironment(variables);
  const eventBus = optional(variables, "EVENT_BUS");
  const recordingsBucket = optional(variables, "RECORDINGS_BUCKET");
  const remoteWriteUrl = urlOf(variables, "REMOTE_WRITE_URL");
  return {
    ...common,
    settings: settingsOf(variables, common),
    reaction: oneOf(variables, "REACTION", ["minute", "seconds"], "minute"),
    ...(eventBus === undefined ? {} : { eventBus }),
    ...(recordingsBucket === undefined ? {} : { recordingsBucket }),
    extraMetrics: listOf(variables, "EXTRA_METRICS"),
    ...(remoteWriteUrl === undefined ? {} : { remoteWriteUrl }),
  };
}

export function readInterruptionEnvironment(variables: Variables): InterruptionEnvironment {
  const reconcileFunction = required(variables, "RECONCILE_FUNCTION");
  return { ...readDecidingEnvironment(variables), reconcileFunction };
}

/** Under Karpenter's own names of the variables, so that the settings of a deployment can be taken over as they are. */
function settingsOf(variables: Variables, { region, clusterName }: Environment): DecidingEnvironment["settings"] {
  const gates = gatesOf(variables);
  const { featureGates } = defaultSettings;
  return {
    ...defaultSettings,
    clusterName,
    preferencePolicy: oneOf(variables, "PREFERENCE_POLICY", ["Respect", "Ignore"], defaultSettings.preferencePolicy),
    minValuesPolicy: oneOf(variables, "MIN_VALUES_POLICY", ["Strict", "BestEffort"], defaultSettings.minValuesPolicy),
    batchIdleMs: durationOf(variables, "BATCH_IDLE_DURATION", defaultSettings.batchIdleMs),
    batchMaxMs: durationOf(variables, "BATCH_MAX_DURATION", defaultSettings.batchMaxMs),
    featureGates: {
      nodeRepair: gates.get("NodeRepair") ?? featureGates.nodeRepair,
      reservedCapacity: gates.get("ReservedCapacity") ?? featureGates.reservedCapacity,
      spotToSpotConsolidation: gates.get("SpotToSpotConsolidation") ?? featureGates.spotToSpotConsolidation,
    },
    ignoreWhenAloneNamespaces: listOf(variables, "IGNORE_WHEN_ALONE_NAMESPACES"),
    provider: {
      region,
      vmMemoryOverheadPercent: numberOf(
        variables,
        "VM_MEMORY_OVERHEAD_PERCENT",
        defaultEc2Settings.vmMemoryOverheadPercent,
      ),
      reservedEnis: numberOf(variables, "RESERVED_ENIS", defaultEc2Settings.reservedEnis),
      disableDryRun: booleanOf(variables, "DISABLE_DRY_RUN"),
    },
  };
}

/** An empty variable is one that is not set: that is how a template leaves something out. */
function optional(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === "" ? undefined : value;
}

function required(variables: Variables, name: string): string {
  const value = optional(variables, name);
  if (value === undefined) throw new EnvironmentProblem(name, "is not set");
  return value;
}

function oneOf<Word extends string>(variables: Variables, name: string, words: readonly Word[], otherwise: Word): Word {
  const value = optional(variables, name);
  if (value === undefined) return otherwise;
  const found = words.find((word) => word === value);
  if (found === undefined) throw new EnvironmentProblem(name, `"${value}" is none of ${words.join(", ")}`);
  return found;
}

function durationOf(variables: Variables, name: string, otherwiseMs: number): number {
  const value = optional(variables, name);
  if (value === undefined) return otherwiseMs;
  const ms = parseDuration(value);
  if (ms === undefined || ms < 0) throw new EnvironmentProblem(name, `"${value}" is no duration such as 10s`);
  return ms;
}

function numberOf(variables: Variables, name: string, otherwise: number): number {
  const value = optional(variables, name);
  if (value === undefined) return otherwise;
  const number = Number(value);
  if (!(number >= 0)) throw new EnvironmentProblem(name, `"${value}" is no number of 0 or more`);
  return number;
}

function booleanOf(variables: Variables, name: string): boolean {
  return oneOf(variables, name, ["true", "false"], "false") === "true";
}

function listOf(variables: Variables, name: string): readonly string[] {
  const words = (optional(variables, name) ?? "").split(",").map((word) => word.trim());
  return words.filter((word) => word !== "");
}

function urlOf(variables: Variables, name: string): string | undefined {
  const value = optional(variables, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new EnvironmentProblem(name, `"${value}" is no URL`);
  return value;
}

/** As `NodeRepair=true,SpotToSpotConsolidation=false`. Karpenter: unknown gates are left alone. */
function gatesOf(variables: Variables): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const word of listOf(variables, "FEATURE_GATES")) {
    const [name = "", value] = word.split("=", 2).map((part) => part.trim());
    if (value !== "true" && value !== "false") {
      throw new EnvironmentProblem("FEATURE_GATES", `"${word}" is not of the form Gate=true`);
    }
    gates.set(name, value === "true");
  }
  return gates;
}

function logLevelOf(variables: Variables): Environment["logLevel"] {
  const level = (optional(variables, "LOG_LEVEL") ?? "info").toUpperCase();
  const known = (["DEBUG", "INFO", "WARN", "ERROR"] as const).find((one) => one === level);
  if (known === undefined) throw new EnvironmentProblem("LOG_LEVEL", `"${level}" is none of debug, info, warn, error`);
  return known;
}
