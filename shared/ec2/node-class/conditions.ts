/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass_status.go and the reasons of pkg/controllers/nodeclass. It differs: a
 * placement group is refused in words until it is supported, since launching outside it would break a promise.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { ConditionChange, ConditionSet } from "#core/condition.ts";
import type { Settings } from "#core/settings.ts";
import { aliasOf, unsupportedAlias } from "./ami-alias.ts";
import type { Resolution } from "./resolution.ts";
import { validationProblem } from "./validation.ts";

export function nodeClassConditionSet(settings: Settings): ConditionSet {
  return {
    root: "Ready",
    dependents: [
      "AMIsReady",
      "SubnetsReady",
      "SecurityGroupsReady",
      "InstanceProfileReady",
      ...(settings.featureGates.reservedCapacity ? ["CapacityReservationsReady"] : []),
      "PlacementGroupReady",
      "ValidationSucceeded",
    ],
  };
}

/** What this tick can say; a condition whose read is missing stays as it was. */
export function nodeClassConditions(
  nodeClass: EC2NodeClass,
  resolution: Resolution,
  settings: Settings,
): readonly ConditionChange[] {
  const { spec } = nodeClass;
  const dependencies = [
    images(nodeClass, resolution, settings),
    found("SubnetsReady", resolution.subnets, "SubnetsNotFound", "no subnet matches spec.subnetSelectorTerms"),
    found(
      "SecurityGroupsReady",
      resolution.securityGroups,
      "SecurityGroupsNotFound",
      "no security group matches spec.securityGroupSelectorTerms",
    ),
    instanceProfile(spec.role, resolution.instanceProfiles),
  ].flatMap((change) => (change === undefined ? [] : [change]));
  return [
    ...dependencies,
    ...(settings.featureGates.reservedCapacity ? [{ type: "CapacityReservationsReady", status: "True" as const }] : []),
    placementGroup(nodeClass),
    ...validation(nodeClass, dependencies),
  ];
}

function images(
  nodeClass: EC2NodeClass,
  { images: list }: Resolution,
  settings: Settings,
): ConditionChange | undefined {
  const alias = aliasOf(nodeClass.spec);
  const unsupported = alias === undefined ? undefined : unsupportedAlias(alias, settings.kubernetesVersion);
  if (unsupported !== undefined) {
    return { type: "AMIsReady", status: "False", reason: "UnsupportedAlias", message: unsupported };
  }
  return found("AMIsReady", list, "AMINotFound", "no image matches spec.amiSelectorTerms");
}

function found(
  type: string,
  list: readonly unknown[] | undefined,
  reason: string,
  message: string,
): ConditionChange | undefined {
  if (list === undefined) return undefined;
  return list.length > 0 ? { type, status: "True" } : { type, status: "False", reason, message };
}

function instanceProfile(role: string | undefined, names: readonly string[] | undefined): ConditionChange | undefined {
  const type = "InstanceProfileReady";
  if (names === undefined) return undefined;
  if (names.length > 0) return { type, status: "True" };
  return {
    type,
    status: "Unknown",
    reason: "InstanceProfileNotFound",
    message: `no instance profile holds role "${role ?? ""}" yet`,
  };
}

function placementGroup({ spec }: EC2NodeClass): ConditionChange {
  const type = "PlacementGroupReady";
  if (spec.placementGroupSelector === undefined) return { type, status: "True" };
  return {
    type,
    status: "False",
    reason: "PlacementGroupResolutionFailed",
    message: "placement groups are not supported yet; remove spec.placementGroupSelector",
  };
}

/** Four dependencies; while a read of one is missing, the validation stays as it was, unless another one decides. */
function validation(nodeClass: EC2NodeClass, dependencies: readonly ConditionChange[]): readonly ConditionChange[] {
  const type = "ValidationSucceeded";
  const waiting = (status: "False" | "Unknown"): ConditionChange | undefined => {
    const open = dependencies.filter((change) => change.status === status).map((change) => change.type);
    if (open.length === 0) return undefined;
    return { type, status, reason: "DependenciesNotReady", message: `waits for ${open.join(", ")}` };
  };
  const waits = waiting("False") ?? waiting("Unknown");
  if (waits !== undefined) return [waits];
  if (dependencies.length < 4) return [];
  const problem = validationProblem(nodeClass.spec);
  return [problem === undefined ? { type, status: "True" } : { type, status: "False", ...problem }];
}
