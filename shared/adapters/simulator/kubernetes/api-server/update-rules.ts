import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { sameJson } from "#api/same-json.ts";
import { validateUpdate } from "#api/update-validation.ts";
import type { FieldProblem } from "./answer.ts";
import type { ResourceKind } from "./resource-kinds.ts";

/** What a write is made through; absent: the object itself. */
export type Subresource = "status" | "binding";

/** What may not change in an object that exists. */
export function updateProblems(
  kind: ResourceKind,
  before: KubeObject,
  after: KubeObject,
  subresource: Subresource | undefined,
): readonly FieldProblem[] {
  if (subresource === "status") return [];
  const problems = validateUpdate(before, after);
  if (kind.kind !== "Pod" || problems.length > 0) return problems;
  return podProblems(before as Pod, after as Pod, subresource);
}

/** A pod's specification is fixed but for images, added tolerations, removed gates, and the node that a binding names. */
function podProblems(before: Pod, after: Pod, subresource: Subresource | undefined): readonly FieldProblem[] {
  const { nodeName, schedulingGates, tolerations, containers, ...rest } = before.spec;
  const {
    nodeName: nextNode,
    schedulingGates: nextGates,
    tolerations: nextTolerations,
    containers: nextContainers,
    ...nextRest
  } = after.spec;
  const problems = [...immutable("spec", rest, nextRest)];
  if (subresource !== "binding") problems.push(...immutable("spec.nodeName", nodeName, nextNode));
  const gates = new Set((schedulingGates ?? []).map(({ name }) => name));
  if ((nextGates ?? []).some(({ name }) => !gates.has(name))) {
    problems.push({ field: "spec.schedulingGates", message: "gates can be removed and not added" });
  }
  const kept = (tolerations ?? []).every((toleration) => (nextTolerations ?? []).some((t) => sameJson(toleration, t)));
  if (!kept) problems.push({ field: "spec.tolerations", message: "tolerations can be added and not removed" });
  const withoutImages = (list: Pod["spec"]["containers"]): unknown =>
    list.map(({ image: _image, ...container }) => container);
  problems.push(...immutable("spec.containers", withoutImages(containers), withoutImages(nextContainers)));
  return problems;
}

function immutable(field: string, before: unknown, after: unknown): readonly FieldProblem[] {
  return sameJson(before, after) ? [] : [{ field, message: "is immutable" }];
}
