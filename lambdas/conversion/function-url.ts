/** What a function URL hands to its function, version 2.0 of the payload, as far as it is read here. */
export interface UrlCall {
  readonly rawPath: string;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface UrlAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function textAnswer(statusCode: number, text: string): UrlAnswer {
  return { statusCode, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${text}\n` };
}

/** The parsed JSON of a call, or what to answer in its place. */
export function bodyOf(
  { body = "", isBase64Encoded = false }: UrlCall,
  bytesMax: number,
): { readonly kind: "read"; readonly body: unknown } | { readonly kind: "refused"; readonly answer: UrlAnswer } {
  const text = isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
  if (Buffer.byteLength(text) > bytesMax) {
    return { kind: "refused", answer: textAnswer(413, `more than ${bytesMax} bytes; ask for a list page by page`) };
  }
  try {
    return { kind: "read", body: JSON.parse(text) };
  } catch {
    return { kind: "refused", answer: textAnswer(400, "the body is no JSON") };
  }
}
