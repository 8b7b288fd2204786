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
import { againAfter, isUnreached, noTries } from "./repetition.ts";

/** Connections for requests; a list's pages and a tick's writes share them. Watches have their own, one each. */
const socketsMax = 16;
const connectMsMax = 10_000;
/** The API server sends a bookmark about each minute; a watch that is silent for longer than this is dead. */
const watchIdleMsMax = 90_000;
/** How long a missing right is not asked about again. */
const refusedForMs = 60_000;

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

/** Hears of an outage, once until the API server answers again. */
export type OutageListener = (message: string) => void;

/**
 * HTTPS to one API server over kept connections. The certificate is always verified. Every call must be one that may
 * be repeated; repetition.ts says which answers it is repeated for, within its time. Nothing here throws for what the
 * server does.
 */
export class Transport {
  readonly #endpoint: ApiEndpoint;
  readonly #credentials: Credentials;
  readonly #requests: Agent;
  readonly #watches: Agent;
  readonly #onOutage: OutageListener | undefined;
  #isOut = false;
  /** Until then a 403 is taken at its word: one was asked about again and again, and stayed. */
  #refusedUntilMs = 0;

  /** Without `onOutage` a call does not wait for an API server that cannot be reached. */
  constructor(endpoint: ApiEndpoint, credentials: Credentials, onOutage?: OutageListener) {
    if (!endpoint.url.startsWith("https://"))
      throw new Error(`the API server must be reached by https: ${endpoint.url}`);
    this.#endpoint = endpoint;
    this.#credentials = credentials;
    this.#onOutage = onOutage;
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
    const tries = { ...noTries };
    for (let renew = false; ; ) {
      const answer = await this.#send(call, renew, untilMs);
      this.#tellOutage(answer);
      const patience = {
        whenBusy: call.waitWhenBusy ?? true,
        whenRefused: Date.now() >= this.#refusedUntilMs,
        whenUnreached: this.#onOutage !== undefined,
      };
      const again = againAfter(answer, tries, patience, Math.random());
      if (again === undefined || Date.now() + again.waitMs >= untilMs) return this.#final(answer, tries.refused);
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

  #tellOutage(answer: ApiAnswer): void {
    const isOut = answer.kind === "broken" && isUnreached(answer.code);
    if (isOut && !this.#isOut)
      this.#onOutage?.(`the API server cannot be reached, and is waited for: ${answer.message}`);
    this.#isOut = isOut;
  }

  #final(answer: ApiAnswer, refusals: number): ApiAnswer {
    if (answer.kind === "broken") return answer;
    if (answer.status === 403 && refusals > 0) this.#refusedUntilMs = Date.now() + refusedForMs;
    return answer.status === 401 ? this.#unknown(answer) : answer;
  }

  /** The same answer with what to do about it, in the form of the API server's own. */
  #unknown(answer: Answered): Answered {
    const message = `the API server does not know who calls; ${this.#credentials.remedy}`;
    const status = { kind: "Status", status: "Failure", reason: "Unauthorized", code: 401, message };
    return { ...answer, body: JSON.stringify(status) };
  }
}
