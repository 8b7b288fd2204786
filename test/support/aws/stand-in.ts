import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureEnvironment } from "./environment.ts";

/** A call that the stand-in received, in EC2's flat parameters where its protocol is EC2's. */
export interface StandInCall {
  readonly service: string;
  readonly action: string;
  readonly atMs: number;
  readonly parameters: Readonly<Record<string, string>>;
}

/** "The `nth` call of this action from now on, and `count` − 1 after it." EC2's throttling unless said otherwise. */
export interface StandInFault {
  readonly action: string;
  readonly nth?: number;
  readonly count?: number;
  /** Only calls whose body has this text, as it is on the wire. */
  readonly contains?: string;
  /** Refused; carried out with its reply cut off; or cut off before anything happens. */
  readonly effect?: "none" | "reply-lost" | "unreachable";
  readonly status?: number;
  readonly code?: string;
  readonly message?: string;
}

export interface StandInSettings {
  readonly seed?: number;
  readonly pendingMs?: number;
  readonly shuttingDownMs?: number;
  /** How long reads do not show a new instance. */
  readonly hiddenMs?: number;
  /** Whether EC2's rate limits hold; they do. */
  readonly buckets?: boolean;
  readonly authenticationMode?: "API" | "API_AND_CONFIG_MAP" | "CONFIG_MAP";
  /** The versions that AWS's parameters point at. */
  readonly latest?: Partial<Record<"al2" | "al2023" | "bottlerocket", string>>;
  /** URL of who runs functions and state machines: calls that start one are handed over to it. */
  readonly harness?: string;
}

/** A custom resource's event, as its function gets it. */
export interface CustomRequest {
  readonly RequestType: "Create" | "Update" | "Delete";
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  readonly PhysicalResourceId?: string;
  /** ARN of the function that is asked. */
  readonly ServiceToken: string;
}

/** What is deployed, in the words of Lambda, Step Functions and EventBridge Scheduler. */
export interface Deployed {
  readonly functions: readonly {
    readonly FunctionName: string;
    readonly FunctionArn: string;
    readonly Handler: string;
    readonly Role: string;
    /** MB. */
    readonly MemorySize: number;
    /** Seconds. */
    readonly Timeout: number;
    readonly CodeSha256: string;
    readonly Environment?: { readonly Variables: Readonly<Record<string, string>> };
    readonly Code: { readonly S3Bucket: string; readonly S3Key: string };
  }[];
  readonly feeds: readonly {
    readonly EventSourceArn: string;
    readonly FunctionArn: string;
    readonly BatchSize: number;
  }[];
  readonly machines: readonly { readonly arn: string; readonly definition: string }[];
  readonly schedules: readonly {
    readonly Name: string;
    readonly ScheduleExpression: string;
    readonly Target: { readonly Arn: string; readonly Input?: string };
  }[];
}

export type AnnouncedKind =
  | "spot-interruption"
  | "rebalance-recommendation"
  | "state-change"
  | "scheduled-change"
  | "capacity-reservation-interruption";

/** An access entry of a cluster, as EKS tells it, with the access policies of its principal. */
export interface StandInAccessEntry {
  readonly clusterName: string;
  readonly principalArn: string;
  readonly type: string;
  readonly kubernetesGroups: readonly string[];
  readonly accessPolicies?: readonly string[];
}

/** One question to IAM: whether a role may do this to a resource, under these condition keys. */
export interface Authorization {
  readonly principal: string;
  /** As `ec2:CreateTags`. */
  readonly action: string;
  /** ARN, or `*` where the action knows none. */
  readonly resource: string;
  readonly context: Readonly<Record<string, string | string[]>>;
}

const startMsMax = 60_000;
const catalogue = join(import.meta.dirname, "../../../shared/adapters/simulator/data/us-east-1.json");

/** moto and our additions in a process of their own, on a free port of 127.0.0.1. */
export class StandIn {
  readonly endpoint: string;
  readonly region = "us-east-1";
  readonly account = "123456789012";
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  /** `environment`: KUBE_ENDPOINT and KUBE_CA make EKS clusters point at a local API server. Throws when it cannot start. */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<StandIn> {
    const ready = ensureEnvironment();
    if (ready.kind === "missing") throw new Error(`no stand-in for AWS: ${ready.why}`);
    const child = spawn(ready.python, ["-m", "standin"], {
      cwd: import.meta.dirname,
      env: {
        PATH: process.env.PATH ?? "",
        HOME: process.env.HOME ?? "",
        PYTHONPYCACHEPREFIX: join(ready.cache, "pycache"),
        STANDIN_CATALOGUE: catalogue,
        ...environment,
      },
      // It ends when its input does: with this process at the latest.
      stdio: ["pipe", "pipe", "pipe"],
    });
    let complaints = "";
    child.stderr?.on("data", (text) => {
      complaints = `${complaints}${text}`.slice(-4_000);
    });
    return new StandIn(child, await portOf(child, () => complaints));
  }

  /** By its process id; resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
  }

  /** The account is empty again. */
  readonly reset = () => this.#command("reset", {});
  readonly configure = (settings: StandInSettings) => this.#command("configure", { ...settings });
  /** So much time passes at once: launches finish, buckets fill. */
  readonly advance = (ms: number) => this.#command("advance", { ms });
  readonly fault = (fault: StandInFault) => this.#command("fault", { ...fault });
  /** This pool gives `left` (0) more instances from now on; an absent field means all. */
  readonly shortage = (pool: {
    readonly instanceType?: string;
    readonly zone?: string;
    readonly capacityType?: string;
    readonly left?: number;
    readonly code?: string;
    readonly message?: string;
  }) => this.#command("shortage", pool);
  readonly image = async (image: {
    readonly name: string;
    readonly arch?: "x86_64" | "arm64";
    readonly id?: string;
    readonly owner?: string;
    readonly createdAt?: string;
    readonly deprecatedAt?: string;
    readonly tags?: Readonly<Record<string, string>>;
  }) => (await this.#command("image", image)) as { readonly id: string };
  readonly deprecate = (id: string, at: string) => this.#command("deprecate", { id, at });
  /** In the fields of DescribeCapacityReservations. */
  readonly reservation = (row: Readonly<Record<string, unknown>>) => this.#command("reservation", row);
  readonly placementGroup = (row: Readonly<Record<string, unknown>>) => this.#command("placement-group", row);
  readonly status = (status: {
    readonly instanceId: string;
    readonly instanceStatus?: "ok" | "impaired";
    readonly systemStatus?: "ok" | "impaired";
    readonly impairedSince?: string;
    readonly events?: readonly Readonly<Record<string, string>>[];
  }) => this.#command("status", status);
  /** Puts an event on the bus and changes nothing else. `state`: of a state-change. */
  readonly announce = (instanceId: string, kind: AnnouncedKind, state?: string) =>
    this.#command("announce", { instanceId, kind, ...(state === undefined ? {} : { state }) });
  /** The spot warning now, the end two minutes later. */
  readonly interrupt = (instanceId: string) => this.#command("interrupt", { instanceId });
  readonly calls = async (action?: string) =>
    (await this.#command("calls", action === undefined ? {} : { action })) as readonly StandInCall[];
  /** The content of the launch template that an instance was made of, in EC2's fields. */
  readonly launchedWith = async (instanceId: string) =>
    (await this.#command("launched-with", { instanceId })) as Readonly<Record<string, unknown>>;
  /** Access entries, and CloudFormation resources of types that moto does not know. */
  readonly kept = async () =>
    (await this.#command("kept", {})) as {
      readonly accessEntries: readonly string[];
      readonly resources: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    };

  readonly accessEntries = async () => (await this.#command("access-entries", {})) as readonly StandInAccessEntry[];
  readonly deployed = async () => (await this.#command("deployed", {})) as Deployed;
  /** Credentials of a role's session. */
  readonly assume = async (roleArn: string, session: string) =>
    (await this.#command("assume", { roleArn, session })) as {
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string;
    };
  /** What AWS asked IAM for calls that were signed with a role's keys, each question once. */
  readonly authorizations = async () => (await this.#command("authorizations", {})) as readonly Authorization[];
  /** A role's own policies by name. */
  readonly policies = async (roleArn: string) =>
    (await this.#command("policies", { roleArn })) as Readonly<Record<string, object>>;
  /** The events of custom resources since the last call. */
  readonly customRequests = async () => (await this.#command("custom-requests", {})) as readonly CustomRequest[];
  /** In place of a function that ended without an answer. */
  readonly refuseCustom = ({ RequestType: _, ServiceToken: __, ...request }: CustomRequest, Reason: string) =>
    this.#command("custom-answer", { ...request, Status: "FAILED", Reason });

  async #command(name: string, body: object): Promise<unknown> {
    const answer = await fetch(`${this.endpoint}/standin/${name}`, { method: "POST", body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`stand-in, ${name}: ${await answer.text()}`);
    return answer.json();
  }
}

async function portOf(child: ChildProcess, complaints: () => string): Promise<number> {
  if (child.stdout === null) throw new Error("the stand-in has no output");
  const lines = createInterface({ input: child.stdout });
  const line = await Promise.race([
    once(lines, "line").then(([text]) => String(text)),
    once(child, "exit").then(() => {
      throw new Error(`the stand-in for AWS ended at its start:\n${complaints()}`);
    }),
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`the stand-in for AWS did not start:\n${complaints()}`)), startMsMax).unref();
    }),
  ]);
  const { port } = JSON.parse(line) as { readonly port: number };
  return port;
}
