/**
 * Karpenter counterpart: pkg/apis/v1/*_conversion.go of v1.0, for the parts that two versions hold differently. It
 * differs: nothing is lost on either way. What the other version cannot hold rides in an annotation, and comes back as
 * long as the part that was converted has not been changed meanwhile.
 */
import type { Json } from "../core-v1/meta.ts";
import { ownPrefix } from "../outrigger-names.ts";
import { isJsonObject } from "../problem.ts";
import { sameJson } from "../same-json.ts";
import { annotationOf, withAnnotation, withoutAnnotation } from "./annotations.ts";
import { type FieldSteps, fieldAt, type JsonObject, withField } from "./json-fields.ts";

/** The values of a slot's fields, each under the name of its last step; absent fields are left out. */
export type SlotValue = JsonObject;

/** One part of an object that v1beta1 and v1 hold differently. Slots of a kind do not overlap. */
export interface Slot {
  /** Part of the annotation's name. */
  readonly name: string;
  readonly beta: readonly FieldSteps[];
  readonly v1: readonly FieldSteps[];
  /** Both take any JSON: what makes no sense is passed on for the validation to tell. */
  readonly up: (beta: SlotValue, object: JsonObject) => SlotValue;
  readonly down: (v1: SlotValue) => SlotValue;
  /** Karpenter 1.0's own annotation for the one field of v1beta1, where it has one. */
  readonly betaAnnotation?: string;
}

function betaAnnotation(slot: Slot): string {
  return slot.betaAnnotation ?? `${ownPrefix}v1beta1-${slot.name}`;
}

function v1Annotation(slot: Slot): string {
  return `${ownPrefix}v1-${slot.name}`;
}

/** One part of a v1beta1 object, as v1 has it. */
export function upgradeSlot(object: JsonObject, slot: Slot): JsonObject {
  const before = slotValueOf(object, slot.beta);
  const ridden = annotated(object, v1Annotation(slot), slot.v1);
  const after = ridden !== undefined && sameJson(slot.down(ridden), before) ? ridden : slot.up(before, object);
  const isHeld = sameJson(slot.down(after), before);
  const moved = replaced(withoutAnnotation(object, v1Annotation(slot)), slot.beta, slot.v1, after);
  return isHeld ? moved : withAnnotation(moved, betaAnnotation(slot), annotationText(before, slot.beta));
}

/** One part of a v1 object, as v1beta1 has it. */
export function downgradeSlot(object: JsonObject, slot: Slot): JsonObject {
  const before = slotValueOf(object, slot.v1);
  const ridden = annotated(object, betaAnnotation(slot), slot.beta);
  const after = ridden !== undefined && sameJson(slot.up(ridden, object), before) ? ridden : slot.down(before);
  const isHeld = sameJson(slot.up(after, object), before);
  const moved = replaced(withoutAnnotation(object, betaAnnotation(slot)), slot.v1, slot.beta, after);
  return isHeld ? moved : withAnnotation(moved, v1Annotation(slot), annotationText(before, slot.v1));
}

function slotValueOf(object: JsonObject, fields: readonly FieldSteps[]): SlotValue {
  const found = fields.map((steps) => [nameOf(steps), fieldAt(object, steps)] as const);
  return Object.fromEntries(found.filter((entry): entry is readonly [string, Json] => entry[1] !== undefined));
}

function nameOf(steps: FieldSteps): string {
  return steps.at(-1) ?? "";
}

/** Fields that both versions have keep their place; the others are added at the end. */
function replaced(
  object: JsonObject,
  before: readonly FieldSteps[],
  after: readonly FieldSteps[],
  value: SlotValue,
): JsonObject {
  const isKept = (steps: FieldSteps): boolean => after.some((other) => other.join("\n") === steps.join("\n"));
  const cleared = before
    .filter((steps) => !isKept(steps))
    .reduce((all, steps) => withField(all, steps, undefined), object);
  return after.reduce((all, steps) => withField(all, steps, value[nameOf(steps)]), cleared);
}

/** A slot with one field rides as that field's value, which is how Karpenter 1.0 writes it; null is an absent field. */
function annotationText(value: SlotValue, fields: readonly FieldSteps[]): string {
  const [only, ...others] = fields;
  const isSingle = only !== undefined && others.length === 0;
  return JSON.stringify(isSingle ? (value[nameOf(only)] ?? null) : value);
}

function annotated(object: JsonObject, name: string, fields: readonly FieldSteps[]): SlotValue | undefined {
  const value = parsedJson(annotationOf(object, name));
  const [only, ...others] = fields;
  if (value === undefined) return undefined;
  if (only !== undefined && others.length === 0) return value === null ? {} : { [nameOf(only)]: value };
  return isJsonObject(value) ? value : undefined;
}

function parsedJson(text: string | undefined): Json | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  } catch {
    // Somebody else's annotation under this name: it says nothing to us.
    return undefined;
  }
}
