/**
 * Karpenter counterpart: pkg/operator/options of both repositories: flags and variables of the controller. Those that the
 * loop has too carry the same names here, so that they are compared as they are.
 */
import { parseNanos } from "#api/duration.ts";
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
  return nanos === undefined ? undefined : String(Number(nanos) / 1e9);
};
const number = (text: string): string | undefined => (Number.isFinite(Number(text)) ? String(Number(text)) : undefined);
const word = (text: string): string => text;
const quoted = (text: string): string => JSON.stringify(text);

/** Karpenter: the settings that change what is decided. */
const settings: Readonly<Record<string, Setting>> = {
  PREFERENCE_POLICY: { field: "preferencePolicy", default: "Respect", read: word, shown: quoted },
  MIN_VALUES_POLICY: { field: "minValuesPolicy", default: "Strict", read: word, shown: quoted },
  BATCH_IDLE_DURATION: { field: "batchIdleSeconds", default: "1s", read: seconds, shown: word },
  BATCH_MAX_DURATION: { field: "batchMaxSeconds", default: "10s", read: seconds, shown: word },
  VM_MEMORY_OVERHEAD_PERCENT: { field: "vmMemoryOverheadPercent", default: "0.075", read: number, shown: word },
  RESERVED_ENIS: { field: "reservedEnis", default: "0", read: number, shown: word },
  DISABLE_DRY_RUN: { field: "disableDryRun", default: "false", read: word, shown: word },
};

/** Karpenter: FEATURE_GATES, with the field that switches each here; undefined: not acted on. */
const gates: Readonly<Record<string, { readonly field?: string; readonly default: boolean }>> = {
  NodeRepair: { field: "nodeRepair", default: false },
  ReservedCapacity: { field: "reservedCapacity", default: true },
  SpotToSpotConsolidation: { field: "spotToSpotConsolidation", default: false },
  NodeOverlay: { default: false },
  StaticCapacity: { default: false },
  CapacityBuffer: { default: false },
};

/** Names under which settings are read from flags: `--batch-max-duration`. */
export const settingNames: readonly string[] = [...Object.keys(settings), "FEATURE_GATES"];

/** What the running Karpenter is told and the deployed loop is not, as lines of its configuration. */
export function differingSettings({ deployments, deployed }: MigrationView): readonly string[] {
  const [karpenter] = deployments;
  if (karpenter === undefined || deployed.kind === "unknown") return [];
  return [
    ...Object.entries(settings).flatMap(([name, { field, default: otherwise, read, shown }]) => {
      const theirs = read(karpenter.settings[name] ?? otherwise);
      const ours = read(deployed.variables[name] ?? otherwise);
      return theirs === undefined || theirs === ours ? [] : [`${field}: ${shown(theirs)}`];
    }),
    ...Object.entries(gates).flatMap(([name, { field, default: otherwise }]) => {
      const theirs = gateOf(karpenter.settings, name) ?? otherwise;
      const isSame = theirs === (gateOf(deployed.variables, name) ?? otherwise);
      return field === undefined || isSame ? [] : [`${field}: ${theirs}`];
    }),
  ];
}

/** Gates that are on and that nothing here acts on. */
export function foreignGates({ settings: given }: KarpenterDeployment): readonly string[] {
  return Object.entries(gates).flatMap(([name, { field }]) =>
    field === undefined && gateOf(given, name) === true ? [name] : [],
  );
}

/** Settings whose value is written elsewhere, or cannot be read. */
export function unknownSettings({ settings: given, elsewhere }: KarpenterDeployment): readonly string[] {
  return [
    ...elsewhere.filter((name) => settingNames.includes(name)),
    ...Object.entries(settings).flatMap(([name, { read }]) => {
      const text = given[name];
      return text !== undefined && read(text) === undefined ? [name] : [];
    }),
  ];
}

function gateOf(given: Readonly<Record<string, string>>, name: string): boolean | undefined {
  const words = (given.FEATURE_GATES ?? "").split(",").map((each) => each.trim().split("="));
  const value = words.findLast(([gate]) => gate === name)?.[1];
  return value === undefined ? undefined : value === "true";
}
