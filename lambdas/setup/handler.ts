import { setupClients } from "../../shared/adapters/aws/setup-clients.ts";
import { realClock as clock } from "../../shared/adapters/system/real-clock.ts";
import { ClusterConnection } from "../cluster-connection.ts";
import { readSetupEnvironment } from "../environment.ts";
import type { InvocationContext } from "../invocation-context.ts";
import { loggerOf } from "../logger.ts";
import { install, preflight } from "./installation.ts";
import { isRemoved, mannerOf } from "./removal.ts";
import { preflightType, propertiesOf, type SetupEvent } from "./request.ts";

const environment = readSetupEnvironment(process.env);
const [clients, log] = [setupClients(environment), loggerOf(environment, "setup")];
const connection = new ClusterConnection(environment, clients.eks, clock, (message) => log.warn(message));
const connect = () => connection.open();
/** The bundle brings them. */
const crds = new URL("./crds/", import.meta.url);

/** Answers CDK's provider framework: a request's beginning, then the looks whether it is over. What it throws fails the stack. */
export async function handler(event: SetupEvent, context: InvocationContext): Promise<object> {
  const endAtMs = clock.nowMs() + context.getRemainingTimeInMillis();
  const parts = { environment, clients, clock, log, endAtMs, connect, crds };
  const isSetup = event.ResourceType !== preflightType;
  if (event.Begun !== undefined) {
    return { IsComplete: event.RequestType !== "Delete" || !isSetup || (await isRemoved(event, parts)) };
  }
  const isDeletion = event.RequestType === "Delete";
  const manner = isDeletion && isSetup ? await mannerOf(event, parts) : "keep";
  if (!isDeletion) await (isSetup ? install(parts, propertiesOf(event)) : preflight(parts));
  // Always the same one: a new one would have CloudFormation delete the old one, and with it the nodes.
  const PhysicalResourceId = event.PhysicalResourceId ?? `${environment.clusterName}${isSetup ? "" : "-preflight"}`;
  return { PhysicalResourceId, Begun: { atMs: clock.nowMs(), manner } };
}
