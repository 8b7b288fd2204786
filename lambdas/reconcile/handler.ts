import { randomUUID } from "node:crypto";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { AwsCloud } from "../../shared/adapters/aws/aws-cloud.ts";
import { awsClients, cloudWriteMsMax } from "../../shared/adapters/aws/clients.ts";
import { writeTimeoutMs } from "../../shared/adapters/kubernetes/command-writer.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../shared/adapters/kubernetes/lease-store.ts";
import { realClock as clock } from "../../shared/adapters/system/real-clock.ts";
import { ClusterConnection, settingsWith } from "../cluster-connection.ts";
import { readDecidingEnvironment } from "../environment.ts";
import type { InvocationContext } from "../invocation-context.ts";
import { loggerOf } from "../logger.ts";
import { telemetryOf } from "../telemetry.ts";
import { type Ending, endingOf } from "./ending.ts";

const { reaction, ...environment } = readDecidingEnvironment(process.env);
const [clients, logger] = [awsClients(environment), loggerOf(environment, "reconcile")];
const connection = new ClusterConnection(environment, clients.reading.eks, clock, (message) => logger.warn(message));
const cloud = new AwsCloud({ ...environment, clients }, clock);
const telemetry = telemetryOf({ ...environment, reaction }, clients, logger);
const limits = { clusterMs: writeTimeoutMs, cloudMs: cloudWriteMsMax };
const seed = Number.parseInt(randomUUID().slice(0, 8), 16);

/** Takes the Lease, ticks, and stays while there is work. */
export async function handler(_event: unknown, context: InvocationContext): Promise<Ending> {
  const endAtMs = clock.nowMs() + context.getRemainingTimeInMillis();
  const { transport, facts } = await connection.open();
  const [cluster, leases] = [new KubernetesCluster(transport), new LeaseStore(transport)];
  // Not the request's id: Lambda may deliver one request twice, and then at the same time.
  const invocation = { name: randomUUID(), leases, limits, reaction, endAtMs };
  const configuration = { provider: ec2Provider, settings: settingsWith(environment.settings, facts), seed };
  try {
    return endingOf(await runLeasedInvocation(invocation, { cluster, cloud, clock, telemetry }, configuration), logger);
  } finally {
    cluster.close();
    await telemetry.settle();
  }
}
