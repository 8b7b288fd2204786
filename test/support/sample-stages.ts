/** The stages of a tick under the sample provider, as they run: chosen by name, never put together by hand. */
import { stagesOf } from "#controllers/stages.ts";
import type { CloudProvider } from "#core/cloud-provider.ts";
import type { Stage } from "#core/stage.ts";
import { provider as sampleProvider } from "./lifecycle-samples.ts";

/** All of them. */
export const sampleStages: readonly Stage[] = stagesOf(sampleProvider);

/** Those of these names, in the order in which they run. */
export function stagesNamed(
  names: readonly string[],
  provider: CloudProvider<undefined, unknown> = sampleProvider,
): readonly Stage[] {
  const stages = stagesOf(provider).filter(({ name }) => names.includes(name));
  const missing = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (missing.length > 0) throw new Error(`no stage is called ${missing.join(", ")}`);
  return stages;
}
