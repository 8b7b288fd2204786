import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";
import { isFree } from "#controllers/lease-rules.ts";
import { type MigrationEnd, migrate } from "#controllers/migration/migrate.ts";
import type { MigrationPorts, ShownPlan, StepNews } from "#controllers/migration/migration-ports.ts";
import type { MigrationOptions, MigrationStep } from "#controllers/migration/step.ts";
import type { ClusterCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import { ApiServer } from "#simulator/kubernetes/api-server/api-server.ts";
import type { ResourceKind } from "#simulator/kubernetes/api-server/resource-kinds.ts";
import { ClusterClient } from "#simulator/kubernetes/cluster-client.ts";
import { LeaseClient } from "#simulator/kubernetes/lease-client.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { ConvertedObjects } from "./converted-objects.ts";
import { crdsOf, ownCrds, type Release } from "./karpenter-crds.ts";
import {
  type KarpenterLeaves,
  karpenterDeployment,
  karpenterLease,
  leftNodeClaim,
  leftNodeClass,
  leftNodePool,
} from "./karpenter-objects.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

const crdResource: ResourceKind = {
  ...{ kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1", plural: "customresourcedefinitions" },
  ...{ namespaced: false, status: true, generation: true, scale: false, keepsStatusOnCreate: true },
};

/** Thrown in the place of a write that the process did not live to make. */
export class Killed extends Error {}

export interface MigrationWorldOptions {
  readonly release?: Release;
  readonly version?: string;
  readonly leaves?: KarpenterLeaves;
  readonly env?: Readonly<Record<string, string>>;
  readonly objects?: readonly object[];
}

/** A cluster that Karpenter runs, on the simulated API server, with as much of Karpenter as a handover meets. */
export class MigrationWorld {
  readonly clock = new VirtualClock(startMs);
  readonly api = new ApiServer({ clock: this.clock, seed: 1, customKinds: [crdResource] });
  readonly #client = new ClusterClient(this.api);
  readonly #leases = new LeaseClient(this.api);
  readonly raw = new ConvertedObjects(this.api, () => this.#countWrite());
  /** What the loop's deployment was told. */
  deployed: Readonly<Record<string, string>> | string = {};
  plan: ShownPlan | { readonly problem: string } = { lines: ["No pod waits for a node."], endings: [] };
  /** What came to the export. */
  readonly saved: JsonObject[] = [];
  readonly news: StepNews[] = [];
  readonly commands: ClusterCommand[] = [];
  /** Writes that are still made before the process is killed. */
  writesLeft = Number.POSITIVE_INFINITY;
  writes = 0;
  /** What is wrong with the export's file. */
  saveProblem: string | undefined;
  /** Karpenter's lease is renewed, and let go with its last pod. */
  karpenterObeys = true;
  /** The schedule wakes the loop, which takes its Lease where Karpenter has none. */
  loopRuns = true;
  isStopped = (): boolean => false;
  /** Somebody else, between two looks. */
  meanwhile: () => void = () => {};

  constructor(options: MigrationWorldOptions = {}) {
    const { release = "1.14", version = "1.14.1", leaves = { classHashVersion: "v5" }, env = {} } = options;
    const service = { namespace: "kube-system", name: "karpenter" };
    const webhook = { conversionReviewVersions: ["v1"], clientConfig: { service } };
    const crds = release === "1.0" ? crdsOf(release, { strategy: "Webhook", webhook }) : crdsOf(release);
    const left = [
      leftNodeClass(leaves),
      leftNodePool(),
      leftNodeClaim("claim-a", leaves),
      leftNodeClaim("claim-b", leaves),
    ];
    this.load({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-system" } });
    this.load(...crds, ...(options.objects ?? left), karpenterDeployment(version, env));
    this.load(karpenterLease("karpenter-7d9c", new Date(startMs).toISOString()));
    this.#status("Deployment", "karpenter", { replicas: 2 });
  }

  load(...objects: readonly object[]): void {
    for (const object of objects) {
      const answer = this.api.restore(object);
      if (answer.kind === "refused") throw new Error(answer.message);
    }
  }

  /** Puts an object in as an API server with another schema took it. */
  force(object: object): void {
    const { kind } = object as KubeObject;
    const resource = this.api.kinds().find((one) => one.kind === kind);
    if (resource === undefined) throw new Error(`${kind} is not served`);
    this.api.store.put(resource, object as KubeObject);
  }

  get(kind: string, name: string, namespace?: string): KubeObject & { readonly spec: never; readonly status: never } {
    const answer = this.api.get(kind, name, namespace);
    if (answer.kind === "refused") throw new Error(answer.message);
    return answer.object as never;
  }

  state(): Readonly<Record<string, string>> {
    const answer = this.api.get("ConfigMap", "outrigger", "kube-system");
    return answer.kind === "refused" ? {} : (answer.object.data ?? {});
  }

  /** What a handover must leave as it is: every claim with its UID, specification and status. */
  claims(): readonly object[] {
    return this.api.store
      .list("NodeClaim")
      .map(({ metadata, spec, status }) => ({ name: metadata.name, uid: metadata.uid, spec, status }));
  }

  /** A run from a process that knows nothing of any run before. */
  run(steps: readonly MigrationStep[], options: Partial<MigrationOptions> = {}, isMeant = true): Promise<MigrationEnd> {
    const all = { crds: ownCrds(), adoptCrds: false, acceptPlan: false, ...options };
    return migrate(steps, this.#ports(), all, isMeant);
  }

  #ports(): MigrationPorts {
    const sleepUntil = async (atMs: number): Promise<void> => {
      await this.clock.runUntil(atMs);
      this.meanwhile();
      this.#karpenter();
      await this.#loop();
    };
    return {
      raw: this.raw,
      leases: this.#leases,
      clock: { nowMs: this.clock.nowMs, sleepUntil },
      cluster: { apply: (command) => this.#apply(command) },
      deployed: async () =>
        typeof this.deployed === "string"
          ? { kind: "unknown", message: this.deployed }
          : { kind: "known", variables: this.deployed },
      holds: (objects) => objects.every((object) => this.saved.some((one) => uidOf(one) === uidOf(object))),
      save: (objects) => {
        if (this.saveProblem !== undefined) return this.saveProblem;
        this.#countWrite();
        this.saved.push(...objects);
        return undefined;
      },
      plan: async () => this.plan,
      tell: (news) => this.news.push(news),
      isStopped: () => this.isStopped(),
    };
  }

  #countWrite(): void {
    if (this.writesLeft-- <= 0) throw new Killed();
    this.writes++;
  }

  #apply(command: ClusterCommand): Promise<Outcome> {
    this.#countWrite();
    this.commands.push(command);
    return this.#client.apply(command);
  }

  /** Its pods come and go with its replicas, and its lease with them. */
  #karpenter(): void {
    const found = this.api.get("Deployment", "karpenter", "kube-system");
    if (!this.karpenterObeys || found.kind === "refused") return;
    const { replicas = 1 } = found.object.spec;
    this.#status("Deployment", "karpenter", { replicas });
    const renewTime = new Date(this.clock.nowMs()).toISOString();
    const spec = { holderIdentity: replicas > 0 ? "karpenter-8f1b" : "", renewTime };
    this.api.patch("Lease", "karpenter-leader-election", "kube-system", { spec });
  }

  /** A tick that looks, and lets go. */
  async #loop(): Promise<void> {
    const karpenter = await this.#leases.readKarpenter();
    const seen = await this.#leases.read();
    if (!this.loopRuns || karpenter.kind === "failed" || seen.kind === "failed") return;
    if (karpenter.records.some((record) => !isFree(record, karpenter.serverNowMs))) return;
    const next = { holder: "", successor: "", renewedAtMs: this.clock.nowMs(), durationMs: 15_000, transitions: 0 };
    await this.#leases.write(next, seen.record?.version);
  }

  #status(kind: string, name: string, status: Json): void {
    this.api.patchStatus(kind, name, "kube-system", status);
  }
}

function uidOf({ metadata }: JsonObject): unknown {
  return isJsonObject(metadata) ? metadata.uid : undefined;
}
