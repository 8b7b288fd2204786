/**
 * Karpenter counterpart: pkg/controllers/nodeclass/hash. No difference: when the version changes, the class's claims take
 * the new hash without drifting; those that had drifted keep the old one and stay so.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { PatchMetadata } from "#core/command.ts";
import { conditionOf } from "#core/condition.ts";
import { refOf } from "#core/object-ref.ts";
import { classHashAnnotation, classHashVersionAnnotation } from "../labels.ts";
import { classHash, classHashVersion } from "./class-hash.ts";

/** What a node of the class carries from its launch on. */
export function classHashAnnotations({ spec }: EC2NodeClass): Readonly<Record<string, string>> {
  return { [classHashAnnotation]: classHash(spec), [classHashVersionAnnotation]: classHashVersion };
}

/** Those of the class itself come after its claims', so that a crash in between is mended by the next tick. */
export function classHashPatches(nodeClass: EC2NodeClass, claims: readonly NodeClaim[]): readonly PatchMetadata[] {
  const wanted = classHashAnnotations(nodeClass);
  const before = nodeClass.metadata.annotations ?? {};
  if (Object.entries(wanted).every(([key, value]) => before[key] === value)) return [];
  const isNewVersion = before[classHashVersionAnnotation] !== classHashVersion;
  const ofClaims = (isNewVersion ? claims : [])
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(({ metadata }) => metadata.annotations?.[classHashAnnotation] !== undefined)
    .filter(({ metadata }) => metadata.annotations?.[classHashVersionAnnotation] !== classHashVersion)
    .map((claim): PatchMetadata => {
      const isDrifted = conditionOf(claim, "Drifted")?.status === "True";
      const annotations = isDrifted ? { [classHashVersionAnnotation]: classHashVersion } : wanted;
      return { kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations };
    });
  return [...ofClaims, { kind: "patch-metadata", target: refOf("NodeClass", nodeClass), annotations: wanted }];
}
