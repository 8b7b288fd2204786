import { CreateClusterCommand } from "@aws-sdk/client-eks";
import { prepareAccount } from "../../support/aws/account.ts";
import { clientsOf } from "../../support/aws/clients.ts";
import { StandIn } from "../../support/aws/stand-in.ts";
import type { ControlPlane } from "../../support/control-plane/control-plane.ts";

/** An account in which EKS knows the control plane as a cluster of this name, with a network and a role for its nodes. */
export async function startStandInFor(
  { url, caPem }: Pick<ControlPlane, "url" | "caPem">,
  clusterName: string,
  nodeRole: string,
): Promise<StandIn> {
  const standIn = await StandIn.start({ KUBE_ENDPOINT: url, KUBE_CA: Buffer.from(caPem).toString("base64") });
  const clients = clientsOf(standIn);
  await prepareAccount(clients, clusterName, nodeRole);
  await clients.eks.send(
    new CreateClusterCommand({
      ...{ name: clusterName, roleArn: "arn:aws:iam::123456789012:role/cluster", version: "1.32" },
      resourcesVpcConfig: {},
    }),
  );
  return standIn;
}
