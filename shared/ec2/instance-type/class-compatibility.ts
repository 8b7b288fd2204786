/**
 * Karpenter counterpart: pkg/providers/instancetype/compatibility. It differs: the layout of network cards is judged by
 * the number of EFA interfaces, since the catalogue does not know the cards.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";
import type { CatalogueType } from "./catalogue.ts";
import { familyRules } from "./family-rules.ts";
import { efaOnlyCount } from "./type-capacity.ts";
import { readTypeName } from "./type-name.ts";

/** False: the type is listed, so that drift still finds it, and never launched. */
export function canRunClass(type: CatalogueType, spec: EC2NodeClassSpec): boolean {
  const family = amiFamilyOf(spec);
  // First Graviton has no AL2023 kernel.
  if (family === "AL2023" && readTypeName(type.name).family === "a1") return false;
  if (familyRules[family].windows && type.arch !== "amd64") return false;
  if (spec.connectionTracking !== undefined && type.hypervisor !== "nitro") return false;
  if (spec.cpuOptions?.nestedVirtualization === "enabled" && type.nestedVirtualization !== true) return false;
  return efaOnlyCount(spec) <= (type.efaInterfaces ?? 0);
}
