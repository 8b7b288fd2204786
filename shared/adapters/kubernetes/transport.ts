import { Agent } from "node:https";
import type { ApiEndpoint, Credentials } from "./endpoint.ts";
import {
  type Answered,
  type Broken,
  type Exchange,
  exchange,
  readLines,
  type StreamEnd,
  type StreamListener,
} from "./exchange.ts";

/** Connections for requests; a list's pages and a tick's writes share them. Watches have their own, one each. */
const socketsMax = 16;
const connectMsMax = 10_000;
/** The API server sends a bookmark about each minute; a watch that is silent for longer than this is dead. */
const watchIdleMsMax = 90_000;
/** Busy answers (429) that are waited for, and how long at most. */
const busyTriesMax = 3;
const busyWaitMsMax = 5_000;

export interface ApiCall {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** With query. */
  readonly path: string;
  readonly body?: object;
  readonly contentType?: "application/json" | "application/merge-patch+json" | "application/apply-patch+yaml";
  /** For the call with all its repetitions. */
  readonly timeoutMs: number;
  /** False: a 429 means something else than a busy server (eviction) and is answered at once. Default true. */
  readonly waitWhenBusy?: boolean;
}

export type ApiAnswer = Answered | Broken;

/**
 * HTTPS to one API server over kept connections. The certificate is always verified. Every call must be one that may
 * be repeated: a call whose connection died is sent once more. A 401 is answered with a new token once; a busy server
 * (429) is waited for as it asks, within the call's time. Nothing here throws for what the server does.
 */
export class Transport {
  readonly #endpoint: ApiEndpoint;
  readonly #credentials: Credentials;
  readonly #requests: Agent;
  readonly #watches: Agent;

  constructor(endpoint: ApiEndpoint, credentials: Credentials) {
    if (!endpoint.url.startsWith("https://"))
      throw new Error(`the API server must be reached by https: ${endpoint.url}`);
    this.#endpoint = endpoint;
    this.#credentials = credentials;
    const certificate = credentials.certificate;
    const options = {
      keepAlive: true,
      scheduling: "lifo" as const,
      // Said explicitly, since otherwise an environment variable could switch it off.
      rejectUnauthorized: true,
      ...(endpoint.caPem === undefined ? {} : { ca: endpoint.caPem }),
      ...(certificate === undefined ? {} : { cert: certificate.certPem, key: certificate.keyPem }),
    };
    this.#requests = new Agent({ ...options, maxSockets: socketsMax });
    this.#watches = new Agent({ ...options, keepAlive: false });
  }

  async call(call: ApiCall): Promise<ApiAnswer> {
    const untilMs = Date.now() + call.timeoutMs;
    const tries = { renewed: 0, dead: 0, busy: 0 };
    for (let renew = false; ; ) {
      const answer = await this.#send(call, renew, untilMs);
      const again = againAfter(answer, tries, call.waitWhenBusy ?? true);
      const done = again === undefined || Date.now() + again.waitMs >= untilMs;
      if (done) return answer.kind === "answered" && answer.status === 401 ? this.#unknown(answer) : answer;
      tries[again.because]++;
      renew = again.because === "renewed";
      if (again.waitMs > 0) await new Promise((resolve) => setTimeout(resolve, again.waitMs));
    }
  }

  /** A stream of lines, such as a watch, until the server or `signal` ends it. */
  async lines(path: string, signal: AbortSignal, listener: StreamListener): Promise<StreamEnd> {
    const limits = { connectMs: connectMsMax, idleMs: watchIdleMsMax, signal };
    for (let tries = 0; ; tries++) {
      const authorization = await this.#authorization(tries > 0);
      if (authorization.kind === "broken") return { kind: "broken" };
      const call = this.#exchangeOf(
        "GET",
        path,
        { ...authorization.headers, accept: "application/json" },
        this.#watches,
      );
      const end = await readLines(call, limits, listener);
      if (end.refused?.status !== 401 || tries > 0) return end;
    }
  }

  close(): void {
    this.#requests.destroy();
    this.#watches.destroy();
  }

  async #send(call: ApiCall, renew: boolean, untilMs: number): Promise<ApiAnswer> {
    const authorization = await this.#authorization(renew);
    if (authorization.kind === "broken") return authorization;
    const headers = {
      ...authorization.headers,
      accept: "application/json",
      "accept-encoding": "gzip",
      ...(call.body === undefined ? {} : { "content-type": call.contentType ?? "application/json" }),
    };
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const sent = this.#exchangeOf(call.method, call.path, headers, this.#requests, body);
    return exchange(sent, Math.max(1, untilMs - Date.now()));
  }

  async #authorization(
    renew: boolean,
  ): Promise<{ readonly kind: "known"; readonly headers: Readonly<Record<string, string>> } | Broken> {
    try {
      const authorization = await this.#credentials.authorization(renew);
      return { kind: "known", headers: authorization === undefined ? {} : { authorization } };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "broken", code: "NoCredentials", message: `no credentials for the cluster: ${message}` };
    }
  }

  #exchangeOf(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    agent: Agent,
    body?: string,
  ): Exchange {
    const { url, serverName } = this.#endpoint;
    return {
      url: new URL(url.replace(/\/$/, "") + path),
      method,
      headers: { "user-agent": "outrigger", ...headers },
      agent,
      ...(body === undefined ? {} : { body }),
      ...(serverName === undefined ? {} : { serverName }),
    };
  }

  /** The same answer with what to do about it, in the form of the API server's own. */
  #unknown(answer: Answered): Answered {
    const message = `the API server does not know who calls; ${this.#credentials.remedy}`;
    const status = { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401, message };
    return { ...answer, body: JSON.stringify(status) };
  }
}

type Tries = { renewed: number; dead: number; busy: number };

/** Why and when the call is sent once more; undefined: this answer is the last. Each cause has its own bound. */
function againAfter(
  answer: ApiAnswer,
  tries: Readonly<Tries>,
  waitWhenBusy: boolean,
): { readonly because: keyof Tries; readonly waitMs: number } | undefined {
  if (answer.kind === "broken") {
    return isDeadSocket(answer.code) && tries.dead < 1 ? { because: "dead", waitMs: 0 } : undefined;
  }
  if (answer.status === 401) return tries.renewed < 1 ? { because: "renewed", waitMs: 0 } : undefined;
  if (answer.status !== 429 || !waitWhenBusy || tries.busy >= busyTriesMax) return undefined;
  return { because: "busy", waitMs: Math.min(answer.retryAfterMs ?? 1_000, busyWaitMsMax) };
}

/**
 * The connection was closed under the request: by a load balancer that tired of it, by a freeze of the function, by a
 * restart. Not a time limit: the server may be at work on that request, and the time is up.
 */
function isDeadSocket(code: string): boolean {
  return code === "ECONNRESET" || code === "EPIPE" || code === "ECONNABORTED";
}
