import type { JsonObject } from "#api/conversion/json-fields.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { Fault } from "#core/fault.ts";
import { isPaused } from "#core/state/pause.ts";
import type { Clock } from "#ports/clock.ts";
import type { LeaseRecord, Leases } from "#ports/lease.ts";
import type { RawObjects } from "#ports/raw-objects.ts";
import { isFree } from "../lease-rules.ts";
import { missingOf, readingRights, writingRights } from "./migration-rights.ts";
import { disruptedNodes, karpenterDeployments, karpenterWebhooks, listed, Unlisted } from "./observe-karpenter.ts";
import { configMapKind, crdKind, crdNameOf, karpenterKinds, servedKind } from "./served-kinds.ts";
import { dataOf, type Holder, isKarpenterThere, type MigrationView, metadataOf } from "./view.ts";

/** Karpenter: CRDs of v1alpha5, which 0.33 and later leave behind. */
const relicNames = ["provisioners.karpenter.sh", "machines.karpenter.sh", "awsnodetemplates.karpenter.k8s.aws"];

export interface MigrationSources {
  readonly raw: RawObjects;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly deployed: () => Promise<MigrationView["deployed"]>;
  /** Whether the file of the export holds all of these. */
  readonly holds: (objects: readonly JsonObject[]) => boolean;
}

export type MigrationLook =
  | { readonly kind: "seen"; readonly view: MigrationView }
  | { readonly kind: "unseen"; readonly fault: Fault; readonly what: string };

/** One look at all that a migration concerns. */
export async function observeMigration(sources: MigrationSources, isRehearsed = false): Promise<MigrationLook> {
  try {
    return await look(sources, isRehearsed);
  } catch (error) {
    if (error instanceof Unlisted) return unseen(error);
    throw error;
  }
}

async function look(sources: MigrationSources, isRehearsed: boolean): Promise<MigrationLook> {
  const { raw, leases, clock, deployed, holds } = sources;
  const unread = await missingOf(raw, readingRights);
  if (unread.length > 0) {
    const message = `whoever is signed in may not ${unread.join(", ")}`;
    return { kind: "unseen", fault: { kind: "forbidden", code: "403", message }, what: "all that is needed" };
  }
  const crds = await listed(raw, crdKind, "the CRDs");
  const deployments = await karpenterDeployments(raw);
  const fieldSelector = `metadata.name=${stateName}`;
  const [state] = await listed(raw, configMapKind, "the state", { namespace: stateNamespace, fieldSelector });
  const karpenter = await leases.readKarpenter();
  if (karpenter.kind === "failed") return { kind: "unseen", fault: karpenter.fault, what: "Karpenter's lease" };
  const own = await leases.read();
  if (own.kind === "failed") return { kind: "unseen", fault: own.fault, what: "the loop's Lease" };
  const read = await readObjects(raw);
  if (read.kind === "failed") return { kind: "unseen", fault: read.fault, what: "Karpenter's objects" };
  const outrigger = own.record === undefined ? undefined : holderOf(own.record, own.serverNowMs);
  const names = karpenterKinds.map(crdNameOf);
  const seen = {
    nowMs: clock.nowMs(),
    // Their form is the API server's own.
    crds: crds.map((crd) => crd as unknown as Crd).filter(({ metadata }) => names.includes(metadata.name)),
    relics: crds.map((crd) => String(metadataOf(crd).name)).filter((name) => relicNames.includes(name)),
    deployments,
    karpenter: karpenter.records.map((record) => holderOf(record, karpenter.serverNowMs)),
    ...(outrigger === undefined ? {} : { outrigger }),
    objects: read.objects,
    ...(read.unreadable === undefined ? {} : { unreadable: read.unreadable }),
    ...(state === undefined ? { state: {} } : { state: dataOf(state), stateVersion: versionOf(state) }),
    webhooks: await karpenterWebhooks(raw),
    deployed: await deployed(),
    isExported: holds(read.objects),
    isRehearsed,
  };
  const { both, forth } = writingRights(seen);
  const [missingRights, missingForth] = await Promise.all([missingOf(raw, both), missingOf(raw, forth)]);
  // While nobody acts nobody marks any.
  const disrupted = isKarpenterThere(seen) || !isPaused(seen.state, seen.nowMs) ? await disruptedNodes(raw) : [];
  return { kind: "seen", view: { ...seen, disrupted, missingRights, missingForth } };
}

type ReadObjects =
  | { readonly kind: "read"; readonly objects: readonly JsonObject[]; readonly unreadable?: string }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Kubernetes: an object that cannot be converted, and a watch cache that cannot be filled for its sake. */
const unconverted = /conversion|converting|initializing/i;

/** What a webhook that does not answer leaves unread is a finding; a missing right is none. */
async function readObjects(raw: RawObjects): Promise<ReadObjects> {
  const objects: JsonObject[] = [];
  let unreadable: string | undefined;
  for (const kind of karpenterKinds) {
    const answer = await raw.list(servedKind(kind));
    if (answer.kind === "listed") objects.push(...answer.items);
    else if (answer.kind === "unknown-kind") unreadable ??= `${kind} is not served in v1`;
    // A token that ran out, or a connection, says nothing of what is stored.
    else if (!unconverted.test(answer.fault.message)) return answer;
    else unreadable ??= `${answer.fault.message} (${answer.fault.code})`;
  }
  return { kind: "read", objects, ...(unreadable === undefined ? {} : { unreadable }) };
}

function holderOf(record: LeaseRecord, serverNowMs: number): Holder {
  const idleMs = Math.max(0, serverNowMs - record.renewedAtMs);
  return { name: record.holder, isAlive: !isFree(record, serverNowMs), idleMs };
}

function versionOf(object: JsonObject): string {
  return String(metadataOf(object).resourceVersion);
}

function unseen({ answer, what }: Unlisted): MigrationLook {
  if (answer.kind === "failed") return { kind: "unseen", fault: answer.fault, what };
  return {
    kind: "unseen",
    what,
    fault: { kind: "not-found", code: "404", message: "the API server does not serve them" },
  };
}
