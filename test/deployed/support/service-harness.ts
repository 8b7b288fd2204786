import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CustomRequest, StandIn } from "../../support/aws/stand-in.ts";
import type { DeployedFunctions, Told } from "./deployed-functions.ts";
import { runStateMachine, type TaskOutcome } from "./state-machine.ts";

const lookEveryMs = 200;

/**
 * What of AWS starts functions by a call: Lambda's Invoke, executions of state machines, and CloudFormation's custom
 * resources. The stand-in hands the calls over; what runs in the background is told by the functions' results.
 */
export class ServiceHarness {
  /** What went wrong behind the caller's back. */
  readonly problems: string[] = [];
  readonly #standIn: StandIn;
  readonly #functions: DeployedFunctions;
  readonly #server: Server;
  #stopped = false;

  private constructor(standIn: StandIn, functions: DeployedFunctions, server: Server) {
    this.#standIn = standIn;
    this.#functions = functions;
    this.#server = server;
    server.on("request", (request, response) => {
      this.#answer(request, response).catch((error: unknown) => refuse(response, String(error)));
    });
  }

  static async start(standIn: StandIn, functions: DeployedFunctions): Promise<ServiceHarness> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const harness = new ServiceHarness(standIn, functions, server);
    const { port } = server.address() as AddressInfo;
    await standIn.configure({ harness: `http://127.0.0.1:${port}` });
    void harness.#watchCustomResources();
    return harness;
  }

  stop(): void {
    this.#stopped = true;
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: unknown = JSON.parse((await textOf(request)) || "null");
    const name = /^\/2015-03-31\/functions\/([^/]+)\/invocations/.exec(request.url ?? "")?.[1];
    if (name === undefined) {
      const executionArn = await this.#execute(body as { readonly stateMachineArn: string; readonly input: string });
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ executionArn, startDate: Math.floor(Date.now() / 1000) }));
    } else if (request.headers["x-amz-invocation-type"] === "Event") {
      this.#background(`${name}, invoked`, this.#functions.invoke(decodeURIComponent(name), body));
      response.writeHead(202).end();
    } else {
      const outcome = outcomeOf(await this.#functions.invoke(decodeURIComponent(name), body));
      const failed = outcome.kind === "failed";
      response.writeHead(200, failed ? { "x-amz-function-error": "Unhandled" } : {});
      response.end(failed ? outcome.cause : JSON.stringify(outcome.answer));
    }
  }

  async #execute({ stateMachineArn, input }: { readonly stateMachineArn: string; readonly input: string }) {
    const { machines } = await this.#standIn.deployed();
    const machine = machines.find(({ arn }) => arn === stateMachineArn);
    if (machine === undefined) throw new Error(`StateMachineDoesNotExist: ${stateMachineArn}`);
    const runTask = async (arn: string, given: unknown) => outcomeOf(await this.#functions.invoke(arn, given));
    const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    const execution = runStateMachine(machine.definition, JSON.parse(input), runTask, sleep);
    this.#background(`${stateMachineArn}, executed`, execution);
    return stateMachineArn.replace(":stateMachine:", ":execution:");
  }

  async #watchCustomResources(): Promise<void> {
    while (!this.#stopped) {
      const requests = await this.#standIn.customRequests().catch(() => []);
      for (const request of requests) this.#background(request.LogicalResourceId, this.#ask(request));
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  /** A function that dies without an answer: CloudFormation waits an hour for it, nobody does here. */
  async #ask(request: CustomRequest): Promise<void> {
    const told = await this.#functions.invoke(request.ServiceToken, request);
    const outcome = outcomeOf(told);
    if (outcome.kind === "failed") await this.#standIn.refuseCustom(request, outcome.cause);
  }

  #background(what: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#stopped) this.problems.push(`${what}: ${String(error)}`);
    });
  }
}

/** In the form that Lambda gives a caller: what failed is an object of its own. */
function outcomeOf({ ended }: Told): TaskOutcome {
  if (ended.kind === "answered") return ended;
  const [errorType, errorMessage] =
    ended.kind === "failed" ? [ended.errorType, ended.message] : ["Sandbox.Timedout", "Task timed out"];
  return { kind: "failed", error: errorType, cause: JSON.stringify({ errorType, errorMessage }) };
}

function refuse(response: ServerResponse, message: string): void {
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ Type: "User", Message: message }));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
