/**
 * Karpenter counterpart: pkg/cloudprovider/cloudprovider.go, Create, and pkg/providers/instance, up to the request. It
 * differs: nothing is called; the plan is data, and its token makes a repetition the same request.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { capacityTypes, minValuesRelaxedAnnotation } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { LaunchPlan } from "#core/cloud-provider.ts";
import type { EnsureLaunchTemplate, LaunchOption } from "#core/command.ts";
import { conditionOf } from "#core/condition.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { instanceTypesOf } from "../instance-type/instance-types.ts";
import { reservationKind } from "../node-class/capacity-reservations.ts";
import { findNodeClass, isReady } from "../node-class/node-class.ts";
import { placementGroupOf } from "../node-class/placement-group.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import { type Candidate, candidatesOf } from "./candidates.ts";
import { filterCandidates } from "./filters.ts";
import { enclaveResource, LaunchTemplates } from "./launch-templates.ts";
import { subnetByZone } from "./subnets.ts";
import { instanceTags } from "./tags.ts";

const unknownCluster =
  "the cluster's endpoint, certificate authority and service addresses could not be read (eks:DescribeCluster)";

export function planLaunch(snapshot: Snapshot<Ec2View>, claim: NodeClaim, attempt: number): LaunchPlan {
  const name = claim.spec.nodeClassRef.name;
  const nodeClass = findNodeClass(snapshot.cluster, claim.spec.nodeClassRef);
  if (nodeClass === undefined || nodeClass.metadata.deletionTimestamp !== undefined) {
    const state = nodeClass === undefined ? "does not exist" : "is being deleted";
    return { kind: "insufficient-capacity", message: `EC2NodeClass ${name} ${state}` };
  }
  if (!isReady(nodeClass)) return { kind: "not-ready", message: notReadyMessage(nodeClass) };
  const types = instanceTypesOf(snapshot, nodeClass);
  if (types.kind === "unknown") return { kind: "not-ready", message: types.message };
  const candidates = candidatesOf(launchable(claim), types.instanceTypes);
  if (candidates.length === 0) {
    const message = "no instance type that the claim allows has room for it and an offering that can be had now";
    return { kind: "insufficient-capacity", message };
  }
  const filtered = filterCandidates(claim, candidates, snapshot.settings.minValuesPolicy);
  if (filtered.kind === "none") return { kind: "insufficient-capacity", message: filtered.message };
  return planOf(snapshot, claim, attempt, nodeClass, filtered.candidates);
}

function planOf(
  snapshot: Snapshot<Ec2View>,
  claim: NodeClaim,
  attempt: number,
  nodeClass: EC2NodeClass,
  candidates: readonly Candidate[],
): LaunchPlan {
  const { cloud } = snapshot;
  const settings = ec2Settings(snapshot.settings);
  const cluster = cloud.view.clusterFacts;
  if (cluster === undefined) return { kind: "not-ready", message: unknownCluster };
  const capacityType = capacityTypeOf(candidates);
  const placementGroup = placementGroupOf(nodeClass.spec, cloud.view);
  const finder = new LaunchTemplates({ nodeClass, claim, settings, cluster, capacityType, placementGroup });
  // Karpenter: what the smallest of the types can take of a subnet.
  const addresses = candidates.reduce(
    (least, { instanceType }) => Math.min(least, instanceType.capacity.pods ?? 1),
    110,
  );
  const subnets = subnetByZone(snapshot, nodeClass, claim, addresses);
  const { options, templates } = optionsOf(candidates, finder, subnets, capacityType);
  const problem = options.length === 0 ? finder.problem() : undefined;
  if (problem !== undefined) return { kind: "not-ready", message: problem };
  if (options.length === 0) {
    const message = `no image of EC2NodeClass ${nodeClass.metadata.name} boots the instance types that the claim allows`;
    return { kind: "insufficient-capacity", message };
  }
  const uid = claim.metadata.uid ?? claim.metadata.name;
  const details = launchDetails(nodeClass, claim, options);
  return {
    kind: "launch",
    prepare: templates,
    launch: {
      kind: "launch-instance",
      nodeClaim: claim.metadata.name,
      nodeClaimUid: uid,
      attempt,
      token: `${uid}-${attempt}`,
      capacityType,
      options,
      tags: instanceTags(nodeClass, claim, settings),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
  };
}

/** Cheapest first, with the templates that they name, each once. */
function optionsOf(
  candidates: readonly Candidate[],
  finder: LaunchTemplates,
  subnets: ReadonlyMap<string, string>,
  capacityType: string,
): { readonly options: readonly LaunchOption[]; readonly templates: readonly EnsureLaunchTemplate[] } {
  const templates = new Map<string, EnsureLaunchTemplate>();
  const options: LaunchOption[] = [];
  for (const candidate of candidates) {
    for (const offering of candidate.offerings) {
      const { zone, pricePerHour, reservationId } = offering;
      const subnetId = subnets.get(zone);
      if (offering.capacityType !== capacityType || subnetId === undefined) continue;
      const template = finder.of(candidate, offering);
      if (template === undefined) continue;
      templates.set(template.name, template);
      const reserved = reservationId === undefined ? {} : { reservationId };
      const { name: instanceType } = candidate.instanceType;
      options.push({ instanceType, zone, pricePerHour, subnetId, launchTemplate: template.name, ...reserved });
    }
  }
  return {
    options: options.sort(byPrice),
    templates: [...templates.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Beyond the options: the class's context, unless minValues were relaxed for the claim, and the reservation's kind. */
function launchDetails(
  { spec, status }: EC2NodeClass,
  { metadata }: NodeClaim,
  options: readonly LaunchOption[],
): Readonly<Record<string, string>> {
  const relaxed = metadata.annotations?.[minValuesRelaxedAnnotation] === "true";
  const id = options[0]?.reservationId;
  const reservation = (status?.capacityReservations ?? []).find((each) => each.id === id);
  return {
    ...(spec.context === undefined || relaxed ? {} : { context: spec.context }),
    ...(reservation === undefined ? {} : { reservationType: reservationKind(reservation) }),
  };
}

/** The first of reserved, spot, on-demand that any candidate offers. */
function capacityTypeOf(candidates: readonly Candidate[]): string {
  const offered = new Set<string>();
  for (const { offerings } of candidates) for (const { capacityType } of offerings) offered.add(capacityType);
  return capacityTypes.find((capacityType) => offered.has(capacityType)) ?? "on-demand";
}

/** Enclaves are a switch of the launch, not an amount that types advertise. */
function launchable(claim: NodeClaim): NodeClaim {
  const requests = claim.spec.resources?.requests;
  if (requests?.[enclaveResource] === undefined) return claim;
  const { [enclaveResource]: _, ...others } = requests;
  return { ...claim, spec: { ...claim.spec, resources: { requests: others } } };
}

function notReadyMessage(nodeClass: EC2NodeClass): string {
  const { name, generation = 1 } = nodeClass.metadata;
  const ready = conditionOf(nodeClass, "Ready");
  if (ready === undefined) return `EC2NodeClass ${name} was not looked at yet`;
  if (ready.observedGeneration !== generation) {
    return `EC2NodeClass ${name} changed and was not looked at since (generation ${generation})`;
  }
  return `EC2NodeClass ${name} is not ready: ${ready.message === "" ? ready.reason : ready.message}`;
}

function byPrice(a: LaunchOption, b: LaunchOption): number {
  if (a.pricePerHour !== b.pricePerHour) return a.pricePerHour - b.pricePerHour;
  if (a.instanceType !== b.instanceType) return a.instanceType < b.instanceType ? -1 : 1;
  return a.zone < b.zone ? -1 : 1;
}
