/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass_status.go and the reasons of pkg/controllers/nodeclass. It differs: what
 * a read was refused is in the message.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { type ConditionChange, type ConditionSet, conditionOf } from "#core/condition.ts";
import type { Ec2Settings } from "../settings.ts";
import type { Ec2View, FilterQuery } from "../view.ts";
import { aliasOf, unsupportedAlias } from "./ami-alias.ts";
import { imageParameters, imageQueries } from "./image-query.ts";
import { securityGroupQueries, subnetQueries } from "./network-queries.ts";
import { placementGroupQueries } from "./placement-group.ts";
import type { Resolution } from "./resolution.ts";
import { validationProblem } from "./validation.ts";

export function nodeClassConditionSet(settings: Ec2Settings): ConditionSet {
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
  view: Ec2View,
  settings: Ec2Settings,
): readonly ConditionChange[] {
  const { spec } = nodeClass;
  const dependencies = [
    images(nodeClass, resolution, view, settings),
    found(
      "SubnetsReady",
      resolution.subnets,
      "SubnetsNotFound",
      `no subnet matches spec.subnetSelectorTerms${refusalOf(subnetQueries(spec).map(keyOf), view)}`,
    ),
    found(
      "SecurityGroupsReady",
      resolution.securityGroups,
      "SecurityGroupsNotFound",
      `no security group matches spec.securityGroupSelectorTerms${refusalOf(securityGroupQueries(spec).map(keyOf), view)}`,
    ),
    instanceProfile(nodeClass, resolution.instanceProfiles, view),
  ].flatMap((change) => (change === undefined ? [] : [change]));
  return [
    ...dependencies,
    ...(settings.featureGates.reservedCapacity ? [{ type: "CapacityReservationsReady", status: "True" as const }] : []),
    ...placementGroup(nodeClass, resolution, view),
    ...validation(nodeClass, dependencies, view, settings),
  ];
}

function images(
  nodeClass: EC2NodeClass,
  { images: list }: Resolution,
  view: Ec2View,
  settings: Ec2Settings,
): ConditionChange | undefined {
  const alias = aliasOf(nodeClass.spec);
  const unsupported = alias === undefined ? undefined : unsupportedAlias(alias, settings.kubernetesVersion);
  if (unsupported !== undefined) {
    return { type: "AMIsReady", status: "False", reason: "UnsupportedAlias", message: unsupported };
  }
  const questions = [
    ...imageParameters(nodeClass.spec, settings.kubernetesVersion),
    ...imageQueries(nodeClass.spec, settings.kubernetesVersion).map(keyOf),
  ];
  const message = `no image matches spec.amiSelectorTerms${refusalOf(questions, view)}`;
  return found("AMIsReady", list, "AMINotFound", message);
}

/** " (what AWS answered)" where one of the questions was refused, else "". */
function refusalOf(questions: readonly string[], { refusals = {} }: Ec2View): string {
  const [refused] = questions.flatMap((question) => refusals[question] ?? []);
  return refused === undefined ? "" : ` (${refused})`;
}

function keyOf({ key }: FilterQuery): string {
  return key;
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

/** Karpenter's word for a profile that is not there. */
export const profileMissing = "InstanceProfileNotFound";

export function withoutProfile(role: string | undefined): string {
  return `no instance profile holds role "${role ?? ""}"`;
}

/** While one is being made, what making it met before stays on the class. */
function instanceProfile(
  nodeClass: EC2NodeClass,
  names: readonly string[] | undefined,
  view: Ec2View,
): ConditionChange | undefined {
  const type = "InstanceProfileReady";
  if (names !== undefined && names.length > 0) return { type, status: "True" };
  const { role } = nodeClass.spec;
  const refused = view.refusals?.instanceProfiles;
  if (refused !== undefined) {
    const message = `no profile can be found or made for role "${role ?? ""}" (${refused}); where IAM cannot be reached, set spec.instanceProfile in place of spec.role`;
    return { type, status: "Unknown", reason: profileMissing, message };
  }
  if (names === undefined) return undefined;
  const before = conditionOf(nodeClass, type);
  const isKnown = before?.status === "Unknown" && before.message.startsWith(`${withoutProfile(role)}, `);
  const message = isKnown ? before.message : `${withoutProfile(role)} yet`;
  return { type, status: "Unknown", reason: profileMissing, message };
}

function placementGroup(
  { spec }: EC2NodeClass,
  { placementGroups: found }: Resolution,
  view: Ec2View,
): readonly ConditionChange[] {
  const type = "PlacementGroupReady";
  const [query] = placementGroupQueries(spec);
  if (query === undefined) return [{ type, status: "True" }];
  const refused = view.refusals?.[query.key];
  if (refused !== undefined && !refused.startsWith("InvalidPlacementGroup.Unknown")) {
    return [{ type, status: "False", reason: "PlacementGroupResolutionFailed", message: refused }];
  }
  if (found === undefined) return [];
  if (found.length > 0) return [{ type, status: "True" }];
  const message = "no available placement group matches spec.placementGroupSelector";
  return [{ type, status: "False", reason: "PlacementGroupNotFound", message }];
}

/** Four dependencies; while a read of one is missing, the validation stays as it was, unless another one decides. */
function validation(
  nodeClass: EC2NodeClass,
  dependencies: readonly ConditionChange[],
  view: Ec2View,
  settings: Ec2Settings,
): readonly ConditionChange[] {
  const type = "ValidationSucceeded";
  const waiting = (status: "False" | "Unknown"): ConditionChange | undefined => {
    const open = dependencies.filter((change) => change.status === status).map((change) => change.type);
    if (open.length === 0) return undefined;
    return { type, status, reason: "DependenciesNotReady", message: `waits for ${open.join(", ")}` };
  };
  const waits = waiting("False") ?? waiting("Unknown");
  if (waits !== undefined) return [waits];
  if (dependencies.length < 4) return [];
  const problem = validationProblem(nodeClass, view, settings);
  return [problem === undefined ? { type, status: "True" } : { type, status: "False", ...problem }];
}
