/**
 * Karpenter counterpart: pkg/providers/amifamily/resolver.go, MapToInstanceTypes. No difference.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { firstConflict, type Requirements, requirementsOf } from "#core/scheduling/requirements/requirements.ts";

export interface StatusImage {
  readonly id: string;
  readonly requirements: Requirements;
}

/** The images of the class's status, in its order, compiled. */
export function statusImages(nodeClass: EC2NodeClass): readonly StatusImage[] {
  return (nodeClass.status?.amis ?? []).map(({ id, requirements }) => ({
    id,
    requirements: requirementsOf(requirements),
  }));
}

/** The first image that a type with these requirements can boot. */
export function imageFor(images: readonly StatusImage[], type: Requirements): StatusImage | undefined {
  return images.find(({ requirements }) => firstConflict(type, requirements) === undefined);
}
