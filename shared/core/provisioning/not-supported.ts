/**
 * Kinds of Karpenter's API that Outrigger does not act on yet: said once an object, and the object is left alone.
 * Karpenter counterpart: none; it acts on them.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import { type ObjectKind, refOf } from "../object-ref.ts";
import { notSupportedEvent, type Reason } from "../reason.ts";

const spokenOf: Readonly<Record<string, ObjectKind>> = {
  CapacityBuffer: "CapacityBuffer",
  NodeOverlay: "NodeOverlay",
};

export function notSupportedReasons(objects: readonly KubeObject[]): readonly Reason[] {
  return objects.flatMap((object) => {
    const kind = Object.hasOwn(spokenOf, object.kind) ? spokenOf[object.kind] : undefined;
    if (kind === undefined) return [];
    return [
      {
        about: { ...refOf(kind, object), apiVersion: object.apiVersion },
        code: "not-supported" as const,
        message: `${object.kind} (${object.apiVersion}) is not supported yet; the object is left alone`,
        event: notSupportedEvent,
      },
    ];
  });
}
