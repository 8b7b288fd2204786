import { Logger } from "@aws-lambda-powertools/logger";
import type { Environment } from "./environment.ts";

/** One JSON object a line, with the cluster's name in each. */
export function loggerOf({ clusterName, logLevel }: Environment, serviceName: string): Logger {
  return new Logger({ serviceName, logLevel, persistentKeys: { cluster: clusterName } });
}
