import { expect, test } from "vitest";
import { answerReview, reviewVersion } from "./conversion-review.ts";

const beta = {
  apiVersion: "karpenter.sh/v1beta1",
  kind: "NodePool",
  metadata: { name: "a", uid: "u", resourceVersion: "7", labels: { a: "b" } },
  spec: { template: { spec: { requirements: [] } }, weight: 3 },
};

function review(request: unknown): unknown {
  const answer = answerReview({ apiVersion: reviewVersion, kind: "ConversionReview", request });
  return answer.kind === "review" ? answer.review.response : answer;
}

test("all objects come back in their order, with the metadata that an API server lets nobody change", () => {
  const other = { ...beta, metadata: { name: "b" } };
  const objects = [beta, other, { ...beta, apiVersion: "karpenter.sh/v1" }];
  expect(review({ uid: "1", desiredAPIVersion: "karpenter.sh/v1", objects })).toEqual({
    uid: "1",
    result: { status: "Success" },
    convertedObjects: [beta, other, beta].map((object) => ({ ...object, apiVersion: "karpenter.sh/v1" })),
  });
});

test.each([
  ["an object that is not ours", { objects: [beta, { apiVersion: "v1", kind: "Pod" }] }, "objects[1]: "],
  [
    "a version that is not served",
    { desiredAPIVersion: "karpenter.sh/v3", objects: [beta] },
    "objects[0]: NodePool is not served",
  ],
  ["no objects", { objects: "x" }, "request.objects must be a list"],
  ["no version", { desiredAPIVersion: 1 }, "request.desiredAPIVersion is missing"],
  ["far too many objects", { objects: new Array(10_001).fill(beta) }, "10001 objects are more than 10000"],
])("%s fails the whole review, in words", (_, request, message) => {
  const answer = review({ uid: "1", desiredAPIVersion: "karpenter.sh/v1", objects: [], ...request });
  expect(answer).toMatchObject({ uid: "1", result: { status: "Failed" }, convertedObjects: [] });
  expect(JSON.stringify(answer)).toContain(message);
});

test.each([
  ["nothing", undefined],
  ["text", "x"],
  ["another kind", { apiVersion: reviewVersion, kind: "AdmissionReview", request: { uid: "1" } }],
  ["an older version", { apiVersion: "apiextensions.k8s.io/v1beta1", kind: "ConversionReview", request: { uid: "1" } }],
  ["no request", { apiVersion: reviewVersion, kind: "ConversionReview" }],
  ["no uid", { apiVersion: reviewVersion, kind: "ConversionReview", request: {} }],
])("%s is malformed", (_, body) => {
  expect(answerReview(body)).toMatchObject({ kind: "malformed" });
});
