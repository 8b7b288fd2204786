/** Objects that the loop could not read, or would read otherwise than Karpenter does: that is no handover. */

import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { betaKubeletAnnotation } from "#api/conversion/node-slots.ts";
import { parseObject } from "#api/parse.ts";
import { sameJson } from "#api/same-json.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import { unknownFields } from "#core/crd/unknown-fields.ts";
import { flightProblems } from "./flight.ts";
import { crdNameOf, karpenterKinds } from "./served-kinds.ts";
import type { MigrationOptions } from "./step.ts";
import { annotationsOf, isKarpenterThere, isOurs, type MigrationView, metadataOf, titleOf } from "./view.ts";

const namedMax = 5;

export function objectProblems(view: MigrationView, { crds }: MigrationOptions): readonly string[] {
  const objects = view.objects.filter(isOurs);
  return [
    ...objects.flatMap((object) => [
      ...unreadProblems(object),
      ...newerProblems(object, crds),
      ...kubeletProblems(object, objects),
    ]),
    ...(isKarpenterThere(view) ? flightProblems(view, "Karpenter") : []),
  ];
}

function unreadProblems(object: JsonObject): readonly string[] {
  const parsed = parseObject(object);
  if (parsed.kind !== "problems") return [];
  return parsed.problems.slice(0, namedMax).map(({ field, message }) => `${titleOf(object)}: ${field}: ${message}`);
}

/** A Karpenter newer than the loop's baseline acts on fields that the loop would pass over in silence. */
function newerProblems(object: JsonObject, crds: readonly Crd[]): readonly string[] {
  const kind = karpenterKinds.find((one) => one === object.kind);
  const crd = kind === undefined ? undefined : crds.find(({ metadata }) => metadata.name === crdNameOf(kind));
  if (crd === undefined || object.spec === undefined) return [];
  return unknownFields(crd, { spec: object.spec })
    .slice(0, namedMax)
    .map((field) => `${titleOf(object)}: ${field}: Outrigger does not know this field; take it out first`);
}

/** Karpenter 1.0 reads the kubelet's settings of v1beta1 out of an annotation; 1.1 and everything after it does not. */
function kubeletProblems(object: JsonObject, objects: readonly JsonObject[]): readonly string[] {
  const note = annotationsOf(object)[betaKubeletAnnotation];
  if (object.kind !== "NodePool" || note === undefined) return [];
  const name = fieldAt(object, ["spec", "template", "spec", "nodeClassRef", "name"]);
  const nodeClass = objects.find((other) => other.kind === "EC2NodeClass" && metadataOf(other).name === name);
  if (nodeClass !== undefined && sameJson(fieldAt(nodeClass, ["spec", "kubelet"]), jsonOf(note))) return [];
  const way = `write ${note} to spec.kubelet of EC2NodeClass ${String(name)} (\`outrigger convert\` does, and splits classes)`;
  return [`${titleOf(object)}: its kubelet settings ride in the annotation ${betaKubeletAnnotation}; ${way}`];
}

function jsonOf(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
