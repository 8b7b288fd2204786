/**
 * All manifests of a user at once: what `outrigger convert` does. Karpenter counterpart: the karpenter-convert tool of
 * v0.32 and the hand work of the v1 migration page. It differs: from any of the old versions straight to v1, and each
 * thing that a person must look at is told by object and field.
 */

import { parseObject } from "../parse.ts";
import { isJsonObject } from "../problem.ts";
import { type Finding, toDecide, toKnow } from "./finding.ts";
import { isGlobalSettings, readGlobalSettings } from "./global-settings.ts";
import { type FieldSteps, fieldAt, type JsonObject, objectOr, textOr, withField } from "./json-fields.ts";
import { type Moving, moveKubelets } from "./kubelet-move.ts";
import { nodeClassFindings, ubuntuFindings } from "./node-class-findings.ts";
import { withBetaHopLimit } from "./node-class-slots.ts";
import { type Conversion, convertNodeTemplate, type GlobalDefaults } from "./node-template.ts";
import { oldNameFindings } from "./old-names.ts";
import { convertProvisioner } from "./provisioner.ts";
import { withCurrentNames } from "./retired-names.ts";
import { convertedTo, versionOf } from "./version-conversion.ts";

export interface ConvertedManifest {
  /** What takes the object's place, in order; empty when nothing does; the very object when nothing changed. */
  readonly objects: readonly JsonObject[];
  readonly findings: readonly Finding[];
}

/** One answer for each object, in their order. Never throws, whatever the objects are. */
export function convertManifests(manifests: readonly unknown[]): readonly ConvertedManifest[] {
  const [settings] = manifests.filter(isJsonObject).filter(isGlobalSettings);
  const defaults = settings === undefined ? {} : readGlobalSettings(settings).defaults;
  const moving = manifests.map((manifest) => startOf(manifest, defaults));
  moveKubelets(moving.flatMap(({ steps }) => steps));
  return moving.map(({ steps, findings, isChanged }) => {
    const objects = steps.flatMap(({ object, added }) => [object, ...added]);
    const told = [...findings, ...steps.flatMap((step) => step.findings)];
    return { objects, findings: withoutRepeats(told, isChanged ? objects.flatMap(validityFindings) : []) };
  });
}

/**
 * The parts of a class that was split have the same fields and the same problems; and a field of which a person hears what
 * to do is not valid before that.
 */
function withoutRepeats(told: readonly Finding[], invalid: readonly Finding[]): readonly Finding[] {
  const toMend = new Set(told.filter(({ mustDecide }) => mustDecide).map(({ field }) => field));
  const all = [...told, ...invalid.filter(({ field }) => !toMend.has(field))];
  return [...new Map(all.map((finding) => [`${finding.field} ${finding.message}`, finding])).values()];
}

interface Start {
  readonly steps: readonly Moving[];
  readonly findings: readonly Finding[];
  readonly isChanged: boolean;
}

function startOf(manifest: unknown, defaults: GlobalDefaults): Start {
  if (!isJsonObject(manifest)) return { steps: [], findings: [toDecide("", "is no object")], isChanged: false };
  if (isGlobalSettings(manifest)) {
    return { steps: [], findings: readGlobalSettings(manifest).findings, isChanged: true };
  }
  const { object, findings } = withCurrentNames(manifest);
  const conversion = conversionOf(object, defaults);
  const steps = conversion.objects.map((one): Moving => ({ object: one, findings: [], added: [] }));
  const isChanged = conversion.objects[0] !== object;
  return { steps, findings: [...findings, ...conversion.findings], isChanged };
}

function conversionOf(object: JsonObject, defaults: GlobalDefaults): Conversion {
  const spec = objectOr(object.spec);
  switch (`${textOr(object.apiVersion, "")} ${textOr(object.kind, "")}`) {
    case "karpenter.sh/v1alpha5 Provisioner":
      return convertProvisioner(object, defaults);
    case "karpenter.sh/v1alpha5 Machine":
      return { objects: [], findings: [toKnow("", "is left out: NodeClaims of v1 are made by Outrigger itself")] };
    case "karpenter.k8s.aws/v1alpha1 AWSNodeTemplate":
      return convertNodeTemplate(object, defaults);
    default:
      if (versionOf(object) === "v1beta1") return fromBeta(object, spec);
      return { objects: [object], findings: oldNameFindings(object) };
  }
}

function fromBeta(object: JsonObject, spec: JsonObject): Conversion {
  const group = textOr(object.apiVersion, "").split("/")[0] ?? "";
  const isClass = object.kind === "EC2NodeClass";
  const refused = isClass ? ubuntuFindings(spec, "spec") : [];
  // Left as it is: half a class would come up with the wrong image.
  if (refused.length > 0) return { objects: [object], findings: refused };
  const converted = convertedTo(`${group}/v1`, withBetaDefaults(object));
  if (converted.kind === "refused") return { objects: [object], findings: [toDecide("apiVersion", converted.message)] };
  return { objects: [converted.object], findings: isClass ? nodeClassFindings(spec, "spec") : expiryFindings(object) };
}

const classRef: FieldSteps = ["spec", "template", "spec", "nodeClassRef"];

/** What a file may leave out, written down as the API server stores it, so that nothing must ride in an annotation. */
function withBetaDefaults(object: JsonObject): JsonObject {
  if (object.kind === "EC2NodeClass") {
    const options = fieldAt(object, ["spec", "metadataOptions"]) ?? undefined;
    return withField(object, ["spec", "metadataOptions"], withBetaHopLimit(options));
  }
  const ref = fieldAt(object, classRef);
  if (object.kind !== "NodePool" || !isJsonObject(ref)) return object;
  return withField(object, classRef, { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", ...ref });
}

function expiryFindings(object: JsonObject): readonly Finding[] {
  if (object.kind !== "NodePool") return [];
  const expireAfter = fieldAt(object, ["spec", "disruption", "expireAfter"]);
  if (expireAfter === undefined) return [];
  const now =
    "is spec.template.spec.expireAfter: nodes go at that age whatever the budgets say, and changing it drifts them";
  return [toKnow("spec.disruption.expireAfter", now)];
}

/** What the API server would refuse about an object that we made; kubectl has it refuse fields that there are not. */
function validityFindings(object: JsonObject): readonly Finding[] {
  const parsed = parseObject(object);
  if (parsed.kind === "unknown") return [];
  const unknown = parsed.warnings.map(({ field }) =>
    toDecide(field, `is no field of ${textOr(object.apiVersion, "")}, and kubectl refuses it: leave it out`),
  );
  if (parsed.kind === "object") return unknown;
  const invalid = parsed.problems.map((problem) =>
    toDecide(problem.field, `is not valid in ${parsed.apiVersion}: ${problem.message}`),
  );
  return [...unknown, ...invalid];
}
