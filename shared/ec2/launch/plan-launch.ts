/**
 * Karpenter counterpart: pkg/cloudprovider/cloudprovider.go, Create, and pkg/providers/instance, up to the request. It
 * differs: nothing is called; the plan is data, and its token makes a repetition the same request.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { capacityTypes } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { LaunchPlan } from "#core/cloud-provider.ts";
import type { EnsureLaunchTemplate, LaunchOption } from "#core/command.ts";
import { conditionOf } from "#core/condition.ts";
import { allowsValue } from "#core/scheduling/requirement.ts";
import { requirementsOf } from "#core/scheduling/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { imageFor, statusImages } from "../instance-type/image-mapping.ts";
import { instanceTypesOf } from "../instance-type/instance-types.ts";
import { tenancyLabel } from "../labels.ts";
import { findNodeClass, isReady } from "../node-class/node-class.ts";
import type { Ec2View } from "../view.ts";
import { type Candidate, candidatesOf, requestsOf } from "./candidates.ts";
import { filterCandidates } from "./filters.ts";
import { launchTemplate } from "./launch-template.ts";
import { subnetByZone } from "./subnets.ts";
import { instanceTags } from "./tags.ts";

const efaResource = "vpc.amazonaws.com/efa";
/** A request for it switches Nitro Enclaves on. */
const enclaveResource = "eks.amazonaws.com/nitro-sandbox";

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
  const capacityType = capacityTypeOf(candidates);
  const templates = new Map<string, EnsureLaunchTemplate>();
  const templateFor = templateFinder(snapshot, claim, nodeClass, capacityType);
  const subnets = subnetByZone(nodeClass, snapshot.cloud.view);
  const options: LaunchOption[] = [];
  for (const candidate of candidates) {
    const template = templateFor(candidate);
    if (template === undefined) continue;
    for (const { zone, pricePerHour, capacityType: own } of candidate.offerings) {
      const subnetId = subnets.get(zone);
      if (own !== capacityType || subnetId === undefined) continue;
      templates.set(template.name, template);
      const { name } = candidate.instanceType;
      options.push({ instanceType: name, zone, pricePerHour, subnetId, launchTemplate: template.name });
    }
  }
  if (options.length === 0) {
    const message = `no image of EC2NodeClass ${nodeClass.metadata.name} boots the instance types that the claim allows`;
    return { kind: "insufficient-capacity", message };
  }
  const uid = claim.metadata.uid ?? claim.metadata.name;
  return {
    kind: "launch",
    prepare: [...templates.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    launch: {
      kind: "launch-instance",
      nodeClaim: claim.metadata.name,
      nodeClaimUid: uid,
      attempt,
      token: `${uid}-${attempt}`,
      capacityType,
      options: options.sort(byPrice),
      tags: instanceTags(nodeClass, claim, snapshot.settings),
    },
  };
}

/** The first of reserved, spot, on-demand that any candidate offers. */
function capacityTypeOf(candidates: readonly Candidate[]): string {
  const offered = new Set(candidates.flatMap(({ offerings }) => offerings.map(({ capacityType }) => capacityType)));
  return capacityTypes.find((capacityType) => offered.has(capacityType)) ?? "on-demand";
}

/** Types with the same image, pods and interfaces share a template. */
function templateFinder(
  { settings }: Snapshot<Ec2View>,
  claim: NodeClaim,
  nodeClass: EC2NodeClass,
  capacityType: string,
): (candidate: Candidate) => EnsureLaunchTemplate | undefined {
  const images = statusImages(nodeClass);
  const requests = requestsOf(claim);
  const tenancy = tenancyOf(claim);
  const made = new Map<string, EnsureLaunchTemplate>();
  return ({ instanceType, requirements }) => {
    const image = imageFor(images, requirements);
    if (image === undefined) return undefined;
    const maxPods = instanceType.capacity.pods ?? 0;
    const efaCount = (requests[efaResource] ?? 0) > 0 ? (instanceType.capacity[efaResource] ?? 0) : 0;
    const key = `${image.id} ${maxPods} ${efaCount}`;
    const template =
      made.get(key) ??
      launchTemplate(nodeClass, claim, settings, {
        imageId: image.id,
        maxPods,
        efaCount,
        capacityType,
        tenancy,
        nitroEnclaves: (requests[enclaveResource] ?? 0) > 0,
      });
    made.set(key, template);
    return template;
  };
}

export function tenancyOf(claim: NodeClaim): "default" | "dedicated" {
  const wanted = requirementsOf(claim.spec.requirements).get(tenancyLabel);
  return wanted === undefined || allowsValue(wanted, "default") ? "default" : "dedicated";
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
