/**
 * Karpenter counterpart: none, because it passes over these in silence. Here what a launch does not carry out is said, so
 * that nobody takes silence for consent.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { familyRules } from "../instance-type/family-rules.ts";
import { amiFamilyOf } from "./ami-alias.ts";

/** Fields that the class's image family has no place for, in words. */
export function ignoredFields(spec: EC2NodeClassSpec): readonly string[] {
  const family = amiFamilyOf(spec);
  const ignored: string[] = [];
  if (spec.kubelet?.podsPerCore !== undefined && !familyRules[family].podsPerCore) {
    ignored.push(`spec.kubelet.podsPerCore (${family} has no such setting)`);
  }
  if (spec.instanceStorePolicy !== undefined && familyRules[family].windows) {
    ignored.push(`spec.instanceStorePolicy (${family} leaves instance stores alone)`);
  }
  return ignored;
}
