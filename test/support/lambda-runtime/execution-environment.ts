import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { DeployedBundle } from "./deployed-bundle.ts";
import type { InvocationResult } from "./invocation-result.ts";

export interface EnvironmentSettings {
  readonly deployed: DeployedBundle;
  readonly name: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly memoryMB: number;
  /** Whose rights the process has; absent: this process's own. */
  readonly userId?: number;
}

interface Waiting {
  readonly event: unknown;
  readonly id: string;
  readonly resolve: (ended: InvocationResult["ended"]) => void;
}

const usageZero = { cpuUs: 0, maxRssKb: 0 };

/** One process of a function behind Lambda's Runtime API. It stands still between invocations, as Lambda's does. */
export class ExecutionEnvironment {
  readonly #settings: EnvironmentSettings;
  readonly #server: Server;
  readonly #child: ChildProcess;
  #waiting: Waiting | undefined;
  /** The process's call for the next invocation, while there is none. */
  #asking: ServerResponse | undefined;
  #initError: InvocationResult["ended"] | undefined;
  #usage = usageZero;
  #log: string[] = [];
  #isUsed = false;

  private constructor(settings: EnvironmentSettings, server: Server) {
    this.#settings = settings;
    this.#server = server;
    server.on("request", (request, response) => void this.#answer(request, response));
    const { port } = server.address() as AddressInfo;
    const { node, bootstrap, task } = settings.deployed;
    this.#child = spawn(node, [bootstrap], {
      cwd: task,
      env: variablesOf(settings, port),
      stdio: ["ignore", "pipe", "pipe"],
      ...(settings.userId === undefined ? {} : { uid: settings.userId, gid: settings.userId }),
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", (line) => this.#log.push(line));
    }
    this.#child.once("exit", (code, signal) => this.#gone(`the process ended (${code ?? signal})`));
  }

  static async start(settings: EnvironmentSettings): Promise<ExecutionEnvironment> {
    const server = createServer({ keepAlive: false });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ExecutionEnvironment(settings, server);
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get isBusy(): boolean {
    return this.#waiting !== undefined;
  }

  async invoke(event: unknown): Promise<InvocationResult> {
    const isCold = !this.#isUsed;
    this.#isUsed = true;
    const before = isCold ? usageZero : this.#usage;
    const beganMs = performance.now();
    const ended = await new Promise<InvocationResult["ended"]>((resolve) => {
      this.#waiting = { event, id: randomUUID(), resolve };
      const timer = setTimeout(() => {
        this.#end({ kind: "timed-out" });
        this.#child.kill("SIGKILL");
      }, this.#settings.timeoutMs);
      this.#waiting = {
        ...this.#waiting,
        resolve: (how) => {
          clearTimeout(timer);
          resolve(how);
        },
      };
      if (this.#initError !== undefined) this.#end(this.#initError);
      else this.#give();
    });
    const durationMs = performance.now() - beganMs;
    const log = this.#log.splice(0);
    const cpuMs = (this.#usage.cpuUs - before.cpuUs) / 1000;
    return { ended, isCold, durationMs, cpuMs, peakRssMB: (this.#usage.maxRssKb * 1024) / 1e6, log };
  }

  async stop(): Promise<void> {
    if (!this.isGone) {
      const gone = new Promise((resolve) => this.#child.once("exit", resolve));
      this.#child.kill("SIGKILL");
      await gone;
    }
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#usage = {
      cpuUs: Number(request.headers["x-cpu-us"] ?? this.#usage.cpuUs),
      maxRssKb: Number(request.headers["x-max-rss-kb"] ?? this.#usage.maxRssKb),
    };
    if (request.method === "GET") {
      this.#asking = response;
      this.#give();
      return;
    }
    const body: unknown = JSON.parse((await textOf(request)) || "null");
    response.writeHead(202).end();
    if (request.url?.endsWith("/response") === true) this.#end({ kind: "answered", answer: body });
    else {
      const failure = failureOf(body);
      if (request.url?.endsWith("/init/error") === true) this.#initError = failure;
      this.#end(failure);
    }
  }

  /** Gives the waiting invocation to the asking process; with nothing to give, the process stands still. */
  #give(): void {
    const response = this.#asking;
    if (response === undefined) return;
    if (this.#waiting === undefined) {
      this.#child.kill("SIGSTOP");
      return;
    }
    this.#asking = undefined;
    this.#child.kill("SIGCONT");
    response.writeHead(200, {
      "Lambda-Runtime-Aws-Request-Id": this.#waiting.id,
      "Lambda-Runtime-Deadline-Ms": String(Date.now() + this.#settings.timeoutMs),
      "Lambda-Runtime-Invoked-Function-Arn": `arn:aws:lambda:us-east-1:123456789012:function:${this.#settings.name}`,
    });
    response.end(JSON.stringify(this.#waiting.event));
  }

  #end(how: InvocationResult["ended"]): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(how);
  }

  #gone(message: string): void {
    this.#end({ kind: "failed", errorType: "Runtime.ExitError", message });
  }
}

/** Only what Lambda itself sets, and the function's own: nothing of the test's leaks in. */
function variablesOf({ deployed, name, memoryMB, variables }: EnvironmentSettings, port: number) {
  return {
    PATH: "/usr/bin:/bin",
    // Lambda's user is in its machine's list of users; ours is in none.
    HOME: "/home/sbx_user1051",
    TZ: ":UTC",
    LANG: "en_US.UTF-8",
    _HANDLER: deployed.handler,
    LAMBDA_TASK_ROOT: deployed.task,
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMB),
    ...variables,
  };
}

function failureOf(body: unknown): InvocationResult["ended"] {
  const { errorType = "Error", errorMessage = "", trace = "" } = (body ?? {}) as Readonly<Record<string, string>>;
  return { kind: "failed", errorType, message: errorMessage, trace };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
