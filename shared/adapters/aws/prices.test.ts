import { expect, test } from "vitest";
import { priceOf } from "./prices.ts";

function document(pricePerUnit: unknown): string {
  return JSON.stringify({
    product: { attributes: { instanceType: "m5.large" } },
    terms: { OnDemand: { t: { priceDimensions: { d: { unit: "Hrs", pricePerUnit } } } } },
  });
}

test("a document of the price list names a type and its price in the region's currency", () => {
  expect(priceOf(document({ USD: "0.0960000000" }), "USD")).toEqual({ instanceType: "m5.large", perHour: 0.096 });
  expect(priceOf(document({ CNY: "1.2" }), "CNY")).toEqual({ instanceType: "m5.large", perHour: 1.2 });
});

test.each([
  ["another currency", document({ USD: "1" }), "CNY"],
  ["a price of nothing", document({ USD: "0.0000000000" }), "USD"],
  ["no number", document({ USD: "free" }), "USD"],
  ["no JSON", "{", "USD"],
  ["no terms", JSON.stringify({ product: { attributes: { instanceType: "m5.large" } } }), "USD"],
  ["no product", "{}", "USD"],
])("%s is no price", (_, text, currency) => {
  expect(priceOf(text, currency)).toBeUndefined();
});
