import { Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Key } from "aws-cdk-lib/aws-kms";
import { describe, expect, test } from "vitest";
import { interruptionGroup, reconcileGroup } from "#ports/rights.ts";
import { Outrigger } from "../../infra/outrigger.ts";
import {
  quickApp,
  type Resource,
  resourcesOf,
  type Statement,
  statementsOf,
  templateOf,
  templatesOf,
} from "./synthesised.ts";

const template = templateOf({ name: "blue" });

function named(type: string, property: string, name: string): Readonly<Record<string, unknown>> {
  const found = resourcesOf(template, type).find(({ Properties }) => Properties[property] === name);
  expect(found, `${type} ${name}`).toBeDefined();
  return found?.Properties ?? {};
}

describe("the queue of interruptions (users' row 53)", () => {
  const queue = named("AWS::SQS::Queue", "QueueName", "outrigger-blue-interruptions");
  const receives = (queue.RedrivePolicy as { readonly maxReceiveCount: number }).maxReceiveCount;
  const visibility = Number(queue.VisibilityTimeout);
  const timeout = Number(named("AWS::Lambda::Function", "FunctionName", "outrigger-blue-interruption").Timeout);

  test("gives a batch six times the function's time, which is 15 s at most", () => {
    expect(timeout).toBeLessThanOrEqual(15);
    expect(visibility).toBeGreaterThanOrEqual(6 * timeout);
    expect(visibility).toBeLessThan(120);
  });

  test("keeps a message three times as long as all its deliveries take, and then the other queue has it", () => {
    expect(receives).toBe(3);
    expect(Number(queue.MessageRetentionPeriod)).toBeGreaterThanOrEqual(3 * visibility * receives);
    const failed = named("AWS::SQS::Queue", "QueueName", "outrigger-blue-failed");
    expect(Number(failed.MessageRetentionPeriod)).toBe(14 * 24 * 3_600);
  });

  test("is encrypted by SQS itself and takes nothing that is not, and so is the other queue", () => {
    expect(resourcesOf(template, "AWS::SQS::Queue").map(({ Properties }) => Properties.SqsManagedSseEnabled)).toEqual([
      true,
      true,
    ]);
    const denied = resourcesOf(template, "AWS::SQS::QueuePolicy").flatMap(({ Properties }) =>
      (Properties.PolicyDocument as { readonly Statement: readonly Statement[] }).Statement.filter(
        ({ Effect }) => Effect === "Deny",
      ),
    );
    expect(denied).toHaveLength(2);
    for (const { Condition } of denied) expect(Condition).toEqual({ Bool: { "aws:SecureTransport": "false" } });
  });

  test("feeds the function in batches of ten, of which single records may fail, five at a time", () => {
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 5 },
    });
  });
});

test("five rules fill the queue (users' row 54), and let in only what is acted on", () => {
  const rules = resourcesOf(template, "AWS::Events::Rule");
  const patterns = rules.map(({ Properties }) => Properties.EventPattern as Readonly<Record<string, unknown>>);
  expect(patterns.map((pattern) => [pattern["detail-type"], pattern.detail])).toEqual([
    [["EC2 Spot Instance Interruption Warning"], undefined],
    [["EC2 Instance Rebalance Recommendation"], undefined],
    [["EC2 Instance State-change Notification"], { state: ["stopping", "stopped", "shutting-down", "terminated"] }],
    [["AWS Health Event"], { service: ["EC2"], eventTypeCategory: ["scheduledChange"] }],
    [["EC2 Capacity Reservation Instance Interruption Warning"], undefined],
  ]);
  for (const { Properties } of rules) {
    expect(Properties.Targets).toEqual([expect.objectContaining({ DeadLetterConfig: expect.anything() })]);
  }
});

describe("a key of one's own (users' row 83)", () => {
  const stack = new Stack(quickApp(), "Stack");
  new Outrigger(stack, "Outrigger", { clusterName: "blue", encryptionKey: new Key(stack, "Key") });
  const encrypted = Template.fromStack(stack);

  test("is used by EventBridge for both queues: it writes to the other one too", () => {
    const [key] = resourcesOf(encrypted, "AWS::KMS::Key");
    const policy = key?.Properties.KeyPolicy as { readonly Statement: readonly Statement[] } | undefined;
    const grant = policy?.Statement.find(({ Sid }) => Sid === "EventBridgeWritesToEncryptedQueues");
    expect(grant?.Principal).toEqual({ Service: "events.amazonaws.com" });
    expect(grant?.Action).toEqual(["kms:Decrypt", "kms:GenerateDataKey*"]);
  });

  test("encrypts both queues, and the function may decrypt", () => {
    const keys = resourcesOf(encrypted, "AWS::SQS::Queue").map(({ Properties }) => Properties.KmsMasterKeyId);
    expect(keys).toEqual([expect.anything(), expect.anything()]);
    expect(JSON.stringify(resourcesOf(encrypted, "AWS::IAM::Policy"))).toContain("kms:Decrypt");
  });

  test("of AWS's own making is refused: EventBridge cannot use it, and nothing would say so", () => {
    const other = new Stack(quickApp(), "Other");
    const managed = Key.fromKeyArn(other, "Managed", "arn:aws:kms:eu-west-1:111122223333:alias/aws/sqs");
    expect(() => new Outrigger(other, "Outrigger", { clusterName: "blue", encryptionKey: managed })).toThrow(
      "encryptionKey: EventBridge cannot use a key that AWS manages",
    );
  });
});

describe("the schedule", () => {
  test("runs the loop each minute, on the minute, and makes up for nothing", () => {
    template.hasResourceProperties("AWS::Scheduler::Schedule", {
      Name: "outrigger-blue-tick",
      ScheduleExpression: "rate(1 minute)",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: { RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 } },
    });
    template.hasResourceProperties("AWS::Lambda::EventInvokeConfig", {
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 60,
    });
  });

  test("reads types twice a day and spot prices each hour", () => {
    const schedules = resourcesOf(template, "AWS::Scheduler::Schedule").map(({ Properties }) => [
      Properties.ScheduleExpression,
      (Properties.Target as { readonly Input?: string }).Input,
    ]);
    expect(schedules).toContainEqual(["rate(12 hours)", undefined]);
    expect(schedules).toContainEqual(["rate(1 hour)", '{"part":"spot-prices"}']);
  });
});

test("the functions run on Node 24 on arm64, each with a log of its own that is kept for a time", () => {
  const own = resourcesOf(template, "AWS::Lambda::Function").filter(({ Properties }) => "FunctionName" in Properties);
  expect(own.map(({ Properties }) => Properties.FunctionName).sort()).toEqual(
    ["catalog", "interruption", "reconcile", "setup"].map((name) => `outrigger-blue-${name}`),
  );
  for (const { Properties } of own) {
    expect(Properties).toMatchObject({ Runtime: "nodejs24.x", Architectures: ["arm64"], Handler: "handler.handler" });
    // A new account may run ten functions at a time: what is reserved is taken from all others.
    expect(Properties).not.toHaveProperty("ReservedConcurrentExecutions");
  }
  const logs = resourcesOf(template, "AWS::Logs::LogGroup").map(({ Properties }) => Properties);
  // The fifth is that of what asks `setup`.
  expect(logs).toHaveLength(5);
  for (const log of logs) {
    expect(log).toMatchObject({
      LogGroupName: expect.stringMatching("^/aws/lambda/outrigger-blue-"),
      RetentionInDays: 14,
    });
  }
});

test("recordings go after 14 days; switched off there is no bucket for them", () => {
  const rules = (buckets: readonly Resource[]) => buckets.map(({ Properties }) => Properties.LifecycleConfiguration);
  expect(rules(resourcesOf(template, "AWS::S3::Bucket"))).toEqual([
    undefined,
    { Rules: [expect.objectContaining({ ExpirationInDays: 14, Status: "Enabled" })] },
  ]);
  expect(resourcesOf(templateOf({ name: "blue", recordings: false }), "AWS::S3::Bucket")).toHaveLength(1);
});

describe("the conversion of v1beta1", () => {
  test("is not there unless it is asked for", () => {
    expect(resourcesOf(template, "AWS::Lambda::Url")).toEqual([]);
    expect(resourcesOf(template, "AWS::SecretsManager::Secret")).toEqual([]);
  });

  test("is a function behind a URL without authentication, whose path only CloudFormation knows", () => {
    const converting = templateOf({ name: "blue", conversionWebhook: true });
    expect(resourcesOf(converting, "AWS::Lambda::Url").map(({ Properties }) => Properties.AuthType)).toEqual(["NONE"]);
    const [secret] = resourcesOf(converting, "AWS::SecretsManager::Secret");
    expect(secret?.Properties).toMatchObject({
      Name: "outrigger-blue-conversion",
      GenerateSecretString: { ExcludePunctuation: true, PasswordLength: 48 },
    });
    expect(secret?.DeletionPolicy).toBe("Delete");
    const converter = resourcesOf(converting, "AWS::Lambda::Function").find(
      ({ Properties }) => Properties.FunctionName === "outrigger-blue-conversion",
    );
    expect(JSON.stringify(converter?.Properties.Environment)).toContain("{{resolve:secretsmanager:");
    expect(Number(converter?.Properties.Timeout)).toBeLessThan(30);
    const { Outputs: outputs } = converting.toJSON() as { readonly Outputs: object };
    expect(JSON.stringify(outputs)).not.toContain("resolve:secretsmanager");
  });

  test("may do nothing but write its log", () => {
    const converting = templateOf({ name: "blue", conversionWebhook: true });
    const statements = statementsOf(converting, "OutriggerConversionConverter");
    expect(statements.map(({ Action }) => Action)).toEqual([["logs:CreateLogStream", "logs:PutLogEvents"]]);
  });
});

describe("to the cluster", () => {
  test("the functions that ask it are their groups and nothing else (users' row 84)", () => {
    const entries = resourcesOf(template, "AWS::EKS::AccessEntry").map(({ Properties }) => Properties);
    expect(entries.map(({ KubernetesGroups }) => KubernetesGroups)).toEqual([
      [reconcileGroup],
      [interruptionGroup],
      undefined,
    ]);
    expect(entries.map(({ AccessPolicies }) => AccessPolicies)).toEqual([
      undefined,
      undefined,
      [
        {
          PolicyArn: {
            "Fn::Join": [
              "",
              ["arn:", { Ref: "AWS::Partition" }, ":eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"],
            ],
          },
          AccessScope: { Type: "cluster" },
        },
      ],
    ]);
  });

  test("no layer and no other people's kubectl goes (users' row 85)", () => {
    expect(resourcesOf(template, "AWS::Lambda::LayerVersion")).toEqual([]);
    expect(JSON.stringify(template.toJSON())).not.toContain("kubectl");
  });
});

describe("the installation", () => {
  const all = template.toJSON().Resources as Readonly<Record<string, Resource & { readonly DependsOn?: unknown }>>;
  const idsOf = (type: string): readonly string[] => Object.keys(all).filter((id) => all[id]?.Type === type);

  /** Everything that must be there before it, and stays until it is gone. */
  function needsOf(id: string): ReadonlySet<string> {
    const found = new Set<string>();
    const left = [id];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const text = JSON.stringify([all[next]?.DependsOn, all[next]?.Properties]);
      const named = Object.keys(all).filter((other) => text.includes(`"${other}"`) && !found.has(other));
      for (const each of named) found.add(each);
      left.push(...named);
    }
    return found;
  }

  test("comes last and goes first: all that drains nodes is there while they leave", () => {
    const [id = ""] = idsOf("Custom::OutriggerSetup");
    const needs = needsOf(id);
    const needed = ["AWS::Scheduler::Schedule", "AWS::EKS::AccessEntry", "AWS::IAM::Policy", "AWS::SQS::Queue"];
    for (const type of [...needed, "AWS::Lambda::EventSourceMapping", "AWS::Lambda::Function", "AWS::S3::Bucket"]) {
      expect(
        idsOf(type).filter((each) => !needs.has(each) && !/CustomS3AutoDelete/.test(each)),
        type,
      ).toEqual([]);
    }
    for (const other of Object.keys(all)) expect(needsOf(other).has(id), other).toBe(false);
  });

  test("looks before anybody is let in (users' row 84)", () => {
    const [id = ""] = idsOf("Custom::OutriggerPreflight");
    for (const entry of idsOf("AWS::EKS::AccessEntry")) expect(needsOf(entry).has(id)).toBe(true);
  });

  test("is told which roles nodes have, and keeps nodes unless told otherwise", () => {
    const properties = (each: Template) => resourcesOf(each, "Custom::OutriggerSetup")[0]?.Properties;
    expect(properties(template)).toMatchObject({
      OnDelete: "keep",
      AdoptCrds: false,
      ConversionWebhook: false,
      LinuxNodeRoles: [{ "Fn::GetAtt": [expect.stringContaining("NodeRole"), "Arn"] }],
      WindowsNodeRoles: [],
    });
    const [nodes, windows] = ["nodes", "windows"].map((name) => `arn:aws:iam::111122223333:role/${name}`);
    const given = { nodeRoleArns: [nodes ?? ""], windowsNodeRoleArns: [windows ?? ""], onDelete: "drain" } as const;
    expect(properties(templateOf({ name: "blue", ...given }))).toMatchObject({
      OnDelete: "drain",
      LinuxNodeRoles: [nodes],
      WindowsNodeRoles: [windows],
    });
  });
});

describe("the role of nodes", () => {
  test("is made with Karpenter's policies, and stays when the stack goes, since nodes do", () => {
    const [role] = resourcesOf(template, "AWS::IAM::Role").filter(({ Properties }) => "RoleName" in Properties);
    expect(role?.Properties.RoleName).toBe("outrigger-blue-node-eu-west-1");
    expect(role?.DeletionPolicy).toBe("RetainExceptOnCreate");
    expect(role?.Properties.ManagedPolicyArns).toHaveLength(4);
  });

  test("is not made when there is one", () => {
    const nodeRoleArns = ["arn:aws:iam::111122223333:role/KarpenterNodeRole-blue"];
    const roles = resourcesOf(templateOf({ name: "blue", nodeRoleArns }), "AWS::IAM::Role");
    expect(roles.filter(({ Properties }) => "RoleName" in Properties)).toEqual([]);
  });
});

describe("two clusters in one account (users' row 88)", () => {
  // A metric has its cluster, or what is named by it, beside its name.
  const nameOf = /(?:^|(?<!Metric)(?<=[a-z]))Name$/;
  const namesOf = (each: Template): readonly string[] =>
    (Object.values(each.toJSON().Resources) as readonly Resource[]).flatMap(({ Type, Properties }) =>
      // A policy's name is its role's alone.
      Type === "AWS::IAM::Policy"
        ? []
        : Object.entries(Properties ?? {}).flatMap(([property, value]) =>
            nameOf.test(property) && typeof value === "string" ? [`${Type} ${value}`] : [],
          ),
    );

  test.each([
    ["red", "green"],
    [`${"x".repeat(90)}-red`, `${"x".repeat(90)}-green`],
    ["a_b", "a-b"],
  ])("%s and %s share no name", (one, other) => {
    const [first, second] = templatesOf({ name: one }, { name: other }).map(namesOf);
    expect(first?.length).toBeGreaterThan(10);
    expect(second?.filter((name) => first?.includes(name) && !/ClusterName/.test(name))).toEqual([]);
  });

  test("of one name in two regions are two stacks", () => {
    expect(
      templatesOf({ name: "blue", region: "us-east-1" }, { name: "blue", region: "us-east-2" }).map((each) =>
        resourcesOf(each, "AWS::IAM::Role").flatMap(({ Properties }) => Properties.RoleName ?? []),
      ),
    ).toEqual([["outrigger-blue-node-us-east-1"], ["outrigger-blue-node-us-east-2"]]);
  });
});
