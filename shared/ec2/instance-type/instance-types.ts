/**
 * Karpenter counterpart: pkg/providers/instancetype/instancetype.go, List. It differs: no cache with a lifetime; the
 * answer is remembered for as long as everything it was made from is the same.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { InstanceTypesAnswer } from "#core/cloud-provider.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { requirementsOf } from "#core/scheduling/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { restingOfferings } from "#core/state/unavailable-offerings.ts";
import { zoneIdLabel } from "../labels.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";
import type { Ec2View } from "../view.ts";
import type { Catalogue, CatalogueType } from "./catalogue.ts";
import { canRunClass } from "./class-compatibility.ts";
import { familyRules } from "./family-rules.ts";
import { imageFor, statusImages } from "./image-mapping.ts";
import { learnedCapacities } from "./learned-capacity.ts";
import { typeOfferings } from "./offerings.ts";
import { allocatableOf } from "./overhead.ts";
import { typeCapacity } from "./type-capacity.ts";
import { type ClassZone, typeRequirements } from "./type-requirements.ts";

/** Answers remembered per list of types: a few classes times a few states of resting offerings. */
const rememberedMax = 32;
const describedTypes = new WeakMap<Catalogue["types"], Map<string, readonly DescribedType[]>>();
const offeredTypes = new WeakMap<readonly DescribedType[], Map<string, readonly InstanceType[]>>();

/** A type within a class, without what changes from tick to tick. */
interface DescribedType {
  readonly type: CatalogueType;
  readonly described: Omit<InstanceType, "offerings">;
  readonly canBoot: boolean;
}

/** All types of the region within `nodeClass`, by name. The same inputs give the same array. */
export function instanceTypesOf(snapshot: Snapshot<Ec2View>, nodeClass: EC2NodeClass): InstanceTypesAnswer {
  const { catalogue } = snapshot.cloud.view;
  if (catalogue === undefined) return { kind: "unknown", message: "the instance type catalogue was not written yet" };
  if ((nodeClass.status?.subnets ?? []).length === 0) {
    return { kind: "unknown", message: `EC2NodeClass ${nodeClass.metadata.name} has no subnets yet` };
  }
  const { cluster, nowMs } = snapshot;
  const key = descriptionKey(snapshot, nodeClass);
  const types = remembered(describedTypes, catalogue.types, key, () => describe(snapshot, nodeClass, catalogue.types));
  const resting = restingOfferings(cluster.state, nowMs).join(" ");
  const zones = classZones(nodeClass);
  const instanceTypes = remembered(offeredTypes, types, resting, () =>
    types.map(({ type, described, canBoot }) => ({
      ...described,
      offerings: typeOfferings(type, zones, canBoot, cluster.state, nowMs),
    })),
  );
  return { kind: "known", instanceTypes };
}

/** What `make` gives for `key`, made once as long as `owner` lives and not too many others came since. */
function remembered<Owner extends object, Answer>(
  answers: WeakMap<Owner, Map<string, Answer>>,
  owner: Owner,
  key: string,
  make: () => Answer,
): Answer {
  const ofOwner = answers.get(owner) ?? new Map<string, Answer>();
  answers.set(owner, ofOwner);
  const known = ofOwner.get(key);
  if (known !== undefined) return known;
  const answer = make();
  const oldest = ofOwner.keys().next();
  if (ofOwner.size >= rememberedMax && oldest.done !== true) ofOwner.delete(oldest.value);
  ofOwner.set(key, answer);
  return answer;
}

/** Everything that `describe` reads, the catalogue apart, and the zones, which offerings read. */
function descriptionKey({ cluster, settings, nowMs }: Snapshot<Ec2View>, nodeClass: EC2NodeClass): string {
  const { spec, status } = nodeClass;
  return JSON.stringify([
    amiFamilyOf(spec),
    spec.kubelet,
    spec.blockDeviceMappings,
    spec.instanceStorePolicy,
    spec.networkInterfaces,
    spec.connectionTracking,
    spec.cpuOptions,
    status?.subnets,
    status?.amis,
    settings.region,
    settings.vmMemoryOverheadPercent,
    settings.reservedEnis,
    [...learnedCapacities(cluster.state, nodeClass, nowMs)],
  ]);
}

function describe(
  { cluster, settings, nowMs }: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
  types: Catalogue["types"],
): readonly DescribedType[] {
  const { spec } = nodeClass;
  const family = amiFamilyOf(spec);
  const rules = familyRules[family];
  const zones = classZones(nodeClass);
  const images = statusImages(nodeClass);
  const learned = learnedCapacities(cluster.state, nodeClass, nowMs);
  return types.map((type) => {
    const requirements = typeRequirements(type, family, settings.region, zones);
    const capacity = typeCapacity(type, spec, rules, settings, learned.get(type.name));
    const allocatable = allocatableOf(capacity, type, spec, rules);
    const canBoot = canRunClass(type, spec) && imageFor(images, requirementsOf(requirements)) !== undefined;
    return { type, described: { name: type.name, requirements, capacity, allocatable }, canBoot };
  });
}

/** One entry a zone of the class's subnets, by zone. */
function classZones(nodeClass: EC2NodeClass): readonly ClassZone[] {
  const byZone = new Map<string, ClassZone>();
  for (const { zone, zoneID } of nodeClass.status?.subnets ?? []) {
    const requirements = zoneID === undefined ? [] : [{ key: zoneIdLabel, operator: "In" as const, values: [zoneID] }];
    byZone.set(zone, { zone, requirements, ...(zoneID === undefined ? {} : { zoneId: zoneID }) });
  }
  return [...byZone.values()].sort((a, b) => (a.zone < b.zone ? -1 : 1));
}
