import { CfnOutput, Stack } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import {
  catalogueRights,
  cloudObservation,
  cloudRights,
  connectionRights,
  interruptionGroup,
  reconcileGroup,
} from "#ports/rights.ts";
import { settingsProblems } from "./check-settings.ts";
import { ConversionWebhook } from "./conversion-webhook.ts";
import { DeployedFunction } from "./deployed-function.ts";
import { commonVariables, type DeployedParts, decidingVariables, loggingVariables } from "./environment.ts";
import { InterruptionQueue, interruptionTimeoutSeconds } from "./interruption-queue.ts";
import { isClusterName } from "./names.ts";
import { makeNodeRole } from "./node-role.ts";
import { cloudGrants } from "./permissions/cloud-grants.ts";
import type { Grant, GrantOptions } from "./permissions/grant.ts";
import { outputGrants, wakeGrant } from "./permissions/output-grants.ts";
import { type Place, placeOf } from "./permissions/place.ts";
import { Schedules } from "./schedules.ts";
import { defaults, type OutriggerSettings } from "./settings.ts";
import { Setup } from "./setup.ts";
import { Storage } from "./storage.ts";

export interface OutriggerProps extends OutriggerSettings {
  /** The name itself, not a reference to another resource: tags in policies and names of resources are made of it. */
  readonly clusterName: string;
  /** Key of the queues. @default keys of SQS itself */
  readonly encryptionKey?: IKey;
}

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
  readonly #settings: OutriggerSettings;
  readonly #place: Place;

  constructor(scope: Construct, id: string, { clusterName, encryptionKey, ...settings }: OutriggerProps) {
    super(scope, id);
    assertUsable(clusterName, settings, encryptionKey);
    this.#settings = settings;
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
    new CfnOutput(this, "Queue", { value: this.interruptions.queue.queueName });
    new CfnOutput(this, "OnDelete", { value: onDeleteInWords[settings.onDelete ?? defaults.onDelete] });
  }

  #makeSetup(): Setup {
    const { queue } = this.interruptions;
    return new Setup(this, "Setup", {
      place: this.#place,
      settings: this.#settings,
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
      name: "interruption",
      description: "Acts on EC2's warnings within seconds",
      memoryMB: this.#settings.interruptionMemoryMB ?? defaults.memoryMB,
      timeoutSeconds: interruptionTimeoutSeconds,
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

function assertUsable(clusterName: string, settings: OutriggerSettings, key: IKey | undefined): void {
  const name = isClusterName(clusterName)
    ? []
    : [`clusterName: must be the name itself, letters, digits, - and _; it is ${JSON.stringify(clusterName)}`];
  const managed = key?.keyArn.includes("alias/aws/")
    ? ["encryptionKey: EventBridge cannot use a key that AWS manages; leave it out, or give a key of your own"]
    : [];
  const problems = [...name, ...managed, ...settingsProblems({ ...settings })];
  if (problems.length > 0) throw new Error(`Outrigger: ${problems.join("; ")}`);
}
