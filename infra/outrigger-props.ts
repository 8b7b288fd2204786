import { CfnResource, Stack, Token } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { IConstruct } from "constructs";
import { settingsProblems } from "./check-settings.ts";
import { isClusterName } from "./names.ts";
import type { OutriggerSettings } from "./settings.ts";
import { type PlacedCluster, placementProblems } from "./vpc-placement.ts";

/** What of a cluster of `aws-eks` or `aws-eks-v2` is used. */
export interface EksCluster extends IConstruct, PlacedCluster {
  readonly clusterName: string;
}

export interface OutriggerProps extends OutriggerSettings {
  /**
   * The name itself, not a reference to another resource: tags in policies and names of resources are made of it.
   * @default that of `cluster`, where it is known
   */
  readonly clusterName?: string;
  /** A cluster of `aws-eks` or `aws-eks-v2`, made or imported by the app. @default `clusterName` says which one it is */
  readonly cluster?: EksCluster;
  /** Whether the functions that ask the cluster run in the VPC of `cluster`, in its private subnets. @default false */
  readonly placeInVpc?: boolean;
  /** Key of the queues. @default keys of SQS itself */
  readonly encryptionKey?: IKey;
}

export interface CheckedProps {
  readonly clusterName: string;
  readonly cluster?: EksCluster;
  readonly placeInVpc: boolean;
  readonly encryptionKey?: IKey;
  readonly settings: OutriggerSettings;
}

/** Throws all that is wrong, in words. */
export function checkedProps(props: OutriggerProps): CheckedProps {
  const { clusterName: given, cluster, placeInVpc = false, encryptionKey, ...settings } = props;
  const clusterName = given ?? cluster?.clusterName;
  const endpointAccess = settings.endpointAccess ?? endpointAccessOf(cluster);
  const known = endpointAccess === undefined ? settings : { ...settings, endpointAccess };
  const problems = [
    ...nameProblems(clusterName),
    ...(placeInVpc && cluster === undefined ? ["placeInVpc: needs `cluster`; without it, set vpcId"] : []),
    ...keyProblems(encryptionKey),
    ...settingsProblems({ ...settings }),
    ...placementProblems(known, placeInVpc),
  ];
  if (problems.length > 0 || clusterName === undefined) throw new Error(`Outrigger: ${problems.join("; ")}`);
  return {
    ...{ clusterName, placeInVpc, settings },
    ...(cluster === undefined ? {} : { cluster }),
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  };
}

function nameProblems(clusterName: string | undefined): readonly string[] {
  if (clusterName === undefined) return ["clusterName: must be set, or `cluster`"];
  if (Token.isUnresolved(clusterName)) {
    return ["clusterName: must be set beside `cluster`: the name of a cluster that the app makes is not known before"];
  }
  return isClusterName(clusterName)
    ? []
    : [`clusterName: must be the name itself, letters, digits, - and _; it is ${JSON.stringify(clusterName)}`];
}

function keyProblems(key: IKey | undefined): readonly string[] {
  return key?.keyArn.includes("alias/aws/") === true
    ? ["encryptionKey: EventBridge cannot use a key that AWS manages; leave it out, or give a key of your own"]
    : [];
}

/** Of a cluster that the app makes; what an imported one has nobody knows here. */
function endpointAccessOf(cluster: EksCluster | undefined): OutriggerSettings["endpointAccess"] {
  const made = cluster?.node.findAll().find(isCluster);
  if (made === undefined) return undefined;
  const text = JSON.stringify(Stack.of(made).resolve(made._toCloudFormation()));
  if (/"endpointPublicAccess":false/i.test(text)) return "private";
  const [, cidrs] = /"publicAccessCidrs":(\[[^\]]*\])/i.exec(text) ?? [];
  return cidrs === undefined || cidrs === "[]" || cidrs.includes("0.0.0.0/0") ? undefined : "limited";
}

/** `aws-eks-v2` makes the resource itself; `aws-eks` has a function of its own make it. */
function isCluster(construct: IConstruct): construct is CfnResource {
  return (
    CfnResource.isCfnResource(construct) &&
    ["AWS::EKS::Cluster", "Custom::AWSCDK-EKS-Cluster"].includes(construct.cfnResourceType)
  );
}
