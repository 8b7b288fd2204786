import { afterAll, describe, expect, test, vi } from "vitest";
import type { UrlCall } from "./function-url.ts";

const secret = "s".repeat(48);
vi.stubEnv("CONVERSION_SECRET", secret);
const { handler } = await import("./handler.ts");
afterAll(() => vi.unstubAllEnvs());

const beta = { apiVersion: "karpenter.sh/v1beta1", kind: "NodePool", metadata: { name: "a" }, spec: { weight: 3 } };
const review = {
  ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" },
  request: { uid: "1", desiredAPIVersion: "karpenter.sh/v1", objects: [beta] },
};

function call(body: string, change: Partial<UrlCall> = {}, method = "POST"): UrlCall {
  return { rawPath: `/${secret}`, requestContext: { http: { method } }, body, ...change };
}

describe("the conversion function", () => {
  test("answers a review, sent as text or in base64", async () => {
    const text = JSON.stringify(review);
    const answers = [
      await handler(call(text)),
      await handler(call(Buffer.from(text).toString("base64"), { isBase64Encoded: true })),
    ];
    for (const { statusCode, headers, body } of answers) {
      expect([statusCode, headers["content-type"]]).toEqual([200, "application/json"]);
      expect(JSON.parse(body)).toMatchObject({
        response: { uid: "1", result: { status: "Success" }, convertedObjects: [{ apiVersion: "karpenter.sh/v1" }] },
      });
    }
  });

  test("answers the same for the same, whatever came in between", async () => {
    const first = await handler(call(JSON.stringify(review)));
    await handler(call("{}"));
    expect(await handler(call(JSON.stringify(review)))).toEqual(first);
  });

  const large = JSON.stringify({ ...review, filler: "x".repeat(5_500_000) });
  test.each([
    ["another path", call(JSON.stringify(review), { rawPath: "/" }), 404, "not found"],
    ["another method", call("", {}, "GET"), 405, "POST"],
    ["no JSON", call("{"), 400, "no JSON"],
    ["no body", { rawPath: `/${secret}`, requestContext: { http: { method: "POST" } } }, 400, "no JSON"],
    ["something else than a review", call("{}"), 400, "ConversionReview"],
    ["more than it may take", call(large), 413, "5500000 bytes"],
  ])("refuses %s", async (_, given, statusCode, words) => {
    expect(await handler(given)).toMatchObject({ statusCode, body: expect.stringContaining(words) });
  });

  test("refuses what would become more than it may answer", async () => {
    const kubelet = { maxPods: 110, filler: "x".repeat(350) };
    const objects = new Array(10_000).fill({ ...beta, spec: { template: { spec: { kubelet } } } });
    const text = JSON.stringify({ ...review, request: { ...review.request, objects } });
    expect(Buffer.byteLength(text)).toBeLessThan(5_500_000);
    expect(await handler(call(text))).toMatchObject({
      statusCode: 413,
      body: "the answer has more than 5500000 bytes\n",
    });
  });
});
