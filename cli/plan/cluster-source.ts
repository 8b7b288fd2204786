import { crdKind } from "#controllers/migration/served-kinds.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { Budget } from "#core/scheduling/improvement/budget.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { Clock } from "#ports/clock.ts";
import { type EksName, readKubeconfig } from "../../shared/adapters/kubernetes/kubeconfig.ts";
import { ClusterUnreadable, KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { RawObjectClient } from "../../shared/adapters/kubernetes/raw-object-client.ts";
import { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { openAccount } from "./account.ts";
import { lookAtView } from "./cluster-copy.ts";
import type { Look } from "./decide.ts";
import { unreachable } from "./reach.ts";

export interface ClusterOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  /** Where the kubeconfig does not say which EKS cluster it is. */
  readonly eksCluster?: string;
  readonly region?: string;
  /** The deployed loop, where it is not named after the cluster. */
  readonly function?: string;
}

/** What EKS and the API server say of a running cluster beside the objects of a tick. */
export interface ClusterFacts {
  readonly eks: EksName;
  /** EKS: how the control plane's own calls leave it; absent: EKS does not say. */
  readonly egressMode?: string;
  /** Those of Karpenter's groups. */
  readonly crds: readonly Crd[];
}

export type ClusterLook =
  | { readonly kind: "seen"; readonly look: Look; readonly notes: readonly string[]; readonly facts: ClusterFacts }
  | { readonly kind: "unseen"; readonly code: ExitCode; readonly message: string };

const machineClock: Clock = {
  nowMs: () => Date.now(),
  sleepUntil: (atMs) => new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - Date.now()))),
};

/** Looks at a running cluster and its account, and writes to neither. */
export async function lookAtCluster(options: ClusterOptions, budget?: Budget): Promise<ClusterLook> {
  const file = await readKubeconfig(options.kubeconfig, options.context);
  if (file.kind === "unusable") return { kind: "unseen", code: exitCode.badInput, message: file.message };
  const transport = new Transport(file.endpoint, file.credentials);
  const silence = await unreachable(transport, file.endpoint.url);
  if (silence !== undefined) {
    transport.close();
    return { kind: "unseen", code: exitCode.noAccess, message: silence };
  }
  const [view, crds] = await Promise.all([observed(transport), karpenterCrds(transport)]).finally(() =>
    transport.close(),
  );
  if (view.kind === "unreadable") return { kind: "unseen", code: exitCode.noAccess, message: view.message };
  const eks = eksOf(options, file.eks);
  if (eks.kind === "unknown") return { kind: "unseen", code: exitCode.badInput, message: eks.message };
  const account = await openAccount(eks, machineClock, options.function);
  if (account.kind === "closed") return { kind: "unseen", code: exitCode.noAccess, message: account.message };
  const look = await lookAtView(view.view, account.observe, account.settings, machineClock.nowMs(), budget);
  const { egressMode, notes } = account;
  const { name, region } = eks;
  const facts = { eks: { name, region }, crds, ...(egressMode === undefined ? {} : { egressMode }) };
  return { kind: "seen", look, notes, facts };
}

/** None where they may not be read: nothing of a tick rests on them. */
async function karpenterCrds(transport: Transport): Promise<readonly Crd[]> {
  const listed = await new RawObjectClient(transport).list(crdKind);
  const crds = listed.kind === "listed" ? listed.items.map((item) => item as unknown as Crd) : [];
  return crds.filter(({ spec }) => spec.group.startsWith("karpenter."));
}

async function observed(
  transport: Transport,
): Promise<
  { readonly kind: "readable"; readonly view: ClusterView } | { readonly kind: "unreadable"; readonly message: string }
> {
  const cluster = new KubernetesCluster(transport);
  try {
    return { kind: "readable", view: await cluster.observe("everything") };
  } catch (error) {
    if (error instanceof ClusterUnreadable) return { kind: "unreadable", message: error.message };
    throw error;
  } finally {
    cluster.close();
  }
}

export function eksOf(
  { eksCluster, region }: ClusterOptions,
  known: Partial<EksName>,
): ({ readonly kind: "named" } & EksName) | { readonly kind: "unknown"; readonly message: string } {
  const named = { name: eksCluster ?? known.name, region: region ?? known.region };
  if (named.name !== undefined && named.region !== undefined)
    return { kind: "named", name: named.name, region: named.region };
  const missing = [
    ...(named.name === undefined ? ["--eks-cluster NAME"] : []),
    ...(named.region === undefined ? ["--region REGION"] : []),
  ];
  const message = `the kubeconfig does not say which EKS cluster this is: add ${missing.join(" and ")}`;
  return { kind: "unknown", message };
}
