import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import type { AwsIdentity } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { ensureEnvironment } from "../../support/aws/environment.ts";
import type { Deployed, StandIn } from "../../support/aws/stand-in.ts";
import { type DeployedBundle, unpackBundle } from "../../support/lambda-runtime/deployed-bundle.ts";
import type { InvocationResult } from "../../support/lambda-runtime/invocation-result.ts";
import { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";

type Description = Deployed["functions"][number];

interface Running {
  readonly version: string;
  readonly lambda: LambdaFunction;
  readonly bundle: DeployedBundle;
}

export interface Told extends InvocationResult {
  readonly functionName: string;
  readonly event: unknown;
  readonly atMs: number;
}

const waiterAsksAgain = "retry requested by handler";
/** What Lambda's Node runtime brings, for the functions that the CDK adds. */
const runtimePackages = join(import.meta.dirname, "../../../node_modules");

/**
 * The functions as they are deployed at the time of each call: code, variables, memory and time of the template, and
 * credentials of the function's own role.
 */
export class DeployedFunctions {
  /** Every invocation that has ended. */
  readonly told: Told[] = [];
  readonly #standIn: StandIn;
  readonly #s3: S3Client;
  readonly #signIn: (identity: AwsIdentity, roleArn: string) => void;
  readonly #running = new Map<string, Promise<Running>>();
  #stopped = false;

  /** `signIn` hears of each function's keys before they are used. */
  constructor(standIn: StandIn, s3: S3Client, signIn: (identity: AwsIdentity, roleArn: string) => void) {
    this.#standIn = standIn;
    this.#s3 = s3;
    this.#signIn = signIn;
  }

  /** By name or ARN; rejects when there is no such function. */
  async invoke(nameOrArn: string, event: unknown): Promise<Told> {
    const name = nameOrArn.split(":").at(-1);
    const { functions } = await this.#standIn.deployed();
    const found = functions.find(({ FunctionName }) => FunctionName === name);
    if (found === undefined || this.#stopped) throw new Error(`ResourceNotFoundException: no function ${name}`);
    const atMs = Date.now();
    const { lambda } = await this.#run(found);
    const told = { ...(await lambda.invoke(event)), functionName: found.FunctionName, event, atMs };
    this.told.push(told);
    return told;
  }

  /** Those that did not answer. The CDK's waiter fails when it wants to be asked again; that is none. */
  failures(): readonly object[] {
    return this.told
      .filter(({ ended, log }) => ended.kind !== "answered" && !log.some((line) => line.endsWith(waiterAsksAgain)))
      .map(({ functionName, ended, log }) => ({ functionName, ended, log: log.slice(-5) }));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const running of await Promise.all(this.#running.values())) await end(running);
  }

  #run(description: Description): Promise<Running> {
    const version = JSON.stringify(description);
    const known = this.#running.get(description.FunctionName) ?? Promise.resolve(undefined);
    const running = known.then(async (before) => {
      if (before?.version === version) return before;
      if (before !== undefined) await end(before);
      return this.#start(description, version);
    });
    this.#running.set(description.FunctionName, running);
    return running;
  }

  async #start(description: Description, version: string): Promise<Running> {
    const { FunctionName: name, Role, Handler, Timeout, MemorySize, Environment, Code } = description;
    const bundle = await unpackBundle(name, async (task) => {
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: Code.S3Bucket, Key: Code.S3Key }));
      const archive = (await Body?.transformToByteArray()) ?? new Uint8Array();
      unzip(archive, task);
      return { handler: Handler, bytes: archive.length };
    });
    const identity = await this.#standIn.assume(Role, name);
    this.#signIn(identity, Role);
    const variables = {
      ...this.#variables(identity),
      ...Environment?.Variables,
    };
    const settings = { deployed: bundle, name, timeoutMs: Timeout * 1_000, memoryMB: MemorySize, variables };
    return { version, bundle, lambda: new LambdaFunction(settings, isBundled(Handler)) };
  }

  #variables({ accessKeyId, secretAccessKey, sessionToken = "" }: AwsIdentity): Readonly<Record<string, string>> {
    const { endpoint, region } = this.#standIn;
    return {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_SESSION_TOKEN: sessionToken,
      AWS_ENDPOINT_URL: endpoint,
      CLOUDFORMATION_ENDPOINT: endpoint,
      NODE_PATH: runtimePackages,
    };
  }
}

/** Ours have everything in them. */
function isBundled(handler: string): boolean {
  return handler === "handler.handler";
}

async function end({ lambda, bundle }: Running): Promise<void> {
  await lambda.chill();
  bundle.remove();
}

/** Python is there: the stand-in runs on it. */
function unzip(archive: Uint8Array, into: string): void {
  const environment = ensureEnvironment();
  if (environment.kind === "missing") throw new Error(environment.why);
  const file = join(into, "../code.zip");
  writeFileSync(file, archive);
  execFileSync(environment.python, ["-m", "zipfile", "-e", file, into]);
  chmodSync(into, 0o755);
}
