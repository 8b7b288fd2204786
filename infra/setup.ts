import { CustomResource, Duration, Stack } from "aws-cdk-lib";
import { CfnAccessEntry } from "aws-cdk-lib/aws-eks";
import type { CfnFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Provider } from "aws-cdk-lib/custom-resources";
import { Construct, type IDependable } from "constructs";
import { partName } from "#aws/part-name.ts";
import { endingRights, setupRights } from "#ports/rights.ts";
import { DeployedFunction } from "./deployed-function.ts";
import { cloudGrants } from "./permissions/cloud-grants.ts";
import type { Place } from "./permissions/place.ts";
import { setupGrants } from "./permissions/setup-grants.ts";
import { defaults, type OutriggerSettings } from "./settings.ts";
import type { VpcPlacement } from "./vpc-placement.ts";

/** Two minutes for an access entry to hold, a minute for each CRD to be served, and some for the rest. */
const timeoutSeconds = 600;
/** Between two looks whether a removal is over. */
const lookSeconds = 15;
/** The function itself says when the time is over; the framework's limit is for a function that does not. */
const spareMinutes = 4;

export interface SetupProps {
  readonly place: Place;
  readonly settings: OutriggerSettings;
  readonly placement?: VpcPlacement;
  readonly variables: Readonly<Record<string, string>>;
  readonly queue: { readonly queueName: string; readonly queueArn: string };
  readonly catalog: { readonly functionName: string; readonly functionArn: string };
  readonly nodeRoleArns: readonly string[];
}

/**
 * Brings the cluster to what the functions need, and, when the stack goes, lets the nodes go or stay. In the template:
 * the preflight, then who may enter the cluster, then this; so that it goes first, while all the others still work.
 */
export class Setup extends Construct {
  readonly function: DeployedFunction;
  readonly #props: SetupProps;
  readonly #provider: Provider;
  readonly #preflight: CustomResource;

  constructor(scope: Construct, id: string, props: SetupProps) {
    super(scope, id);
    this.#props = props;
    const { place, settings, queue, catalog } = props;
    const logRetentionDays = settings.logRetentionDays ?? defaults.logRetentionDays;
    this.function = new DeployedFunction(this, "Function", {
      clusterName: place.clusterName,
      name: "setup",
      description: "Installs into the cluster what the functions need, and removes it",
      memoryMB: defaults.memoryMB,
      timeoutSeconds,
      logRetentionDays,
      ...(props.placement === undefined ? {} : { placement: props.placement }),
      variables: {
        ...props.variables,
        QUEUE: queue.queueName,
        CATALOG_FUNCTION: catalog.functionName,
      },
      grants: cloudGrants(
        // Only by force does it end nodes without the loop.
        settings.onDelete === "force" ? [...setupRights, ...endingRights] : setupRights,
        place,
        { nodeRoleArns: [], ssmParameters: settings.ssmParameters ?? [] },
        setupGrants(place, {
          queueArn: queue.queueArn,
          catalogArn: catalog.functionArn,
          stackId: Stack.of(this).stackId,
        }),
      ),
    });
    this.#provider = new Provider(this, "Provider", {
      onEventHandler: this.function.function,
      isCompleteHandler: this.function.function,
      queryInterval: Duration.seconds(lookSeconds),
      totalTimeout: Duration.minutes((settings.drainMinutes ?? defaults.drainMinutes) + spareMinutes),
      logGroup: new LogGroup(this, "ProviderLog", {
        logGroupName: `/aws/lambda/${partName(place.clusterName, "setup-provider")}`,
        retention: logRetentionDays,
      }),
      disableWaiterStateMachineLogging: true,
    });
    this.#preflight = this.#resource("Preflight", "Custom::OutriggerPreflight", {});
  }

  /** Lets a function's role into the cluster, after the preflight has found that there may be entries at all. */
  letIn(id: string, { role }: DeployedFunction, group: string): CfnAccessEntry {
    return this.#entry(id, { principalArn: role.roleArn, kubernetesGroups: [group] });
  }

  /** The installation itself, when all that a removal needs is named: they stay until it is over. */
  install(needs: readonly IDependable[]): void {
    const { settings, nodeRoleArns } = this.#props;
    const windows = settings.windowsNodeRoleArns ?? [];
    const admin = this.#entry("Access", {
      principalArn: this.function.role.roleArn,
      accessPolicies: [
        {
          policyArn: `arn:${this.#props.place.partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
          accessScope: { type: "cluster" },
        },
      ],
    });
    const resource = this.#resource("Installation", "Custom::OutriggerSetup", {
      OnDelete: settings.onDelete ?? defaults.onDelete,
      DrainMinutes: settings.drainMinutes ?? defaults.drainMinutes,
      AdoptCrds: settings.adoptCrds ?? false,
      ConversionWebhook: settings.conversionWebhook ?? false,
      LinuxNodeRoles: nodeRoleArns.filter((arn) => !windows.includes(arn)),
      WindowsNodeRoles: windows,
      Again: settings.setUpAgain ?? "",
    });
    resource.node.addDependency(admin, ...needs);
  }

  #entry(id: string, props: Omit<ConstructorParameters<typeof CfnAccessEntry>[2], "clusterName">): CfnAccessEntry {
    const entry = new CfnAccessEntry(this, id, { clusterName: this.#props.place.clusterName, ...props });
    entry.node.addDependency(this.#preflight);
    return entry;
  }

  #resource(id: string, resourceType: string, properties: Readonly<Record<string, unknown>>): CustomResource {
    const code = (this.function.function.node.defaultChild as CfnFunction).code as { readonly s3Key?: string };
    return new CustomResource(this, id, {
      serviceToken: this.#provider.serviceToken,
      resourceType,
      // Another version of the code has other CRDs or roles, perhaps: it looks again.
      properties: { ClusterName: this.#props.place.clusterName, Code: code.s3Key ?? "", ...properties },
    });
  }
}
