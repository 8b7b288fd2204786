import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A function URL on loopback: every request is an invocation, in version 2.0 of the payload, and its answer the reply. */
export class FunctionUrl {
  readonly #server: Server;
  /** Requests by the code of their answer. */
  readonly answered: number[] = [];
  #port = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(fn: LambdaFunction, pem: { readonly key: string; readonly cert: string }): Promise<FunctionUrl> {
    const server = createServer(pem);
    const url = new FunctionUrl(server);
    server.on("request", (request, response) => {
      invoked(fn, request).then(({ statusCode, headers, body }) => {
        url.answered.push(statusCode);
        response.writeHead(statusCode, headers).end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address !== null && typeof address === "object") url.#port = address.port;
    return url;
  }

  /** `https://…`, without a slash at its end. */
  get origin(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function invoked(fn: LambdaFunction, request: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = "GET", url = "/", headers } = request;
  const { ended } = await fn.invoke({
    version: "2.0",
    rawPath: url.split("?")[0],
    headers,
    requestContext: { http: { method, path: url } },
    // Lambda hands text on as it is, and everything else in base64.
    body: Buffer.concat(chunks).toString("base64"),
    isBase64Encoded: true,
  });
  if (ended.kind === "answered") return ended.answer as Answer;
  return { statusCode: 502, headers: {}, body: JSON.stringify(ended) };
}
