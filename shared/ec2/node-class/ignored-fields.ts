import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";

/** Fields that a launch does not carry out yet, in words. Placement groups are refused by their condition instead. */
export function ignoredFields(spec: EC2NodeClassSpec): readonly string[] {
  const ignored: string[] = [];
  if (spec.capacityReservationSelectorTerms !== undefined && spec.capacityReservationSelectorTerms.length > 0) {
    ignored.push("spec.capacityReservationSelectorTerms (launches use spot and on-demand capacity only)");
  }
  if (spec.userData !== undefined) {
    ignored.push("spec.userData (instances start with the generated bootstrap only)");
  }
  if (spec.context !== undefined) ignored.push("spec.context");
  return ignored;
}
