import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaimSpec } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { LaunchPlan } from "#core/cloud-provider.ts";
import type { EnsureLaunchTemplate, LaunchInstance } from "#core/command.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { claimOf, resolvedClass, snapshotOf } from "./ec2-world.ts";

/** Plans of a claim against the small account, for the tests of launches. */

export const capacityType = (...values: string[]): RequirementSpec => ({
  key: "karpenter.sh/capacity-type",
  operator: "In",
  values,
});
export const types = (...values: string[]): RequirementSpec => ({
  key: "node.kubernetes.io/instance-type",
  operator: "In",
  values,
});

export interface World {
  readonly nodeClass?: Partial<EC2NodeClassSpec>;
  readonly state?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

export function plan(claim: Partial<NodeClaimSpec>, { nodeClass, state = {}, labels = {} }: World = {}): LaunchPlan {
  const snapshot = snapshotOf({ nodeClasses: [resolvedClass(nodeClass)], state });
  return ec2Provider.planLaunch(snapshot, claimOf(claim, labels), 1);
}

export function launchOf(claim: Partial<NodeClaimSpec>, world?: World): LaunchInstance {
  const answer = plan(claim, world);
  if (answer.kind !== "launch") throw new Error(answer.message);
  return answer.launch;
}

export function templatesOf(claim: Partial<NodeClaimSpec>, world?: World): readonly EnsureLaunchTemplate[] {
  const answer = plan(claim, world);
  if (answer.kind !== "launch") throw new Error(answer.message);
  return answer.prepare.flatMap((command) => (command.kind === "ensure-launch-template" ? [command] : []));
}
