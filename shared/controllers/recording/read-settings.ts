import { offHoursProblems } from "#api/off-hours.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import type { Checks } from "./checks.ts";

/** The settings that a recording was made with; one that its release did not have has its default. */
export function readSettings(checks: Checks, raw: unknown): Settings {
  const at = "snapshot.settings";
  const given = { ...defaultSettings, ...checks.record(at, raw) };
  const gates = { ...defaultSettings.featureGates, ...checks.record(`${at}.featureGates`, given.featureGates) };
  const gate = (name: keyof Settings["featureGates"]): boolean =>
    typeof gates[name] === "boolean"
      ? gates[name]
      : (checks.wrong(`${at}.featureGates.${name}`, "true or false", gates[name]) ?? false);
  const { provider } = given;
  for (const [key, value] of Object.entries(checks.record(`${at}.provider`, provider))) {
    if (typeof value === "object") checks.wrong(`${at}.provider.${key}`, "a text, a number, true or false", value);
  }
  for (const problem of offHoursProblems(given.offHours)) checks.tell(`${at}.offHours${problem}`);
  return {
    clusterName: checks.text(`${at}.clusterName`, given.clusterName),
    clusterIdentity: checks.text(`${at}.clusterIdentity`, given.clusterIdentity),
    preferencePolicy: checks.oneOf(`${at}.preferencePolicy`, given.preferencePolicy, ["Respect", "Ignore"]),
    minValuesPolicy: checks.oneOf(`${at}.minValuesPolicy`, given.minValuesPolicy, ["Strict", "BestEffort"]),
    batchIdleMs: checks.time(`${at}.batchIdleMs`, given.batchIdleMs),
    batchMaxMs: checks.time(`${at}.batchMaxMs`, given.batchMaxMs),
    improveSteps: checks.time(`${at}.improveSteps`, given.improveSteps),
    featureGates: {
      nodeRepair: gate("nodeRepair"),
      reservedCapacity: gate("reservedCapacity"),
      spotToSpotConsolidation: gate("spotToSpotConsolidation"),
    },
    ignoreWhenAloneNamespaces: checks.texts(`${at}.ignoreWhenAloneNamespaces`, given.ignoreWhenAloneNamespaces),
    offHours: given.offHours,
    provider,
  };
}
