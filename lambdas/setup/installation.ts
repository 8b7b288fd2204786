import { takeRemovalBack } from "#controllers/removal.ts";
import type { Fault } from "#core/fault.ts";
import { clusterProblems, queueProblems } from "#ec2/setup/preflight.ts";
import type { Clock } from "#ports/clock.ts";
import { type ClusterInstallation, readInstallation } from "../../shared/adapters/aws/installation-facts.ts";
import { ensureNodeRoleEntry } from "../../shared/adapters/aws/node-role-entries.ts";
import { readQueue } from "../../shared/adapters/aws/queue-facts.ts";
import type { SetupClients } from "../../shared/adapters/aws/setup-clients.ts";
import { wakeFunction } from "../../shared/adapters/aws/wake.ts";
import { installCrds } from "../../shared/adapters/kubernetes/crd-installer.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { readCrds } from "../../shared/adapters/kubernetes/own-crds.ts";
import { accessFault, applyRoles } from "../../shared/adapters/kubernetes/role-installer.ts";
import type { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import type { Log } from "../../shared/adapters/telemetry/tick-log.ts";
import type { ConnectedCluster } from "../cluster-connection.ts";
import type { SetupEnvironment } from "../environment.ts";
import type { SetupProperties } from "./request.ts";

/** An access entry holds some seconds after it was made. */
const accessMsMax = 120_000;
/** What is left of the function's time for the installation itself. */
const installMsMax = 120_000;
const accessPauseMs = 3_000;

export interface InstallationParts {
  readonly environment: SetupEnvironment;
  readonly clients: SetupClients;
  readonly clock: Clock;
  readonly log: Log;
  /** Ms since the epoch: the function ends then. */
  readonly endAtMs: number;
  readonly connect: () => Promise<ConnectedCluster>;
  readonly crds: URL;
}

/** Throws what would stop an installation, with what mends it, before anything is made. */
export async function preflight({ environment, clients }: InstallationParts): Promise<ClusterInstallation> {
  const { clusterName, region } = environment;
  const facts = await readInstallation(clients.eks, clusterName);
  if (facts === undefined) throw new Error(`there is no EKS cluster ${clusterName} in ${region}`);
  refuse(clusterProblems(facts));
  return facts;
}

/** Brings the cluster to what this version needs. Each step leaves alone what is right already. */
export async function install(parts: InstallationParts, properties: SetupProperties): Promise<void> {
  const { environment, clients, log } = parts;
  const { autoMode } = await preflight(parts);
  const queue = await readQueue(clients.sqs, environment.queue);
  refuse(queueProblems(queue));
  const { transport } = await parts.connect();
  await admitted(transport, parts);
  const { adoptCrds, migrating } = properties;
  const crds = await installCrds(transport, readCrds(parts.crds), { adoptCrds, autoMode, migrating });
  refuse(
    crds.flatMap(({ name, verdict, fault }) => [
      ...(verdict.kind === "refuse" ? [verdict.message] : []),
      ...(fault === undefined || verdict.kind === "refuse" ? [] : [`${name}: ${inWords(fault)}`]),
    ]),
  );
  refuse(faultWords("the roles of the functions", await applyRoles(transport)));
  for (const entry of properties.nodeRoles) {
    const problem = await ensureNodeRoleEntry(clients.eks, environment.clusterName, entry);
    if (problem !== undefined) log.warn("nodes of a role cannot join", { problem });
  }
  const cluster = new KubernetesCluster(transport);
  await takeRemovalBack({ cluster });
  cluster.close();
  const unwoken = await wakeFunction(environment, environment.catalogFunction);
  if (unwoken !== undefined) log.warn("the catalogue was not started and comes with its schedule", { why: unwoken });
  log.info("installed", { crds: crds.map(({ name, verdict }) => `${name}: ${verdict.kind}`) });
}

async function admitted(transport: Transport, { clock, endAtMs, environment }: InstallationParts): Promise<void> {
  const untilMs = Math.min(clock.nowMs() + accessMsMax, endAtMs - installMsMax);
  // Bounded by the time.
  for (;;) {
    const fault = await accessFault(transport);
    if (fault === undefined) return;
    if (clock.nowMs() >= untilMs)
      refuse([`the API server of ${environment.clusterName}: ${inWords(fault)}${hint(fault)}`]);
    await clock.sleepUntil(clock.nowMs() + accessPauseMs);
  }
}

/** Users' row 86: a private endpoint is the usual cause. */
function hint({ kind }: Fault): string {
  return kind === "unavailable"
    ? "; a cluster whose endpoint is private, or open to some addresses only, needs `vpc` in the settings"
    : "";
}

function inWords({ code, message }: Fault): string {
  return `${message} (${code})`;
}

function faultWords(what: string, fault: Fault | undefined): readonly string[] {
  return fault === undefined ? [] : [`${what} could not be written: ${inWords(fault)}`];
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join("; "));
}
