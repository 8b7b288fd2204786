import { handleInterruptions } from "#controllers/interruption.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { awsClients } from "../../shared/adapters/aws/clients.ts";
import { wakeFunction } from "../../shared/adapters/aws/wake.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../shared/adapters/kubernetes/lease-store.ts";
import { realClock as clock } from "../../shared/adapters/system/real-clock.ts";
import { tellBatch } from "../../shared/adapters/telemetry/batch-telemetry.ts";
import { ClusterConnection } from "../cluster-connection.ts";
import { readInterruptionEnvironment } from "../environment.ts";
import type { InvocationContext } from "../invocation-context.ts";
import { loggerOf } from "../logger.ts";
import { batchTelemetryOf } from "../telemetry.ts";
import { type BatchAnswer, batchAnswerOf, messagesOf, type QueueBatch } from "./queue-batch.ts";

const environment = readInterruptionEnvironment(process.env);
const logger = loggerOf(environment, "interruption");
const connection = new ClusterConnection(environment, awsClients(environment).reading.eks, clock, (message) =>
  logger.warn(message),
);
const telemetry = batchTelemetryOf(environment, logger);

/** Acts on a batch of the queue within seconds: marks what it concerns, wakes the loop, and tells of it. */
export async function handler(batch: QueueBatch, context: InvocationContext): Promise<BatchAnswer> {
  const atMs = clock.nowMs();
  const cluster = connection.lazily((transport) => new KubernetesCluster(transport));
  const endAtMs = atMs + context.getRemainingTimeInMillis();
  const leases = { readKarpenter: async () => new LeaseStore((await connection.open()).transport).readKarpenter() };
  const ports = { cluster, clock, leases };
  const report = await handleInterruptions(messagesOf(batch), { provider: ec2Provider }, ports, endAtMs);
  const problem = report.acted ? await wakeFunction(environment, environment.reconcileFunction) : undefined;
  if (problem !== undefined) logger.warn("the loop could not be woken; it runs by the minute", { problem });
  await tellBatch(report, telemetry, { decisionId: context.awsRequestId, atMs });
  return batchAnswerOf(report.failed);
}
