/** Whoever types `outrigger migrate` into a terminal, in a folder of their own, against a real API server. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateFunctionCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { parse, stringify } from "yaml";
import type { LambdaFunction } from "../../support/lambda-runtime/lambda-function.ts";
import type { FunctionWorld } from "./function-world.ts";

const program = fileURLToPath(new URL("../../../cli/outrigger.mjs", import.meta.url));
const empty = { ZipFile: new Uint8Array([80, 75, 5, 6, ...new Array(18).fill(0)]) };
/** In the place of the schedule's minute. */
const everyMs = 2_000;

export interface Typed {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

/** What happens as soon as a command has printed that, once. */
export interface Cut {
  readonly at: RegExp;
  readonly signal?: "SIGKILL" | "SIGINT";
  readonly event?: () => Promise<unknown>;
}

export class MigratingPerson {
  readonly home = mkdtempSync(join(tmpdir(), "outrigger-migrate-"));
  readonly #world: FunctionWorld;
  #loop: Promise<void> | undefined;
  #isOver = false;

  constructor(world: FunctionWorld) {
    this.#world = world;
    mkdirSync(join(this.home, ".kube"));
    this.signIn((user) => user);
  }

  /** As `aws eks update-kubeconfig` names a cluster; `change`s what the user signs in with. */
  signIn(change: (user: object) => object): void {
    const config = parse(readFileSync(this.#world.real.controlPlane.kubeconfig, "utf8")) as {
      readonly clusters: readonly { readonly cluster: object }[];
      readonly contexts: readonly { readonly name: string; readonly context: object }[];
      readonly users: readonly { readonly name: string; readonly user: object }[];
    };
    const cluster = "arn:aws:eks:us-east-1:123456789012:cluster/functions";
    const kubeconfig = {
      ...config,
      clusters: config.clusters.map((each) => ({ name: cluster, cluster: each.cluster })),
      contexts: config.contexts.map(({ name, context }) => ({ name, context: { ...context, cluster } })),
      users: config.users.map(({ name, user }) => ({ name, user: change(user) })),
    };
    writeFileSync(join(this.home, ".kube/config"), stringify(kubeconfig));
  }

  types(command: string, cut?: Cut): Promise<Typed> {
    const words = command.replace("npx outrigger ", "").replace("~", this.home).split(" ");
    const { endpoint, region } = this.#world.standIn;
    const env = {
      ...{ PATH: process.env.PATH, HOME: this.home, AWS_REGION: region, AWS_ENDPOINT_URL: endpoint },
      ...{ AWS_ACCESS_KEY_ID: "AKIDPERSON", AWS_SECRET_ACCESS_KEY: "not-a-secret" },
    };
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [program, ...words], {
        ...{ cwd: this.home, env, stdio: ["ignore", "pipe", "pipe"] },
      });
      const texts = { out: "", error: "" };
      let isCut = false;
      child.stdout.on("data", (chunk: Buffer) => {
        texts.out += chunk.toString("utf8");
        if (isCut || cut?.at.test(texts.out) !== true) return;
        isCut = true;
        if (cut.signal !== undefined) child.kill(cut.signal);
        void cut.event?.();
      });
      child.stderr.on("data", (chunk: Buffer) => {
        texts.error += chunk.toString("utf8");
      });
      child.once("close", (code) => resolve({ code, ...texts }));
    });
  }

  /** The deployment, as far as its functions are looked at. */
  async deploys(): Promise<void> {
    const { endpoint, region } = this.#world.standIn;
    const client = new LambdaClient({ endpoint, region, credentials: { accessKeyId: "a", secretAccessKey: "b" } });
    for (const name of ["reconcile", "interruption"]) {
      await client.send(
        new CreateFunctionCommand({
          FunctionName: `outrigger-functions-${name}`,
          ...{ Runtime: "nodejs22.x", Handler: "handler.handler", Code: empty },
          Role: "arn:aws:iam::123456789012:role/node-role",
          Environment: { Variables: { REACTION: "minute" } },
        }),
      );
    }
    client.destroy();
  }

  /** The deployed bundle of the loop, woken again and again; answers with the function. */
  async schedules(): Promise<LambdaFunction> {
    // Time for one tick, and none for a stay.
    const reconcile = await this.#world.deploy("reconcile", 35_000);
    const wake = async (): Promise<void> => {
      while (!this.#isOver) {
        await reconcile.invoke({});
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    };
    this.#loop = wake();
    return reconcile;
  }

  async leaves(): Promise<void> {
    this.#isOver = true;
    await this.#loop;
    rmSync(this.home, { recursive: true, force: true });
  }
}
