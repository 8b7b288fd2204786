/** A running cluster from Karpenter to the loop and back, on a real control plane: no node goes, no pod moves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrate } from "#controllers/migration/migrate.ts";
import type { ShownPlan } from "#controllers/migration/migration-ports.ts";
import { stepsBack, stepsForth } from "#controllers/migration/steps.ts";
import { endingsOf } from "../../cli/migrate/first-tick.ts";
import { lookAtView } from "../../cli/plan/cluster-copy.ts";
import { planDocument } from "../../cli/plan/document.ts";
import { planLines } from "../../cli/plan/text.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { crdsOf } from "../support/karpenter-crds.ts";
import { listAll } from "./support/admin-client.ts";
import { ConversionFunction } from "./support/conversion-function.ts";
import { FakeKarpenter } from "./support/fake-karpenter.ts";
import { InstalledCrds } from "./support/installed-crds.ts";
import { deployment, nodePool } from "./support/manifests.ts";
import { optionsOf, portsOf } from "./support/migration.ts";
import { eventually } from "./support/real-cluster.ts";
import { settings, World } from "./support/world.ts";

const replicas = 4;
const waitMsMax = 180_000;
const ownDomain = /^outrigger\.dev\//;

/** Nodes of a live cluster, dressed as Karpenter leaves them, and Karpenter's lease held. */
class HandedCluster {
  readonly world: World;
  readonly crds: InstalledCrds;
  readonly converter: ConversionFunction;
  readonly karpenter: FakeKarpenter;

  private constructor(world: World, converter: ConversionFunction, karpenter: FakeKarpenter) {
    this.world = world;
    this.crds = new InstalledCrds(world.real);
    this.converter = converter;
    this.karpenter = karpenter;
  }

  static async start(version: string): Promise<HandedCluster> {
    const world = await World.start();
    world.runs.start("staying");
    await world.apply(nodePool("handed"), deployment("handed", "handed", replicas));
    const isRunning = async () =>
      (await world.pods()).filter(({ status }) => status?.phase === "Running").length === replicas;
    await eventually("all pods run", isRunning, waitMsMax);
    const isInitialized = async () =>
      (await world.claims()).every(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === "Initialized" && is === "True"),
      );
    await eventually("all claims are initialized", isInitialized, waitMsMax);
    const karpenter = await FakeKarpenter.start(world.admin, version);
    const converter = await ConversionFunction.start(world.real.controlPlane);
    const handed = new HandedCluster(world, converter, karpenter);
    await eventually(
      "the loop sees Karpenter and does nothing",
      async () => world.runs.endings.at(-1) === "karpenter-alive",
    );
    return handed;
  }

  /** Karpenter's own class hash in the place of ours, and nothing of ours besides. */
  async dress(classHashVersion: string): Promise<void> {
    const hashes = {
      "karpenter.k8s.aws/ec2nodeclass-hash": "1234567890",
      "karpenter.k8s.aws/ec2nodeclass-hash-version": classHashVersion,
    };
    for (const kind of ["EC2NodeClass", "NodeClaim", "NodePool"]) {
      for (const { metadata } of await listAll(this.world.admin, kind)) {
        const ours = Object.keys(metadata.annotations ?? {}).filter((key) => ownDomain.test(key));
        const annotations = {
          ...(kind === "NodePool" ? {} : hashes),
          ...Object.fromEntries(ours.map((key) => [key, null])),
        };
        await this.world.admin.patch(kind, metadata.name, undefined, { metadata: { annotations } });
      }
    }
  }

  /** What a handover must leave: claims, nodes, pods by UID, the claims' specification, and where pods run. */
  async untouched(): Promise<object> {
    const claims = (await this.world.claims()).map(({ metadata, spec, status }) => ({
      ...{ uid: metadata.uid, spec, providerID: status?.providerID, deleted: metadata.deletionTimestamp },
      drifted: status?.conditions?.find(({ type }) => type === "Drifted")?.status,
    }));
    const nodes = (await this.world.nodes()).map(({ metadata, spec }) => ({ uid: metadata.uid, taints: spec.taints }));
    const pods = (await this.world.pods()).map(({ metadata, spec }) => ({ uid: metadata.uid, node: spec.nodeName }));
    return { claims, nodes, pods };
  }

  /** The loop's first tick on a copy: of this very cluster and account. */
  async plan(): Promise<ShownPlan> {
    const cluster = new KubernetesCluster(this.world.admin.transport);
    const view = await cluster.observe("everything").finally(() => cluster.close());
    const look = await lookAtView(view, this.world.ec2.observe, settings, Date.now());
    return { lines: planLines(planDocument(look, [])), endings: endingsOf(look) };
  }

  /** What the loop did from its n-th tick on. */
  stepsSince(tick: number): readonly string[] {
    return this.world.runs.reports.slice(tick).flatMap(({ steps }) => steps.map(({ command }) => command.kind));
  }

  async stop(): Promise<void> {
    this.karpenter.stop();
    await this.converter.stop();
    await this.world.stop();
  }
}

const harmful = [
  "delete-object",
  "evict-pod",
  "terminate-instance",
  "taint-node",
  "create-node-claim",
  "launch-instance",
];

function handover(version: string, classHashVersion: string, prepare: (handed: HandedCluster) => Promise<void>): void {
  describe(`a cluster of Karpenter ${version}`, () => {
    let handed: HandedCluster;
    let before: object;
    let ticks = 0;
    beforeAll(async () => {
      handed = await HandedCluster.start(version);
      await handed.dress(classHashVersion);
      await prepare(handed);
      before = await handed.untouched();
      ticks = handed.world.runs.reports.length;
    }, 300_000);
    afterAll(() => handed.stop());

    test("a dry run writes nothing", async () => {
      const versions = async () =>
        (await listAll(handed.world.admin, "NodeClaim")).map(({ metadata }) => metadata.resourceVersion);
      const seen = await versions();
      const ports = portsOf(handed.world.real, () => handed.plan());
      expect(await migrate(stepsForth, ports, optionsOf({}), false)).toEqual({ kind: "to-do", step: "export" });
      expect(await versions()).toEqual(seen);
    });

    test("is taken over: its first ticks are held and decide nothing, then the loop is on, and nothing has moved", async () => {
      const told: string[] = [];
      const held = { ticks: 0, decisions: 0 };
      let rehearsals = 0;
      const plan = async () => {
        // The first is the rehearsal, while Karpenter runs.
        if (rehearsals++ === 0) return handed.plan();
        const from = handed.world.runs.reports.length;
        const isTicked = async () => handed.world.runs.reports.length > from + 1;
        await eventually("two ticks are held", isTicked);
        for (const { decisions } of handed.world.runs.reports.slice(from)) {
          held.ticks++;
          held.decisions += decisions.length;
        }
        const shown = await handed.plan();
        expect(shown.lines[0]).toBe("No pod waits for a node.");
        expect(shown.endings).toEqual([]);
        return shown;
      };
      const ports = portsOf(handed.world.real, plan, told);
      expect(await migrate(stepsForth, ports, optionsOf({}), true), told.join("\n")).toEqual({ kind: "done" });
      expect(held.ticks).toBeGreaterThan(1);
      expect(held.decisions).toBe(0);
      const isOn = async () => handed.world.runs.reports.slice(ticks).some(({ decisions }) => decisions.length > 0);
      await eventually("the loop decides", isOn);
      const after = handed.world.runs.reports.length;
      await eventually("five more ticks", async () => handed.world.runs.reports.length >= after + 5, waitMsMax);
      expect(await handed.untouched()).toEqual(before);
      expect(handed.stepsSince(ticks).filter((kind) => harmful.includes(kind))).toEqual([]);
      expect(handed.world.livingInstances()).toBe((await handed.world.nodes()).length);
      for (const name of ["nodepools.karpenter.sh", "nodeclaims.karpenter.sh", "ec2nodeclasses.karpenter.k8s.aws"]) {
        const { spec, status } = await handed.crds.crd(name);
        expect([spec.versions.map((one) => one.name), spec.conversion, status?.storedVersions]).toEqual([
          ["v1"],
          { strategy: "None" },
          ["v1"],
        ]);
      }
    });

    test("is given back: Karpenter holds its lease, the loop does nothing, and nothing has moved", async () => {
      const ports = portsOf(handed.world.real);
      expect(await migrate(stepsBack, ports, optionsOf({}), true)).toEqual({ kind: "done" });
      await eventually("the loop sees Karpenter", async () => handed.world.runs.endings.at(-1) === "karpenter-alive");
      expect(await handed.untouched()).toEqual(before);
      expect(handed.stepsSince(ticks).filter((kind) => harmful.includes(kind))).toEqual([]);
      expect(handed.world.runs.failures).toEqual([]);
    });
  });
}

handover("1.14.1", "v5", async () => undefined);

handover("1.0.9", "v3", async ({ crds, converter, world }) => {
  // As 0.37 left it: everything is in etcd in v1beta1 …
  await crds.apply(
    crdsOf("1.0", converter.conversion).map((crd) => ({
      ...crd,
      spec: {
        ...crd.spec,
        versions: crd.spec.versions.map((version) => ({ ...version, storage: version.name === "v1beta1" })),
      },
    })),
  );
  for (const [kind, plural] of [
    ["EC2NodeClass", "ec2nodeclasses"],
    ["NodePool", "nodepools"],
    ["NodeClaim", "nodeclaims"],
  ] as const) {
    for (const { metadata } of await listAll(world.admin, kind)) {
      await world.admin.patch(kind, metadata.name, undefined, { metadata: { annotations: { touched: "true" } } });
      expect((await crds.stored(plural, metadata.name)).apiVersion).toMatch(/v1beta1$/);
    }
  }
  // … and the CRDs of 1.0 came, with a webhook that answers.
  await crds.apply(crdsOf("1.0", converter.conversion));
  for (const { metadata } of crdsOf("1.0"))
    expect((await crds.crd(metadata.name)).status?.storedVersions).toContain("v1beta1");
});
