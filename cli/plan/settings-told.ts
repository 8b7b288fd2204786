import { EnvironmentProblem } from "#api/variables.ts";
import { type DeployedSettings, readDeployedSettings } from "#ec2/deployed-settings.ts";
import type { FunctionVariables } from "../../shared/adapters/aws/deployed-function.ts";

type Place = Parameters<typeof readDeployedSettings>[1];

/** The settings of the function that looks after a cluster, so that one sees what it sees; else Karpenter's, and why. */
export function settingsTold(
  told: FunctionVariables,
  place: Place,
): { readonly settings: DeployedSettings; readonly notes: readonly string[] } {
  if (told.kind === "unknown") return defaults(place, told.message);
  try {
    return { settings: readDeployedSettings(told.variables, place), notes: [] };
  } catch (error) {
    if (!(error instanceof EnvironmentProblem)) throw error;
    return defaults(place, `those that are deployed are wrong: ${error.message}`);
  }
}

function defaults(place: Place, why: string): ReturnType<typeof settingsTold> {
  return { settings: readDeployedSettings({}, place), notes: [`settings are Karpenter's defaults: ${why}`] };
}
