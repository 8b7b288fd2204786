/** The commands of docs/migration.md as a person types them: a real API server, and the stand-in for the account. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeKarpenter } from "./support/fake-karpenter.ts";
import { FunctionWorld, functionNodeClass } from "./support/function-world.ts";
import { nodePool } from "./support/manifests.ts";
import { MigratingPerson } from "./support/migrating-person.ts";

const commandMsMax = 300_000;

let world: FunctionWorld;
let karpenter: FakeKarpenter;
let person: MigratingPerson;

beforeAll(async () => {
  world = await FunctionWorld.start();
  await world.real.admin.create(functionNodeClass);
  await world.real.admin.create(nodePool("default"));
  karpenter = await FakeKarpenter.start(world.real.admin, "1.14.1");
  person = new MigratingPerson(world);
}, 300_000);
afterAll(async () => {
  karpenter.stop();
  await person.leaves();
  await world.stop();
});

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
    const { code, out } = await person.types(dry);
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
    await person.deploys();
    const { code, out, error } = await person.types(dry);
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
    await person.schedules();
    const killed = await person.types(forth, { at: /^doing +scale-down/m, signal: "SIGKILL" });
    expect([killed.code, killed.out]).toEqual([null, expect.not.stringMatching(/Outrigger runs/)]);
    const { code, out, error } = await person.types(forth);
    expect([code, error], out).toEqual([0, ""]);
    expect(out).toMatch(/^ +No pod waits for a node\.$/m);
    expect(out).toMatch(/^Outrigger runs this cluster\./m);
    expect(readFileSync(join(person.home, "outrigger-export.yaml"), "utf8")).toMatch(/^kind: NodePool$/m);
    const again = json((await person.types(`${forth} --json`)).out);
    expect(again.end).toEqual({ kind: "done" });
    expect(new Set(again.steps.map(({ state }) => state))).toEqual(new Set(["done"]));
  },
  commandMsMax,
);

test(
  `${doctor} says what passes and how the rest will`,
  async () => {
    const { code, out, error } = await person.types(doctor);
    expect([code, error]).toEqual([1, ""]);
    expect(out).toMatch(/^pass {2}IMDSv2: /m);
    expect(out).toMatch(/^todo {2}test workload: .*(--yes starts one|no NodePool is Ready)/m);
    expect(out).toMatch(/^todo {2}interruption handling: nothing takes EC2's warnings/m);
  },
  commandMsMax,
);

test(
  `${back} gives it back`,
  async () => {
    const { code, out, error } = await person.types(back);
    expect([code, error], out).toEqual([0, ""]);
    expect(out).toMatch(/^Karpenter runs this cluster/m);
  },
  commandMsMax,
);

test(
  "a kubeconfig that does not say which EKS cluster it is ends with 2, and says what to add",
  async () => {
    const command = `npx outrigger migrate --kubeconfig ${world.real.controlPlane.kubeconfig}`;
    expect(await person.types(command)).toMatchObject({
      code: 2,
      out: "",
      error: expect.stringMatching(/add --eks-cluster NAME/),
    });
  },
  commandMsMax,
);
