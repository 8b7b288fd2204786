import { randomUUID } from "node:crypto";
import type { Logger } from "@aws-lambda-powertools/logger";
import packageFile from "../package.json" with { type: "json" };
import type { AwsClients } from "../shared/adapters/aws/clients.ts";
import type { BatchTelemetryOptions } from "../shared/adapters/telemetry/batch-telemetry.ts";
import { EventBus } from "../shared/adapters/telemetry/event-bus.ts";
import { FunctionTelemetry } from "../shared/adapters/telemetry/function-telemetry.ts";
import { RemoteWrite } from "../shared/adapters/telemetry/prometheus/remote-write.ts";
import { Recordings } from "../shared/adapters/telemetry/recordings.ts";
import { ampSignature } from "./amp-signature.ts";
import type { DecidingEnvironment } from "./environment.ts";

const { version } = packageFile;

/** What the environment asks for; what it does not name is off. */
export function telemetryOf(environment: DecidingEnvironment, clients: AwsClients, log: Logger): FunctionTelemetry {
  const { recordingsBucket } = environment;
  return new FunctionTelemetry({
    ...batchTelemetryOf(environment, log),
    recordings:
      recordingsBucket === undefined ? undefined : new Recordings(clients.reading.s3, recordingsBucket, version),
    remoteWrite: remoteWriteOf(environment, clients),
  });
}

export function batchTelemetryOf(environment: DecidingEnvironment, log: Logger): BatchTelemetryOptions {
  const { clusterName, extraMetrics } = environment;
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  return { clusterName, extraMetrics, log, write, eventBus: eventBusOf(environment) };
}

function eventBusOf({ eventBus: bus, region, endpoint }: DecidingEnvironment): EventBus | undefined {
  return bus === undefined ? undefined : new EventBus({ bus, region, ...(endpoint === undefined ? {} : { endpoint }) });
}

function remoteWriteOf(
  { remoteWriteUrl: url, objectGauges, region, clusterName }: DecidingEnvironment,
  clients: AwsClients,
) {
  if (url === undefined) return undefined;
  const sign = ampSignature(url, region, () => clients.reading.eks.config.credentials());
  const options = { url, clusterName, version, objectGauges, instance: randomUUID().slice(0, 8) };
  return new RemoteWrite(sign === undefined ? options : { ...options, sign });
}
