/**
 * Karpenter counterpart: pkg/providers/instancetype/types.go, computeRequirements. No difference in labels and values.
 */
import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";
import {
  archLabel,
  capacityTypeLabel,
  instanceTypeLabel,
  osLabel,
  regionLabel,
  windowsBuildLabel,
  zoneLabel,
} from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import * as labels from "../labels.ts";
import type { ReservationStatus } from "../node-class/capacity-reservations.ts";
import { windowsBuildOf } from "../node-class/windows-build.ts";
import type { PlacementGroup } from "../view.ts";
import type { CatalogueType } from "./catalogue.ts";
import { readTypeName } from "./type-name.ts";

export interface ClassZone {
  readonly zone: string;
  readonly zoneId?: string;
  /** The zone's id. */
  readonly zoneIdRequirements: readonly RequirementSpec[];
  /** What an offering in the zone that is bought requires beyond it. */
  readonly requirements: readonly RequirementSpec[];
}

/** What the class adds to the labels of its types. */
export interface ClassPlaces {
  readonly zones: readonly ClassZone[];
  readonly reservations: readonly ReservationStatus[];
  readonly placementGroup: PlacementGroup | undefined;
}

/** Every well-known label of a type within a class, `DoesNotExist` where it has none; sorted by key. */
export function typeRequirements(
  type: CatalogueType,
  family: AmiFamily,
  region: string,
  { zones, reservations, placementGroup }: ClassPlaces,
): readonly RequirementSpec[] {
  const reserved = reservations.filter(({ instanceType }) => instanceType === type.name);
  const offered = zones.filter(({ zone }) => type.zones.includes(zone));
  const zoneIds = offered.flatMap(({ zoneId }) => (zoneId === undefined ? [] : [zoneId]));
  const values: Readonly<Record<string, readonly string[]>> = {
    [instanceTypeLabel]: [type.name],
    [archLabel]: [type.arch],
    [osLabel]: osOf(type, family),
    [regionLabel]: [region],
    [zoneLabel]: offered.map(({ zone }) => zone),
    [labels.zoneIdLabel]: zoneIds,
    [windowsBuildLabel]: present(windowsBuildOf(family)),
    [capacityTypeLabel]: [...type.usageClasses, ...(reserved.length > 0 ? ["reserved"] : [])],
    [labels.tenancyLabel]: ["dedicated", "default"],
    ...nameValues(type),
    ...machineValues(type),
    ...deviceValues(type),
    ...reservationValues(reserved),
    [labels.placementGroupIdLabel]: present(placementGroup?.id),
    [labels.placementGroupPartitionLabel]: partitionsOf(placementGroup),
  };
  return Object.entries(values)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, list]) =>
      list.length === 0
        ? { key, operator: "DoesNotExist" as const }
        : { key, operator: "In" as const, values: [...list].sort() },
    );
}

function reservationValues(reserved: readonly ReservationStatus[]): Readonly<Record<string, readonly string[]>> {
  const kinds = reserved.map(({ reservationType = "default" }) => reservationType);
  return {
    [labels.reservationIdLabel]: reserved.map(({ id }) => id),
    [labels.reservationTypeLabel]: [...new Set<string>(kinds)],
    [labels.reservationInterruptibleLabel]: [...new Set(reserved.map((each) => String(each.interruptible ?? false)))],
  };
}

/** "1" to the number of them. */
function partitionsOf(group: PlacementGroup | undefined): readonly string[] {
  if (group?.strategy !== "partition") return [];
  return Array.from({ length: group.partitions ?? 0 }, (_, index) => String(index + 1));
}

/** Windows runs on amd64 alone. */
function osOf(type: CatalogueType, family: AmiFamily): readonly string[] {
  if (windowsBuildOf(family) === undefined) return ["linux"];
  return type.arch === "amd64" ? ["windows"] : [];
}

function nameValues(type: CatalogueType): Readonly<Record<string, readonly string[]>> {
  const { family, size, category, generation } = readTypeName(type.name);
  return {
    [labels.familyLabel]: [family],
    [labels.sizeLabel]: [size],
    [labels.categoryLabel]: present(category),
    [labels.generationLabel]: present(generation),
    [labels.flexLabel]: [String(family.includes("-flex"))],
  };
}

function machineValues(type: CatalogueType): Readonly<Record<string, readonly string[]>> {
  return {
    [labels.cpuLabel]: [String(type.vcpus)],
    [labels.cpuManufacturerLabel]: [kebab(type.cpuManufacturer)],
    [labels.clockSpeedLabel]: present(type.clockMhz),
    [labels.memoryLabel]: [String(type.memoryMiB)],
    [labels.ebsBandwidthLabel]: present(type.ebsMbps),
    [labels.networkBandwidthLabel]: present(type.networkMbps),
    [labels.localNvmeLabel]: present(type.nvmeGB),
    // Empty for bare metal, as EC2 says it.
    [labels.hypervisorLabel]: [type.hypervisor],
    [labels.encryptionLabel]: [String(type.encryptionInTransit)],
    [labels.nitroSandboxLabel]: [String(type.nitroEnclaves)],
  };
}

function deviceValues({ gpu, accelerator }: CatalogueType): Readonly<Record<string, readonly string[]>> {
  return {
    [labels.gpuNameLabel]: present(gpu && kebab(gpu.name)),
    [labels.gpuManufacturerLabel]: present(gpu && kebab(gpu.manufacturer)),
    [labels.gpuCountLabel]: present(gpu?.count),
    [labels.gpuMemoryLabel]: present(gpu?.memoryMiB),
    [labels.acceleratorNameLabel]: present(accelerator && kebab(accelerator.name)),
    [labels.acceleratorManufacturerLabel]: present(accelerator && kebab(accelerator.manufacturer)),
    [labels.acceleratorCountLabel]: present(accelerator?.count),
  };
}

function present(value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [String(value)];
}

/** "RTX PRO 4500" → "rtx-pro-4500". */
function kebab(name: string): string {
  return name.toLowerCase().replaceAll(" ", "-");
}
