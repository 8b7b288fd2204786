/**
 * Karpenter counterpart: pkg/controllers/nodeclass/instanceprofile garbage collection, the eviction of launch templates
 * from its cache, and the end of a class in pkg/controllers/nodeclass. It differs: a template is deleted when it is old
 * and no claim was launched lately, not when a process forgets it; a launch that misses it makes it again.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2NodeClassLabel } from "#api/ec2-v1/ec2nodeclass.ts";
import type { DeleteCloudResource } from "#core/command.ts";
import { conditionOf } from "#core/condition.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { instanceProfileAnnotation } from "../labels.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import { dryRunOf } from "./dry-run.ts";
import { instanceProfileType } from "./instance-profile.ts";
import { ec2NodeClassesOf } from "./node-class.ts";

export const launchTemplateType = "launch-template";
/** Karpenter: a profile is protected for an hour after it was named. */
const profileGraceMs = 60 * 60_000;
/** Karpenter forgets a template after a minute; ours is asked for anew each tick that needs it. */
const templateGraceMs = 60 * 60_000;
/** In one tick; EC2 counts deletions as writes. */
const deletionsMax = 5;

/** Profiles and templates that nothing uses any more. Nothing while a read is missing. */
export function unusedResources(snapshot: Snapshot<Ec2View>): readonly DeleteCloudResource[] {
  if (snapshot.cloud.incomplete.length > 0) return [];
  return [...unusedProfiles(snapshot), ...unusedTemplates(snapshot)].slice(0, deletionsMax);
}

/** Named by no class and by no claim; the list holds those below the cluster's own path alone. */
function unusedProfiles({ cluster, cloud, nowMs }: Snapshot<Ec2View>): readonly DeleteCloudResource[] {
  const used = new Set([
    ...ec2NodeClassesOf(cluster).map(({ status }) => status?.instanceProfile),
    ...cluster.nodeClaims.map(({ metadata }) => metadata.annotations?.[instanceProfileAnnotation]),
  ]);
  return (cloud.view.ownProfiles ?? [])
    .filter(({ name, createdAtMs }) => !used.has(name) && nowMs - createdAtMs > profileGraceMs)
    .map(({ name }) => ({ kind: "delete-cloud-resource", type: instanceProfileType, name }));
}

/** Of this very cluster, old, and of a class that is not launching: instances do not need the template that made them. */
function unusedTemplates({ cluster, cloud, nowMs, settings }: Snapshot<Ec2View>): readonly DeleteCloudResource[] {
  const tried = new Set(
    ec2NodeClassesOf(cluster).map((nodeClass) => dryRunOf(nodeClass, ec2Settings(settings))?.launchTemplate),
  );
  const launching = new Set(
    cluster.nodeClaims
      .filter((claim) => conditionOf(claim, "Launched")?.status !== "True")
      .map(({ metadata }) => metadata.labels?.[ec2NodeClassLabel] ?? ""),
  );
  return (cloud.view.ownTemplates ?? [])
    .filter(({ name, clusterIdentity }) => clusterIdentity === settings.clusterIdentity && !tried.has(name))
    .filter(({ nodeClass = "", createdAtMs }) => nowMs - createdAtMs > templateGraceMs && !launching.has(nodeClass))
    .map(({ name }) => ({ kind: "delete-cloud-resource", type: launchTemplateType, name }));
}

/**
 * What the class leaves behind; undefined while the list of what was made could not be read. The profile stays while
 * another class runs under it.
 */
export function resourcesOfClass(
  snapshot: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
): readonly DeleteCloudResource[] | undefined {
  const { ownProfiles, ownTemplates } = snapshot.cloud.view;
  const { name } = nodeClass.metadata;
  const profile = nodeClass.spec.instanceProfile === undefined ? nodeClass.status?.instanceProfile : undefined;
  const others = ec2NodeClassesOf(snapshot.cluster).filter(({ metadata }) => metadata.name !== name);
  const isShared = others.some(({ status }) => status?.instanceProfile === profile);
  const mayOwn = profile !== undefined && !isShared;
  if (ownTemplates === undefined || (mayOwn && ownProfiles === undefined)) return undefined;
  const isOwn = (ownProfiles ?? []).some((own) => own.name === profile);
  const templates = ownTemplates.filter(
    (own) => own.nodeClass === name && own.clusterIdentity === snapshot.settings.clusterIdentity,
  );
  return [
    ...(!mayOwn || !isOwn
      ? []
      : [{ kind: "delete-cloud-resource" as const, type: instanceProfileType, name: profile }]),
    ...templates.map((own) => ({ kind: "delete-cloud-resource" as const, type: launchTemplateType, name: own.name })),
  ];
}
