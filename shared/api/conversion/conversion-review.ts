/**
 * The conversion of custom resources by webhook, apiextensions.k8s.io/v1: what an API server asks and what it is
 * answered. Karpenter counterpart: the conversion webhook of 0.35 – 1.0 (knative's). It differs: a pure function, so that
 * it can run anywhere, and nothing is lost on either way.
 */
import { isJsonObject, shown } from "../problem.ts";
import { type JsonObject, textOr } from "./json-fields.ts";
import { convertedTo } from "./version-conversion.ts";

export const reviewVersion = "apiextensions.k8s.io/v1";

/** A list is converted in one review; API servers ask for at most a page of objects, 500 as `kubectl` lists. */
const objectsMax = 10_000;

interface ReviewResponse {
  readonly uid: string;
  readonly result: { readonly status: "Success" } | { readonly status: "Failed"; readonly message: string };
  /** As many as were asked for, in their order; none when it failed. */
  readonly convertedObjects: readonly JsonObject[];
}

export type ReviewAnswer =
  | { readonly kind: "review"; readonly review: JsonObject }
  /** No API server sends this: there is nobody to answer in the form of a review. */
  | { readonly kind: "malformed"; readonly message: string };

/** `body` is the parsed request. All objects are converted, or none: an API server takes no half. */
export function answerReview(body: unknown): ReviewAnswer {
  if (!isJsonObject(body) || body.apiVersion !== reviewVersion || body.kind !== "ConversionReview") {
    return { kind: "malformed", message: `a ConversionReview of ${reviewVersion} is needed` };
  }
  const { request } = body;
  const uid = isJsonObject(request) ? textOr(request.uid, "") : "";
  if (!isJsonObject(request) || uid === "") return { kind: "malformed", message: "request.uid is missing" };
  const response = responseTo(request, uid);
  return { kind: "review", review: { apiVersion: reviewVersion, kind: "ConversionReview", response: { ...response } } };
}

function responseTo({ desiredAPIVersion, objects }: JsonObject, uid: string): ReviewResponse {
  if (typeof desiredAPIVersion !== "string") return failed(uid, "request.desiredAPIVersion is missing");
  if (!Array.isArray(objects)) return failed(uid, `request.objects must be a list; got ${shown(objects)}`);
  if (objects.length > objectsMax) return failed(uid, `${objects.length} objects are more than ${objectsMax}`);
  const converted: JsonObject[] = [];
  for (const [index, object] of objects.entries()) {
    const answer = convertedTo(desiredAPIVersion, object);
    if (answer.kind === "refused") return failed(uid, `objects[${index}]: ${answer.message}`);
    converted.push(answer.object);
  }
  return { uid, result: { status: "Success" }, convertedObjects: converted };
}

function failed(uid: string, message: string): ReviewResponse {
  return { uid, result: { status: "Failed", message }, convertedObjects: [] };
}
