import { CfnOutput, Stack } from "aws-cdk-lib";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import { queueTiming } from "#ec2/setup/queue-timing.ts";
import {
  catalogueRights,
  cloudObservation,
  cloudRights,
  connectionRights,
  interruptionGroup,
  reconcileGroup,
} from "#ports/rights.ts";
import { ConversionWebhook } from "./conversion-webhook.ts";
import { DeployedFunction } from "./deployed-function.ts";
import { commonVariables, type DeployedParts, decidingVariables, loggingVariables } from "./environment.ts";
import { acknowledgeFindings } from "./findings.ts";
import { InterruptionQueue } from "./interruption-queue.ts";
import { Alarms } from "./monitoring/alarms.ts";
import { WatchBoard } from "./monitoring/watch-board.ts";
import { makeNodeRole } from "./node-role.ts";
import { checkedProps, type OutriggerProps } from "./outrigger-props.ts";
import { cloudGrants } from "./permissions/cloud-grants.ts";
import type { Grant, GrantOptions } from "./permissions/grant.ts";
import { outputGrants, wakeGrant } from "./permissions/output-grants.ts";
import { type Place, placeOf } from "./permissions/place.ts";
import { Schedules } from "./schedules.ts";
import { defaults, type OutriggerSettings } from "./settings.ts";
import { Setup } from "./setup.ts";
import { Storage } from "./storage.ts";
import { endpointServices, placementOf, type VpcPlacement } from "./vpc-placement.ts";

/** An invocation stays for 150 s at most, and has some time to end. */
const reconcileTimeoutSeconds = 180;
/** Reads every instance type and price of the region, page by page. */
const catalogTimeoutSeconds = 300;

/** Outrigger for one cluster: its functions, what wakes them, what they may do, and who they are to the cluster. */
export class Outrigger extends Construct {
  readonly reconcile: DeployedFunction;
  readonly interruption: DeployedFunction;
  readonly catalog: DeployedFunction;
  readonly interruptions: InterruptionQueue;
  readonly storage: Storage;
  readonly setup: Setup;
  readonly #nodeRoleArns: readonly string[];
  readonly #placement: VpcPlacement | undefined;
  readonly #settings: OutriggerSettings;
  readonly #place: Place;

  constructor(scope: Construct, id: string, props: OutriggerProps) {
    super(scope, id);
    const { clusterName, cluster, placeInVpc, encryptionKey, settings } = checkedProps(props);
    this.#settings = settings;
    this.#placement = placementOf(this, clusterName, settings, placeInVpc ? cluster : undefined);
    this.#place = placeOf(Stack.of(this), clusterName);
    this.storage = new Storage(this, "Storage", {
      clusterName,
      recordings: settings.recordings ?? defaults.recordings,
    });
    const { nodeRoleArns: given = [], windowsNodeRoleArns = [] } = settings;
    this.#nodeRoleArns =
      given.length + windowsNodeRoleArns.length === 0
        ? [makeNodeRole(this, clusterName).roleArn]
        : [...new Set([...given, ...windowsNodeRoleArns])];
    this.reconcile = this.#makeReconcile();
    this.catalog = this.#makeCatalog();
    this.interruption = this.#makeInterruption();
    this.interruptions = new InterruptionQueue(this, "Interruptions", {
      clusterName,
      ...(encryptionKey === undefined ? {} : { encryptionKey }),
    });
    this.interruptions.feed(this.interruption.function);
    const schedules = new Schedules(this, "Schedules", {
      clusterName,
      reconcile: this.reconcile.function,
      catalog: this.catalog.function,
    });
    const conversion =
      settings.conversionWebhook === true ? [new ConversionWebhook(this, "Conversion", this.#common())] : [];
    this.setup = this.#makeSetup();
    const entries = [
      this.setup.letIn("ReconcileAccess", this.reconcile, reconcileGroup),
      this.setup.letIn("InterruptionAccess", this.interruption, interruptionGroup),
    ];
    const functions = [this.reconcile, this.interruption, ...conversion];
    this.setup.install([...entries, ...functions, schedules, this.storage, this.interruptions]);
    this.#watch();
    if (this.#placement !== undefined) {
      new CfnOutput(this, "EndpointServices", {
        value: endpointServices.join(" "),
        description: "Interface endpoints that the functions need where their subnets have no way out",
      });
    }
    acknowledgeFindings(this);
    new CfnOutput(this, "Queue", { value: this.interruptions.queue.queueName });
    new CfnOutput(this, "OnDelete", { value: onDeleteInWords[settings.onDelete ?? defaults.onDelete] });
  }

  #makeSetup(): Setup {
    const { queue } = this.interruptions;
    return new Setup(this, "Setup", {
      place: this.#place,
      settings: this.#settings,
      ...this.#placed(),
      variables: loggingVariables(this.#parts, this.#settings),
      queue,
      catalog: this.catalog.function,
      nodeRoleArns: this.#nodeRoleArns,
    });
  }

  #makeReconcile(): DeployedFunction {
    const rights = [...cloudObservation, ...Object.values(cloudRights).flat(), ...connectionRights];
    const { memoryMB } = defaults;
    return new DeployedFunction(this, "Reconcile", {
      ...this.#common(),
      ...this.#placed(),
      name: "reconcile",
      description: "Outrigger's loop: looks, decides, writes",
      memoryMB: this.#settings.reconcileMemoryMB ?? memoryMB,
      timeoutSeconds: reconcileTimeoutSeconds,
      variables: decidingVariables(this.#parts, this.#settings),
      grants: [
        ...cloudGrants(rights, this.#place, this.#grantOptions()),
        ...this.storage.readCatalogue(),
        ...this.storage.writeRecordings(),
        ...this.#outputs(),
      ],
      // What was missed is not made up for: the next tick sees more.
      again: { attemptsMax: 0, ageMaxSeconds: 60 },
    });
  }

  #makeInterruption(): DeployedFunction {
    const { functionName, functionArn } = this.reconcile.function;
    return new DeployedFunction(this, "Interruption", {
      ...this.#common(),
      ...this.#placed(),
      name: "interruption",
      description: "Acts on EC2's warnings within seconds",
      memoryMB: this.#settings.interruptionMemoryMB ?? defaults.memoryMB,
      timeoutSeconds: queueTiming.functionSeconds,
      variables: { ...decidingVariables(this.#parts, this.#settings), RECONCILE_FUNCTION: functionName },
      grants: [
        ...cloudGrants(connectionRights, this.#place, { nodeRoleArns: [], ssmParameters: [] }),
        wakeGrant(functionArn),
        ...this.#outputs(),
      ],
    });
  }

  #makeCatalog(): DeployedFunction {
    return new DeployedFunction(this, "Catalog", {
      ...this.#common(),
      name: "catalog",
      description: "Writes what the region offers, and its prices",
      memoryMB: this.#settings.catalogMemoryMB ?? defaults.memoryMB,
      timeoutSeconds: catalogTimeoutSeconds,
      variables: commonVariables(this.#parts, this.#settings),
      grants: [
        ...cloudGrants(catalogueRights, this.#place, { nodeRoleArns: [], ssmParameters: [] }),
        ...this.storage.writeCatalogue(),
      ],
    });
  }

  #common() {
    const logRetentionDays = this.#settings.logRetentionDays ?? defaults.logRetentionDays;
    return { clusterName: this.#place.clusterName, logRetentionDays };
  }

  #placed(): { readonly placement?: VpcPlacement } {
    return this.#placement === undefined ? {} : { placement: this.#placement };
  }

  #watch(): void {
    const { clusterName } = this.#place;
    const { queue, deadLetterQueue } = this.interruptions;
    const { alarmTopicArn: topicArn, costLimitPerHour, alarms = defaults.alarms } = this.#settings;
    const { function: reconcile } = this.reconcile;
    const { function: interruption } = this.interruption;
    const { function: catalog } = this.catalog;
    if (alarms) {
      new Alarms(this, "Alarms", {
        ...{ clusterName, reconcile, interruption, catalog, queue, deadLetterQueue },
        ...(topicArn === undefined ? {} : { topicArn }),
        ...(costLimitPerHour === undefined ? {} : { costLimitPerHour }),
      });
    }
    if (this.#settings.dashboard ?? defaults.dashboard) {
      const { reconcileMemoryMB, interruptionMemoryMB, catalogMemoryMB } = this.#settings;
      const functions = [
        { of: reconcile, name: "reconcile", memoryMB: reconcileMemoryMB ?? defaults.memoryMB },
        { of: interruption, name: "interruption", memoryMB: interruptionMemoryMB ?? defaults.memoryMB },
        { of: catalog, name: "catalog", memoryMB: catalogMemoryMB ?? defaults.memoryMB },
      ];
      const reconcileLog = `/aws/lambda/${partName(clusterName, "reconcile")}`;
      new WatchBoard(this, "Board", { clusterName, functions, queue, reconcileLog });
    }
  }

  get #parts(): DeployedParts {
    const { catalogue, recordings } = this.storage;
    return {
      clusterName: this.#place.clusterName,
      catalogueBucket: catalogue.bucketName,
      ...(recordings === undefined ? {} : { recordingsBucket: recordings.bucketName }),
    };
  }

  #grantOptions(): GrantOptions {
    const { ssmParameters = [] } = this.#settings;
    return { nodeRoleArns: this.#nodeRoleArns, ssmParameters };
  }

  #outputs(): readonly Grant[] {
    return outputGrants(this.#place, this.#settings);
  }
}

const onDeleteInWords: Readonly<Record<NonNullable<OutriggerSettings["onDelete"]>, string>> = {
  keep: "keep: nodes and NodeClaims stay when the stack is deleted",
  drain: "drain: nodes are drained and ended before the stack is deleted",
  force: "force: nodes are ended before the stack is deleted, whatever PodDisruptionBudgets say",
};
