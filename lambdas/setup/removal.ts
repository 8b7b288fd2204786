import { ec2TerminationFinalizer } from "#api/ec2-v1/ec2nodeclass.ts";
import { leaseDurationMs } from "#controllers/lease-rules.ts";
import { lookAtRemoval, type OnDelete, onDeleteOf } from "#controllers/removal.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { readInstallation } from "../../shared/adapters/aws/installation-facts.ts";
import { isStackBeingDeleted } from "../../shared/adapters/aws/stack-state.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { removeOwnObjects } from "../../shared/adapters/kubernetes/role-installer.ts";
import { endNodes } from "./ending.ts";
import type { InstallationParts } from "./installation.ts";
import { propertiesOf, type SetupEvent } from "./request.ts";

const provider = { nodeClass: ec2Provider.nodeClass, classFinalizer: ec2TerminationFinalizer };
const minuteMs = 60_000;

/** What becomes of the nodes when this resource goes. */
export async function mannerOf(event: SetupEvent, { clients, log }: InstallationParts): Promise<OnDelete> {
  const { onDelete } = propertiesOf(event);
  const manner = await onDeleteOf(onDelete, () => isStackBeingDeleted(clients.cloudFormation, event.StackId));
  log.info(manner === "keep" ? "nodes and NodeClaims stay" : "the nodes go", { onDelete, manner });
  return manner;
}

/** Whether the removal that `event` began is over. */
export async function isRemoved(event: SetupEvent, parts: InstallationParts): Promise<boolean> {
  const { manner = "keep", atMs = 0 } = event.Begun ?? {};
  if (manner === "keep") return true;
  const { clients, environment, clock, log } = parts;
  if ((await readInstallation(clients.eks, environment.clusterName)) === undefined) {
    log.warn("the cluster is gone, and with it what was to be removed", { cluster: environment.clusterName });
    return true;
  }
  const { transport } = await parts.connect();
  const cluster = new KubernetesCluster(transport);
  const untilMs = atMs + propertiesOf(event).drainMinutes * minuteMs;
  const cleanUp = async (): Promise<void> => {
    const fault = await removeOwnObjects(transport, () => clock.sleepUntil(clock.nowMs() + leaseDurationMs));
    if (fault !== undefined) throw new Error(`${fault.message} (${fault.code})`);
  };
  const end = () => endNodes(parts);
  try {
    const look = await lookAtRemoval({ cluster, clock }, provider, manner, { untilMs, end, cleanUp });
    if (look.kind === "going-on") log.info("the removal goes on", { left: look.message });
    return look.kind === "over";
  } finally {
    cluster.close();
  }
}
