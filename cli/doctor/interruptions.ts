import { partName } from "#aws/part-name.ts";
import type { ClusterFacts } from "../plan/cluster-source.ts";
import type { Interruptions } from "./after-upgrade.ts";

/** Whether EC2's warnings reach the deployment's function. */
export async function interruptionsOf(facts: ClusterFacts | undefined): Promise<Interruptions> {
  if (facts === undefined) return { unknown: "manifests do not say whether EC2's warnings reach a function" };
  // Its client takes a while to load, which manifests need not pay.
  const { isFunctionFed } = await import("../../shared/adapters/aws/deployed-function.ts");
  const { name, region } = facts.eks;
  const fed = await isFunctionFed({ region }, partName(name, "interruption"));
  if (typeof fed === "string") return { unknown: fed };
  return fed ? "on" : "off";
}
