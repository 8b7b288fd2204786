/** What goes wrong while somebody types the commands of docs/migration.md, on a real API server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeKarpenter } from "./support/fake-karpenter.ts";
import { FunctionWorld, functionNodeClass } from "./support/function-world.ts";
import { nodePool } from "./support/manifests.ts";
import { MigratingPerson } from "./support/migrating-person.ts";
import { TokenHolder } from "./support/people.ts";

const commandMsMax = 300_000;
const namespace = "autoscaling";
const name = "blue-autoscaler";

let world: FunctionWorld;
let karpenter: FakeKarpenter;
let person: MigratingPerson;

beforeAll(async () => {
  world = await FunctionWorld.start();
  const { admin } = world.real;
  await admin.create(functionNodeClass);
  await admin.create(nodePool("default"));
  await admin.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  // Of a chart with another release name and nameOverride, in a namespace of its own.
  karpenter = await FakeKarpenter.start(admin, "1.14.1", namespace, name);
  person = new MigratingPerson(world);
  await person.deploys();
  await person.schedules();
}, 300_000);
afterAll(async () => {
  karpenter.stop();
  await person.leaves();
  await world.stop();
});

const forth = "npx outrigger migrate --kubeconfig ~/.kube/config --yes";
const back = "npx outrigger migrate --kubeconfig ~/.kube/config --back --yes";
const admin = (user: object): object => user;

async function stateData(): Promise<object> {
  const answer = await world.real.admin.get("ConfigMap", "outrigger", "kube-system");
  return answer.kind === "refused" ? {} : ((answer.object as { readonly data?: object }).data ?? {});
}

async function scaleTo(replicas: number): Promise<void> {
  await world.real.admin.call({
    method: "PATCH",
    path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}?fieldManager=argocd-controller`,
    contentType: "application/merge-patch+json",
    body: { spec: { replicas } },
  });
}

async function replicas(): Promise<number> {
  const answer = await world.real.admin.get("Deployment", name, namespace);
  if (answer.kind === "refused") throw new Error(answer.message);
  return (answer.object as unknown as { readonly spec: { readonly replicas: number } }).spec.replicas;
}

test(
  "rights that are missing are named, all of them, before anything is written",
  async () => {
    const blind = await TokenHolder.start(world.real.admin, "blind", []);
    person.signIn(() => ({ token: blind.token }));
    const nothing = await person.types(forth);
    expect([nothing.code, nothing.out]).toEqual([
      3,
      expect.stringMatching(/may not list customresourcedefinitions.*list nodes/),
    ]);
    const read = { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list", "watch"] };
    const reader = await TokenHolder.start(world.real.admin, "reader", [read]);
    person.signIn(() => ({ token: reader.token }));
    const { code, out } = await person.types(forth);
    expect(code).toBe(1);
    for (const right of [
      "create configmaps in kube-system",
      "patch configmaps in kube-system",
      `patch deployments.apps in ${namespace}`,
      "patch ec2nodeclasses.karpenter.k8s.aws",
      "patch nodepools.karpenter.sh",
      "patch nodeclaims.karpenter.sh",
    ]) {
      expect(out).toContain(right);
    }
    expect(out).toMatch(/^Karpenter runs this cluster\.$/m);
    expect(await stateData()).toEqual({});
    person.signIn(admin);
  },
  commandMsMax,
);

test(
  "a token that runs out on the way: who looks after the cluster is said, and another one goes on",
  async () => {
    const all = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] };
    const short = await TokenHolder.start(world.real.admin, "short", [all]);
    person.signIn(() => ({ token: short.token }));
    // The API server believes a token for 10 s; Karpenter is killed, so that its lease lasts longer.
    const event = (): Promise<void> => {
      karpenter.stop();
      return short.dismiss();
    };
    const { code, out } = await person.types(forth, { at: /^doing +scale-down/m, event });
    karpenter.goOn();
    expect([code, out]).toEqual([
      3,
      expect.stringMatching(/401[\s\S]*Karpenter is about to end, and Outrigger is held/),
    ]);
    expect(await stateData()).toMatchObject({ pause: "all" });
    person.signIn(admin);
    const on = await person.types(forth);
    expect([on.code, on.error], on.out).toEqual([0, ""]);
    expect(await replicas()).toBe(0);
    expect(await stateData()).not.toHaveProperty("pause");
  },
  commandMsMax,
);

test(
  "given back and stopped by Ctrl-C, it ends before its next write and says what then",
  async () => {
    const { code, out } = await person.types(back, { at: /^doing +hold/m, signal: "SIGINT" });
    expect([code, out]).toEqual([1, expect.stringMatching(/stopped before its next write[\s\S]*migrate --back/)]);
    const again = await person.types(back);
    expect([again.code, again.error], again.out).toEqual([0, ""]);
    expect(await replicas()).toBe(2);
  },
  commandMsMax,
);

test(
  "a GitOps controller that scales Karpenter up again is named, and the loop stays held",
  async () => {
    const argo = setInterval(() => void scaleTo(2), 100);
    const { code, out } = await person.types(forth).finally(() => clearInterval(argo));
    expect([code, out]).toEqual([1, expect.stringMatching(/argocd-controller/)]);
    expect(await stateData()).toMatchObject({ pause: "all" });
  },
  commandMsMax,
);

test(
  "an API server that restarts on the way is waited for",
  async () => {
    let restarted: Promise<void> | undefined;
    const event = (): Promise<void> => {
      restarted = world.real.controlPlane.restartApiServer();
      return restarted;
    };
    const { code, out, error } = await person.types(forth, { at: /^doing +scale-down/m, event });
    await restarted;
    expect([code, error], out).toEqual([0, ""]);
    expect(await replicas()).toBe(0);
    const json = await person.types(`${back} --json`);
    expect(JSON.parse(json.out)).toMatchObject({ end: { kind: "done" } });
    expect(json.out).toContain(`kubectl scale deployment ${name} -n ${namespace} --replicas=0`);
  },
  commandMsMax,
);
