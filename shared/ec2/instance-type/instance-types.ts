/**
 * Karpenter counterpart: pkg/providers/instancetype/instancetype.go, List. It differs: no cache with a lifetime; the
 * answer is remembered for as long as everything it was made from is the same.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { InstanceTypesAnswer } from "#core/cloud-provider.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { unavailableOfferings, unavailableTypes } from "#core/state/unavailable-offerings.ts";
import { zoneIdLabel } from "../labels.ts";
import { fullZones } from "../launch/subnets.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";
import type { ReservationStatus } from "../node-class/capacity-reservations.ts";
import { placementGroupOf } from "../node-class/placement-group.ts";
import { ec2Settings } from "../settings.ts";
import type { Ec2View } from "../view.ts";
import type { Catalogue, CatalogueType } from "./catalogue.ts";
import { canRunClass } from "./class-compatibility.ts";
import { familyRules } from "./family-rules.ts";
import { imageFor, statusImages } from "./image-mapping.ts";
import { type LearnedCapacity, learnedCapacities } from "./learned-capacity.ts";
import { type OfferingContext, typeOfferings, zoneRequirements } from "./offerings.ts";
import { allocatableOf } from "./overhead.ts";
import { typeCapacity } from "./type-capacity.ts";
import { type ClassZone, typeRequirements } from "./type-requirements.ts";
import { volumeLimitsOf } from "./volume-limits.ts";

/**
 * Answers remembered per list of types: a few classes times a few sets of unavailable offerings. A description of all
 * types takes megabytes, so lists share every type that does not differ between them.
 */
const rememberedMax = 32;
const describedTypes = new WeakMap<Catalogue["types"], Map<string, readonly DescribedType[]>>();
const learnedTypes = new WeakMap<readonly DescribedType[], Map<string, readonly DescribedType[]>>();
const offeredTypes = new WeakMap<readonly DescribedType[], Map<string, readonly InstanceType[]>>();
/** A type with the offerings that it has while none is refused, for the counts of reservations that it was made with. */
const wholeTypes = new WeakMap<DescribedType, { readonly counts: string; readonly instanceType: InstanceType }>();

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
  const reservations = reservationsOf(snapshot, nodeClass);
  const reservationsLeft = countsLeft(reservations, snapshot.cloud.view);
  const types = describedWithin(snapshot, nodeClass, catalogue.types);
  const unavailable = unavailableOfferings(cluster.state, nowMs).join(" ");
  const zones = classZones(nodeClass, reservations);
  const full = fullZones(snapshot, nodeClass);
  const context = { zones, fullZones: full, reservations, reservationsLeft, state: cluster.state, nowMs };
  const counts = JSON.stringify(reservationsLeft);
  const instanceTypes = remembered(offeredTypes, types, `${unavailable} ${counts}`, () => {
    const refused = unavailableTypes(cluster.state, nowMs);
    const isNarrowed = ({ type }: DescribedType): boolean => full.size > 0 || refused.has(type.name);
    return types.map((one) => (isNarrowed(one) ? offered(one, context) : wholeType(one, counts, context)));
  });
  return { kind: "known", instanceTypes };
}

function offered({ type, described, canBoot }: DescribedType, context: OfferingContext): InstanceType {
  return { ...described, offerings: typeOfferings(type, canBoot, context) };
}

function wholeType(one: DescribedType, counts: string, context: OfferingContext): InstanceType {
  const known = wholeTypes.get(one);
  if (known?.counts === counts) return known.instanceType;
  const instanceType = offered(one, context);
  wholeTypes.set(one, { counts, instanceType });
  return instanceType;
}

/** The types within the class, with what its nodes have taught of them. */
function describedWithin(
  snapshot: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
  all: Catalogue["types"],
): readonly DescribedType[] {
  const key = descriptionKey(snapshot, nodeClass);
  const types = remembered(describedTypes, all, key, () => describe(snapshot, nodeClass, all));
  const learned = learnedCapacities(snapshot.cluster.state, nodeClass, snapshot.nowMs);
  if (learned.size === 0) return types;
  return remembered(learnedTypes, types, JSON.stringify([...learned]), () =>
    types.map((one) => {
      const known = learned.get(one.type.name);
      if (known === undefined) return one;
      return { ...one, described: { ...one.described, ...resourcesOf(one.type, snapshot, nodeClass, known) } };
    }),
  );
}

function resourcesOf(
  type: CatalogueType,
  snapshot: Snapshot<Ec2View>,
  { spec }: EC2NodeClass,
  learned?: LearnedCapacity,
): Pick<InstanceType, "capacity" | "allocatable"> {
  const rules = familyRules[amiFamilyOf(spec)];
  const capacity = typeCapacity(type, spec, rules, ec2Settings(snapshot.settings), learned);
  return { capacity, allocatable: allocatableOf(capacity, type, spec, rules) };
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

/** Everything that `describe` and `resourcesOf` read, the catalogue apart, and the zones, which offerings read. */
function descriptionKey(snapshot: Snapshot<Ec2View>, nodeClass: EC2NodeClass): string {
  const { cloud } = snapshot;
  const settings = ec2Settings(snapshot.settings);
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
    reservationsOf(snapshot, nodeClass),
    placementGroupOf(spec, cloud.view),
    settings.region,
    settings.vmMemoryOverheadPercent,
    settings.reservedEnis,
  ]);
}

function describe(
  snapshot: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
  types: Catalogue["types"],
): readonly DescribedType[] {
  const { cloud } = snapshot;
  const settings = ec2Settings(snapshot.settings);
  const { spec } = nodeClass;
  const family = amiFamilyOf(spec);
  const reservations = reservationsOf(snapshot, nodeClass);
  const zones = classZones(nodeClass, reservations);
  const places = { zones, reservations, placementGroup: placementGroupOf(spec, cloud.view) };
  const images = statusImages(nodeClass);
  return types.map((type) => {
    const requirements = typeRequirements(type, family, settings.region, places);
    const resources = resourcesOf(type, snapshot, nodeClass);
    const canBoot = canRunClass(type, spec) && imageFor(images, requirementsOf(requirements)) !== undefined;
    const volumeLimits = volumeLimitsOf(type);
    return { type, described: { name: type.name, requirements, ...resources, volumeLimits }, canBoot };
  });
}

/** Those of the class's status, while reserved capacity is used at all. */
function reservationsOf({ settings }: Snapshot<Ec2View>, { status }: EC2NodeClass): readonly ReservationStatus[] {
  return settings.featureGates.reservedCapacity ? (status?.capacityReservations ?? []) : [];
}

/** What each can still give, by id; one that this tick's read did not show gives nothing. */
function countsLeft(reservations: readonly ReservationStatus[], view: Ec2View): Readonly<Record<string, number>> {
  const found = new Map(
    Object.values(view.capacityReservations ?? {}).flatMap((answer) =>
      answer.map(({ id, availableCount }) => [id, availableCount] as const),
    ),
  );
  return Object.fromEntries(reservations.map(({ id }) => [id, found.get(id) ?? 0]));
}

/** One entry a zone of the class's subnets, by zone. */
function classZones(nodeClass: EC2NodeClass, reservations: readonly ReservationStatus[]): readonly ClassZone[] {
  const byZone = new Map<string, ClassZone>();
  for (const { zone, zoneID } of nodeClass.status?.subnets ?? []) {
    const id = zoneID === undefined ? [] : [{ key: zoneIdLabel, operator: "In" as const, values: [zoneID] }];
    const requirements = zoneRequirements(id, reservations.length > 0);
    const own = zoneID === undefined ? {} : { zoneId: zoneID };
    byZone.set(zone, { zone, zoneIdRequirements: id, requirements, ...own });
  }
  return [...byZone.values()].sort((a, b) => (a.zone < b.zone ? -1 : 1));
}
