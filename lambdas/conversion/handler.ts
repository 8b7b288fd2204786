import { answerReview } from "#api/conversion/conversion-review.ts";
import { readConversionEnvironment } from "../environment.ts";
import { bodyOf, textAnswer, type UrlAnswer, type UrlCall } from "./function-url.ts";

const { path } = readConversionEnvironment(process.env);

/** Lambda takes and answers 6 MB at most; a page of 500 NodeClaims has 3. */
const bytesMax = 5_500_000;

/** Answers an API server's ConversionReview: what comes out depends on what comes in and on nothing else. */
export async function handler(call: UrlCall): Promise<UrlAnswer> {
  // Nothing tells who calls, and whoever guesses the host finds nothing here.
  if (call.rawPath !== path) return textAnswer(404, "not found");
  if (call.requestContext.http.method !== "POST") return textAnswer(405, "POST a ConversionReview");
  const read = bodyOf(call, bytesMax);
  if (read.kind === "refused") return read.answer;
  const answer = answerReview(read.body);
  if (answer.kind === "malformed") return textAnswer(400, answer.message);
  const text = JSON.stringify(answer.review);
  if (Buffer.byteLength(text) > bytesMax) return textAnswer(413, `the answer has more than ${bytesMax} bytes`);
  return { statusCode: 200, headers: { "content-type": "application/json" }, body: text };
}
