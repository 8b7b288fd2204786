import type { Settings } from "#core/settings.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cloud } from "#ports/cloud.ts";
import { AwsCloud } from "../../shared/adapters/aws/aws-cloud.ts";
import { makeCatalogue } from "../../shared/adapters/aws/catalogue-writer.ts";
import { awsClients } from "../../shared/adapters/aws/clients.ts";
import { readFunctionVariables } from "../../shared/adapters/aws/deployed-function.ts";
import { faultOf } from "../../shared/adapters/aws/fault-table.ts";
import { partName } from "../../shared/adapters/aws/part-name.ts";
import { describeEksCluster } from "../../shared/adapters/kubernetes/eks-endpoint.ts";
import type { EksName } from "../../shared/adapters/kubernetes/kubeconfig.ts";
import { settingsTold } from "./settings-told.ts";

export type AccountAnswer =
  | {
      readonly kind: "open";
      readonly observe: Cloud<Ec2Query, Ec2View>["observe"];
      readonly settings: Settings;
      readonly notes: readonly string[];
      /** EKS: how the control plane's own calls leave it. */
      readonly egressMode?: string;
    }
  | { readonly kind: "closed"; readonly message: string };

/**
 * The account of an EKS cluster, by the credentials that the AWS SDK finds. Types and prices are read anew, some hundred
 * calls, since a file with them exists only where Outrigger is deployed. `loop` is the function whose settings count.
 */
export async function openAccount(
  { name, region }: EksName,
  clock: Clock,
  loop = partName(name, "reconcile"),
): Promise<AccountAnswer> {
  const { reading } = awsClients({ region });
  try {
    const described = await describeEksCluster(reading.eks, name);
    if (described.kind === "unknown") return { kind: "closed", message: described.message };
    const { identity, kubernetesVersion, egressMode } = described.cluster;
    const { catalogue, problems } = await makeCatalogue(reading, region, clock, undefined);
    const told = await readFunctionVariables({ region }, loop);
    const deployed = settingsTold(told, { region, clusterName: name });
    const aws = new AwsCloud({ region, clusterName: name }, clock);
    return {
      kind: "open",
      observe: async (query) => {
        const observation = await aws.observe(query);
        return { ...observation, view: { ...observation.view, catalogue } };
      },
      settings: {
        ...{ ...deployed.settings, clusterName: name, clusterIdentity: identity },
        provider: { ...deployed.settings.provider, region, kubernetesVersion },
      },
      notes: [...problems, ...deployed.notes],
      ...(egressMode === undefined ? {} : { egressMode }),
    };
  } catch (error) {
    const { code, message } = faultOf(error);
    const remedy =
      code === "CredentialsProviderError"
        ? "there are no AWS credentials; sign in (aws sso login) or set AWS_PROFILE"
        : `AWS does not answer for EKS cluster ${name} in ${region}`;
    return { kind: "closed", message: `${remedy}: ${message} (${code})` };
  }
}
