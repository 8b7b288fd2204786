/** The commands of docs/migration.md as a person types them: a real API server, and the stand-in for the account. */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CreateFunctionCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { FakeKarpenter } from "./support/fake-karpenter.ts";
import { FunctionWorld, functionNodeClass } from "./support/function-world.ts";
import { nodePool } from "./support/manifests.ts";

const program = fileURLToPath(new URL("../../cli/outrigger.mjs", import.meta.url));
const commandMsMax = 300_000;

let world: FunctionWorld;
let karpenter: FakeKarpenter;
let home: string;

beforeAll(async () => {
  world = await FunctionWorld.start();
  home = mkdtempSync(join(tmpdir(), "outrigger-migrate-"));
  await world.real.admin.create(functionNodeClass);
  await world.real.admin.create(nodePool("default"));
  karpenter = await FakeKarpenter.start(world.real.admin, "1.14.1");
  writeKubeconfig();
}, 300_000);
afterAll(async () => {
  karpenter.stop();
  rmSync(home, { recursive: true, force: true });
  await world.stop();
});

/** As `aws eks update-kubeconfig` names a cluster. */
function writeKubeconfig(): void {
  const config = parse(readFileSync(world.real.controlPlane.kubeconfig, "utf8")) as {
    readonly clusters: readonly { readonly cluster: object }[];
    readonly contexts: readonly { readonly name: string; readonly context: object }[];
  };
  const name = "arn:aws:eks:us-east-1:123456789012:cluster/functions";
  const clusters = config.clusters.map(({ cluster }) => ({ name, cluster }));
  const contexts = config.contexts.map(({ name: own, context }) => ({
    name: own,
    context: { ...context, cluster: name },
  }));
  mkdirSync(join(home, ".kube"));
  writeFileSync(join(home, ".kube/config"), stringify({ ...config, clusters, contexts }));
}

/** Types the command in an empty folder; `killedAt` ends its process as soon as it has printed that. */
function typed(
  command: string,
  killedAt?: RegExp,
): Promise<{ readonly code: number | null; readonly out: string; readonly error: string }> {
  const words = command.replace("npx outrigger ", "").replace("~", home).split(" ");
  const { endpoint, region } = world.standIn;
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, AWS_REGION: region, AWS_ENDPOINT_URL: endpoint },
    ...{ AWS_ACCESS_KEY_ID: "AKIDPERSON", AWS_SECRET_ACCESS_KEY: "not-a-secret" },
  };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...words], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString("utf8");
      if (killedAt?.test(texts.out) === true) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      texts.error += chunk.toString("utf8");
    });
    child.once("close", (code) => resolve({ code, ...texts }));
  });
}

/** The deployment, as far as its functions are looked at. */
async function deployFunctions(): Promise<void> {
  const { endpoint, region } = world.standIn;
  const client = new LambdaClient({ endpoint, region, credentials: { accessKeyId: "a", secretAccessKey: "b" } });
  const common = {
    ...{
      Runtime: "nodejs22.x" as const,
      Handler: "handler.handler",
      Code: { ZipFile: new Uint8Array([80, 75, 5, 6, ...new Array(18).fill(0)]) },
    },
    Role: "arn:aws:iam::123456789012:role/node-role",
  };
  for (const name of ["reconcile", "interruption"]) {
    const FunctionName = `outrigger-functions-${name}`;
    await client.send(
      new CreateFunctionCommand({ ...common, FunctionName, Environment: { Variables: { REACTION: "minute" } } }),
    );
  }
  client.destroy();
}

function json(text: string): {
  readonly end: object;
  readonly steps: readonly { readonly name: string; readonly state: string }[];
} {
  return JSON.parse(text);
}

const dry = "npx outrigger migrate --kubeconfig ~/.kube/config";
const forth = "npx outrigger migrate --kubeconfig ~/.kube/config --yes";
const back = "npx outrigger migrate --kubeconfig ~/.kube/config --back --yes";
const doctor = "npx outrigger doctor --after-upgrade --kubeconfig ~/.kube/config";

test(
  "without a deployment it says so, and writes nothing",
  async () => {
    const { code, out } = await typed(dry);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/deploy Outrigger first: function outrigger-functions-reconcile/),
    ]);
  },
  commandMsMax,
);

test(
  `${dry} says each step and how it is taken back`,
  async () => {
    await deployFunctions();
    const { code, out, error } = await typed(dry);
    expect([code, error]).toEqual([0, ""]);
    expect(out).toMatch(/^done +preflight/m);
    expect(out).toMatch(/^to do +export +2 objects to the file\n +to take it back: delete the file/m);
    expect(out).toMatch(/^then +on /m);
    expect(out).toMatch(/Nothing was written; --yes does it\.\n$/);
  },
  commandMsMax,
);

test(
  `${forth} killed on its way and typed again, hands over, shows a tick and leaves an export`,
  async () => {
    const { code, out, error } = await typed(forth);
    expect([code, error], out).toEqual([0, ""]);
    expect(out).toMatch(/^ +No pod waits for a node\.$/m);
    expect(out).toMatch(/^Outrigger runs this cluster\./m);
    expect(readFileSync(join(home, "outrigger-export.yaml"), "utf8")).toMatch(/^kind: NodePool$/m);
    const again = json((await typed(`${forth} --json`)).out);
    expect(again.end).toEqual({ kind: "done" });
    expect(new Set(again.steps.map(({ state }) => state))).toEqual(new Set(["done"]));
  },
  commandMsMax,
);

test(
  `${doctor} says what passes and how the rest will`,
  async () => {
    const { code, out, error } = await typed(doctor);
    expect([code, error]).toEqual([1, ""]);
    expect(out).toMatch(/^pass {2}IMDSv2: /m);
    expect(out).toMatch(/^todo {2}test workload: .*kubectl apply/m);
    expect(out).toMatch(/^todo {2}interruption handling: nothing takes EC2's warnings/m);
  },
  commandMsMax,
);

test(
  `${back} gives it back`,
  async () => {
    const { code, out, error } = await typed(back);
    expect([code, error], out).toEqual([0, ""]);
    expect(out).toMatch(/^Karpenter runs this cluster/m);
  },
  commandMsMax,
);

test(
  "a kubeconfig that does not say which EKS cluster it is ends with 2, and says what to add",
  async () => {
    const command = `npx outrigger migrate --kubeconfig ${world.real.controlPlane.kubeconfig}`;
    expect(await typed(command)).toMatchObject({
      code: 2,
      out: "",
      error: expect.stringMatching(/add --eks-cluster NAME/),
    });
  },
  commandMsMax,
);
