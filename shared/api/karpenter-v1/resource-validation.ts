import type { ResourceList } from "../core-v1/meta.ts";
import { map } from "../shape/collection.ts";
import { isInt64 } from "../shape/scalar.ts";
import { mustBe, type Shape } from "../shape/shape.ts";

/** The syntax of a quantity, sign and all; whether its number can be held is checked where it is used. */
export const quantityPattern =
  /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))?$/;

/** A quantity of a CRD, text or whole number, as text. */
export const crdQuantity: Shape<string> = (value, at, notes) => {
  if (isInt64(value)) return String(value);
  if (typeof value === "string" && quantityPattern.test(value)) return value;
  return mustBe(notes, at, 'a quantity such as 4, "500m" or "8Gi"', value);
};

export const crdResources: Shape<ResourceList> = map(crdQuantity);
