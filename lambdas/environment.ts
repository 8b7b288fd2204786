import {
  booleanOf,
  durationOf,
  EnvironmentProblem,
  listOf,
  oneOf,
  optional,
  required,
  type Variables,
} from "#api/variables.ts";
import { type DeployedSettings, readDeployedSettings } from "#ec2/deployed-settings.ts";

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
  /** Name of the function that writes the catalogue. */
  readonly catalogFunction: string;
}

/** What the functions that decide are told besides. */
export interface DecidingEnvironment extends Environment {
  /** Karpenter's options; what the cluster itself says is added when it is known. */
  readonly settings: DeployedSettings;
  readonly reaction: "minute" | "seconds";
  /** The bus for decisions that matter; absent: none. */
  readonly eventBus?: string;
  /** Bucket of the recordings; absent: none are made. */
  readonly recordingsBucket?: string;
  /** Metrics that are written to the log beside the fixed ones, by Karpenter's names. */
  readonly extraMetrics: readonly string[];
  /** How long what selectors stand for is kept; ms, a minute at least. */
  readonly refresh: { readonly imagesMs: number; readonly subnetsMs: number };
  /** Whether samples of single objects are sent there too. */
  readonly objectGauges: boolean;
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
    settings: readDeployedSettings(variables, common),
    reaction: oneOf(variables, "REACTION", ["minute", "seconds"], "minute"),
    ...(eventBus === undefined ? {} : { eventBus }),
    ...(recordingsBucket === undefined ? {} : { recordingsBucket }),
    refresh: {
      imagesMs: refreshOf(variables, "AMI_REFRESH_INTERVAL"),
      subnetsMs: refreshOf(variables, "SUBNET_REFRESH_INTERVAL"),
    },
    objectGauges: !booleanOf(variables, "DISABLE_CLUSTER_STATE_OBSERVABILITY"),
    extraMetrics: listOf(variables, "EXTRA_METRICS"),
    ...(remoteWriteUrl === undefined ? {} : { remoteWriteUrl }),
  };
}

export function readInterruptionEnvironment(variables: Variables): InterruptionEnvironment {
  const reconcileFunction = required(variables, "RECONCILE_FUNCTION");
  return { ...readDecidingEnvironment(variables), reconcileFunction };
}

/** Karpenter: a minute, and no less. */
const refreshMsMin = 60_000;

function refreshOf(variables: Variables, name: string): number {
  const ms = durationOf(variables, name, refreshMsMin);
  if (ms < refreshMsMin) throw new EnvironmentProblem(name, `"${variables[name]}" is less than 1m`);
  return ms;
}

function urlOf(variables: Variables, name: string): string | undefined {
  const value = optional(variables, name);
  if (value === undefined) return undefined;
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new EnvironmentProblem(name, `"${value}" is no URL`);
  return value;
}

function logLevelOf(variables: Variables): Environment["logLevel"] {
  const level = (optional(variables, "LOG_LEVEL") ?? "info").toUpperCase();
  const known = (["DEBUG", "INFO", "WARN", "ERROR"] as const).find((one) => one === level);
  if (known === undefined) throw new EnvironmentProblem("LOG_LEVEL", `"${level}" is none of debug, info, warn, error`);
  return known;
}
