import type { IncomingMessage } from "node:http";
import { type Agent, type RequestOptions, request } from "node:https";
import { gunzipSync } from "node:zlib";

/** One HTTP request on the wire. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly serverName?: string;
  readonly agent: Agent;
}

export interface Answered {
  readonly kind: "answered";
  readonly status: number;
  readonly body: string;
  /** The API server's clock, whole seconds; absent when it sent no Date. */
  readonly serverTimeMs?: number;
  readonly retryAfterMs?: number;
}

export interface Broken {
  readonly kind: "broken";
  /** Node's code, or `ETIMEDOUT` after our own time limit. */
  readonly code: string;
  readonly message: string;
}

/** Sends and waits for the whole answer, no longer than `timeoutMs`. Never rejects. */
export function exchange(call: Exchange, timeoutMs: number): Promise<Answered | Broken> {
  return new Promise((resolve) => {
    const outgoing = request(call.url, optionsOf(call));
    const timer = setTimeout(() => outgoing.destroy(timeoutError(timeoutMs)), timeoutMs);
    const end = (result: Answered | Broken): void => {
      clearTimeout(timer);
      resolve(result);
    };
    outgoing.once("error", (error) => end(brokenBy(error)));
    outgoing.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", (error) => end(brokenBy(error)));
      response.once("end", () => end(answerOf(response, chunks)));
      response.once("close", () => end({ kind: "broken", code: "ECONNRESET", message: "the answer was cut off" }));
    });
    outgoing.end(call.body);
  });
}

/** Ended by the server, by `idleMs` without a byte, by a broken connection or by the caller. */
export interface StreamEnd {
  readonly kind: "ended" | "broken" | "stopped";
  /** Not 200: the server refused, and this is what it said. */
  readonly refused?: Answered;
}

export interface StreamListener {
  /** The server accepted; lines may follow at any time. */
  readonly opened: () => void;
  readonly line: (text: string) => void;
}

/** Reads a stream of lines until it ends. Never rejects. */
export function readLines(
  call: Exchange,
  limits: { readonly connectMs: number; readonly idleMs: number; readonly signal: AbortSignal },
  listener: StreamListener,
): Promise<StreamEnd> {
  return new Promise((resolve) => {
    const outgoing = request(call.url, optionsOf(call));
    let timer = setTimeout(() => outgoing.destroy(timeoutError(limits.connectMs)), limits.connectMs);
    const stop = (): void => void outgoing.destroy();
    limits.signal.addEventListener("abort", stop, { once: true });
    const end = (result: StreamEnd): void => {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", stop);
      resolve(limits.signal.aborted ? { kind: "stopped" } : result);
    };
    outgoing.once("error", () => end({ kind: "broken" }));
    outgoing.once("close", () => end({ kind: "broken" }));
    outgoing.once("response", (response) => {
      if (response.statusCode !== 200) return refusedStream(response, end);
      listener.opened();
      const lines = new LineSplitter(listener.line);
      const alive = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => outgoing.destroy(timeoutError(limits.idleMs)), limits.idleMs);
      };
      alive();
      response.on("data", (chunk: Buffer) => {
        alive();
        lines.add(chunk);
      });
      response.once("error", () => end({ kind: "broken" }));
      response.once("end", () => end({ kind: "ended" }));
    });
    outgoing.end();
    if (limits.signal.aborted) stop();
  });
}

function refusedStream(response: IncomingMessage, end: (result: StreamEnd) => void): void {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  response.once("end", () => {
    const refused = answerOf(response, chunks);
    end(refused.kind === "broken" ? { kind: "broken" } : { kind: "ended", refused });
  });
}

/** Cuts a byte stream into lines without ever cutting a character. */
class LineSplitter {
  readonly #hear: (text: string) => void;
  #parts: Buffer[] = [];

  constructor(hear: (text: string) => void) {
    this.#hear = hear;
  }

  add(chunk: Buffer): void {
    let start = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, start)) {
      const last = chunk.subarray(start, at);
      const line = this.#parts.length === 0 ? last : Buffer.concat([...this.#parts, last]);
      this.#parts = [];
      if (line.length > 0) this.#hear(line.toString("utf8"));
      start = at + 1;
    }
    if (start < chunk.length) this.#parts.push(chunk.subarray(start));
  }
}

function optionsOf({ method, headers, agent, serverName, body }: Exchange): RequestOptions {
  return {
    method,
    agent,
    ...(serverName === undefined ? {} : { servername: serverName }),
    headers: body === undefined ? headers : { ...headers, "content-length": Buffer.byteLength(body) },
  };
}

function answerOf(response: IncomingMessage, chunks: readonly Buffer[]): Answered | Broken {
  const bytes = Buffer.concat(chunks);
  const { date, "retry-after": retryAfter, "content-encoding": encoding } = response.headers;
  const serverTimeMs = date === undefined ? Number.NaN : Date.parse(date);
  const seconds = Number(retryAfter ?? Number.NaN);
  let body: string;
  try {
    body = (encoding === "gzip" ? gunzipSync(bytes) : bytes).toString("utf8");
  } catch (error) {
    return { kind: "broken", code: "EPROTO", message: `the answer is no gzip: ${messageOf(error)}` };
  }
  return {
    kind: "answered",
    status: response.statusCode ?? 0,
    body,
    ...(Number.isNaN(serverTimeMs) ? {} : { serverTimeMs }),
    ...(Number.isNaN(seconds) ? {} : { retryAfterMs: seconds * 1000 }),
  };
}

function timeoutError(timeoutMs: number): Error {
  return Object.assign(new Error(`no answer within ${timeoutMs} ms`), { code: "ETIMEDOUT" });
}

/** OpenSSL: who signed is not known here. Node advises a flag of its own then, which changes nothing. */
const strangers: ReadonlySet<string> = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** Why there is no answer. */
export function brokenBy(error: Error): Broken {
  const code = "code" in error && typeof error.code === "string" ? error.code : "ECONNRESET";
  const message = strangers.has(code)
    ? "the API server's certificate is not signed by the cluster's certificate authority"
    : error.message;
  return { kind: "broken", code, message };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
