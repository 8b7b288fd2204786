import { Logger } from "@aws-lambda-powertools/logger";
import type { CommonEnvironment } from "./environment.ts";

/** One JSON object a line, with the cluster's name in each. */
export function loggerOf({ clusterName, logLevel }: CommonEnvironment, serviceName: string): Logger {
  return new Logger({ serviceName, logLevel, persistentKeys: { cluster: clusterName } });
}
