import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { reconcileGroup } from "#ports/rights.ts";
import { clusterRoles } from "../../../shared/adapters/kubernetes/cluster-roles.ts";
import { installCrds } from "../../../shared/adapters/kubernetes/crd-installer.ts";
import {
  capacityBufferResource,
  crdResource,
  nodeOverlayResource,
} from "../../../shared/adapters/kubernetes/resource.ts";
import { Transport } from "../../../shared/adapters/kubernetes/transport.ts";
import type { Directories } from "../../support/control-plane/component-flags.ts";
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from "../../support/control-plane/control-plane.ts";
import { ownCrds } from "../../support/karpenter-crds.ts";
import { adminOf, type RealAdmin } from "./admin-client.ts";

/** A real control plane. */
export interface RealCluster {
  readonly controlPlane: ControlPlane;
  readonly admin: RealAdmin;
  readonly stop: () => Promise<void>;
}

const servedMsMax = 30_000;

/** Unless it is bare, the CRDs and roles are installed; `reconcileToken` says that its bearer is in the group they are bound to. */
export const reconcileToken = "the-token-of-reconcile";

export async function startRealCluster(options: ControlPlaneOptions = {}, isBare = false): Promise<RealCluster> {
  const controlPlane = await startControlPlane(binary(), {
    ...options,
    apiServerFlags: (directories) => [...tokenFlags(directories), ...(options.apiServerFlags?.(directories) ?? [])],
  });
  const admin = adminOf(controlPlane);
  try {
    if (!isBare) await equip(admin);
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
  return {
    controlPlane,
    admin,
    stop: async () => {
      admin.close();
      await controlPlane.stop();
    },
  };
}

function tokenFlags({ root }: Directories): readonly string[] {
  const file = join(root, "tokens.csv");
  writeFileSync(file, `${reconcileToken},outrigger,outrigger-uid,"${reconcileGroup}"\n`, { mode: 0o600 });
  return [`--token-auth-file=${file}`];
}

/** A connection with no more rights than the reconcile function has. */
export function reconcileTransport({ url, caPem }: ControlPlane): Transport {
  const authorization = async (): Promise<string> => `Bearer ${reconcileToken}`;
  return new Transport({ url, caPem }, { authorization, remedy: "" });
}

/** Set by test/e2e/run.ts, which says why when there is none. */
function binary(): string {
  const path = process.env.OUTRIGGER_CONTROL_PLANE;
  if (path === undefined) throw new Error("run these tests with `npm run test:e2e`");
  return path;
}

/** Kinds that are read and not acted on, as a cluster may have them. */
export function unsupportedCrds(): readonly object[] {
  return [nodeOverlayResource, capacityBufferResource].map(({ kind, apiVersion, plural, namespaced }) => {
    const [group = "", version = ""] = apiVersion.split("/");
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    return {
      ...{ apiVersion: crdResource.apiVersion, kind: crdResource.kind, metadata: { name: `${plural}.${group}` } },
      spec: {
        ...{ group, scope: namespaced ? "Namespaced" : "Cluster", names: { kind, plural } },
        versions: [{ name: version, served: true, storage: true, schema }],
      },
    };
  });
}

/** As `setup` leaves a cluster. */
async function equip(admin: RealAdmin): Promise<void> {
  await createCrds(admin);
  for (const role of clusterRoles()) {
    const reply = await admin.create(role);
    if (reply.kind === "refused") throw new Error(reply.message);
  }
}

async function createCrds(admin: RealAdmin): Promise<void> {
  const reports = await installCrds(admin.transport, ownCrds(), { adoptCrds: false, autoMode: false });
  const failed = reports.find(({ verdict, fault }) => verdict.kind !== "create" || fault !== undefined);
  if (failed !== undefined) throw new Error(JSON.stringify(failed));
  for (const kind of ["NodePool", "NodeClaim", "EC2NodeClass"]) {
    // The API server serves a new kind a moment after it says so.
    await eventually(`${kind} is served`, async () => (await admin.list(kind)).kind === "ok", servedMsMax);
  }
}

export async function eventually(what: string, condition: () => Promise<boolean>, forMs = 120_000): Promise<void> {
  const untilMs = Date.now() + forMs;
  while (Date.now() < untilMs) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within ${forMs / 1000} s: ${what}`);
}
