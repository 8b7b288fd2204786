import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { kinds } from "#api/kinds.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { Fault } from "#core/fault.ts";
import type { Clock } from "#ports/clock.ts";
import type { LeaseRecord, Leases } from "#ports/lease.ts";
import type { RawObjects } from "#ports/raw-objects.ts";
import { isFree } from "../lease-rules.ts";
import { readDeployment } from "./karpenter-deployment.ts";
import { crdKind, crdNameOf, deploymentKind, karpenterKinds, servedKind } from "./served-kinds.ts";
import type { Holder, MigrationView } from "./view.ts";

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

const configMapKind = { kind: "ConfigMap", ...kinds.ConfigMap };

/** One look at all that a migration concerns. */
export async function observeMigration(sources: MigrationSources): Promise<MigrationLook> {
  const { raw, leases, clock, deployed, holds } = sources;
  const crds = await raw.list(crdKind);
  if (crds.kind !== "listed") return unseen(crds, "the CRDs");
  const deployments = await raw.list(deploymentKind, { labelSelector: "app.kubernetes.io/name=karpenter" });
  if (deployments.kind !== "listed") return unseen(deployments, "the Deployments");
  const fieldSelector = `metadata.name=${stateName}`;
  const state = await raw.list(configMapKind, { namespace: stateNamespace, fieldSelector });
  if (state.kind !== "listed") return unseen(state, "the state");
  const karpenter = await leases.readKarpenter();
  if (karpenter.kind === "failed") return { kind: "unseen", fault: karpenter.fault, what: "Karpenter's lease" };
  const own = await leases.read();
  if (own.kind === "failed") return { kind: "unseen", fault: own.fault, what: "the loop's Lease" };
  const read = await readObjects(raw);
  if (read.kind === "failed") return { kind: "unseen", fault: read.fault, what: "Karpenter's objects" };
  const outrigger = own.record === undefined ? undefined : holderOf(own.record, own.serverNowMs);
  const names = karpenterKinds.map(crdNameOf);
  const view: MigrationView = {
    nowMs: clock.nowMs(),
    // Their form is the API server's own.
    crds: crds.items.map((crd) => crd as unknown as Crd).filter(({ metadata }) => names.includes(metadata.name)),
    deployments: deployments.items.flatMap((item) => readDeployment(item) ?? []),
    karpenter: karpenter.records.map((record) => holderOf(record, karpenter.serverNowMs)),
    ...(outrigger === undefined ? {} : { outrigger }),
    objects: read.objects,
    ...(read.unreadable === undefined ? {} : { unreadable: read.unreadable }),
    state: dataOf(state.items[0]),
    deployed: await deployed(),
    isExported: holds(read.objects),
  };
  return { kind: "seen", view };
}

type ReadObjects =
  | { readonly kind: "read"; readonly objects: readonly JsonObject[]; readonly unreadable?: string }
  | { readonly kind: "failed"; readonly fault: Fault };

/** What a webhook that does not answer leaves unread is a finding; a missing right is none. */
async function readObjects(raw: RawObjects): Promise<ReadObjects> {
  const objects: JsonObject[] = [];
  let unreadable: string | undefined;
  for (const kind of karpenterKinds) {
    const listed = await raw.list(servedKind(kind));
    if (listed.kind === "listed") objects.push(...listed.items);
    else if (listed.kind === "unknown-kind") unreadable ??= `${kind} is not served in v1`;
    else if (listed.fault.kind === "forbidden") return listed;
    else unreadable ??= `${listed.fault.message} (${listed.fault.code})`;
  }
  return { kind: "read", objects, ...(unreadable === undefined ? {} : { unreadable }) };
}

function holderOf(record: LeaseRecord, serverNowMs: number): Holder {
  return { name: record.holder, isAlive: !isFree(record, serverNowMs) };
}

function dataOf(configMap: JsonObject | undefined): MigrationView["state"] {
  const data = configMap === undefined ? undefined : fieldAt(configMap, ["data"]);
  const entries = isJsonObject(data) ? Object.entries(data) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function unseen(
  answer: { readonly kind: "unknown-kind" } | { readonly kind: "failed"; readonly fault: Fault },
  what: string,
): MigrationLook {
  if (answer.kind === "failed") return { kind: "unseen", fault: answer.fault, what };
  return {
    kind: "unseen",
    what,
    fault: { kind: "not-found", code: "404", message: "the API server does not serve them" },
  };
}
