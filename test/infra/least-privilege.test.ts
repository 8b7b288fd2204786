/**
 * What `interruption`, `catalog` and `setup` may do, and what they may not although it differs in one thing only; judged by
 * their policies. The loop's own policy is judged in test/aws by the calls that it really makes.
 */
import { describe, expect, test } from "vitest";
import { judge, type Question } from "../support/least-privilege/judge.ts";
import { policyOf, templatesIn } from "./synthesised.ts";

const here = { account: "123456789012", region: "us-east-1" };
const nodeRole = `arn:aws:iam::${here.account}:role/node`;
const [template] = templatesIn(here, { name: "demo", nodeRoleArns: [nodeRole], eventBusName: "ops" });
if (template === undefined) throw new Error("no template");
const roles = {
  interruption: policyOf(template, "OutriggerInterruption", here),
  catalog: policyOf(template, "OutriggerCatalog", here),
  setup: policyOf(template, "OutriggerSetupFunction", here),
};
type Role = keyof typeof roles;

const arn = (service: string, path: string): string => `arn:aws:${service}:${here.region}:${here.account}:${path}`;
const regional = (region: string) => ({ "aws:RequestedRegion": region });
const ask = (action: string, resource: string, context: Question["context"] = {}): Question => ({
  ...{ action, resource },
  context: { ...regional(here.region), ...context },
});
/** The resource of a statement of its own, whose name CloudFormation makes. */
function ownResource(role: Role, sid: string): string {
  const found = roles[role].Statement.find((statement) => (statement as { readonly Sid?: string }).Sid === sid);
  const { Resource } = (found ?? {}) as { readonly Resource?: string };
  if (Resource === undefined) throw new Error(`${role} has no statement ${sid}`);
  return Resource;
}

const ours = {
  "aws:ResourceTag/kubernetes.io/cluster/demo": "owned",
  "aws:ResourceTag/karpenter.sh/nodepool": "default",
};
const catalogue = ownResource("catalog", "WriteCatalogue");
const telling = { "events:source": ["outrigger"] };
const entryOf = (cluster: string): string => arn("eks", `access-entry/${cluster}/role/${here.account}/node/0123`);

/** By function: what it may do, with the same question changed so that it may not. */
const allowed: readonly (readonly [Role, string, Question, Readonly<Record<string, Partial<Question>>>])[] = [
  [
    "interruption",
    "wakes the loop",
    ask("lambda:InvokeFunction", arn("lambda", "function:outrigger-demo-reconcile")),
    {
      "of another cluster": { resource: arn("lambda", "function:outrigger-other-reconcile") },
      "but no other function of its own": { resource: arn("lambda", "function:outrigger-demo-setup") },
    },
  ],
  [
    "interruption",
    "asks where its cluster is",
    ask("eks:DescribeCluster", arn("eks", "cluster/demo")),
    {
      "another cluster": { resource: arn("eks", "cluster/other") },
      "its configuration is not its to change": { action: "eks:UpdateClusterConfig" },
    },
  ],
  [
    "interruption",
    "reads its queue",
    ask("sqs:ReceiveMessage", arn("sqs", "outrigger-demo-interruptions")),
    {
      "another cluster's": { resource: arn("sqs", "outrigger-other-interruptions") },
      "what failed waits for a person": { resource: arn("sqs", "outrigger-demo-failed") },
      "and writes none": { action: "sqs:SendMessage" },
    },
  ],
  [
    "interruption",
    "tells of decisions on the bus that is named",
    ask("events:PutEvents", arn("events", "event-bus/ops"), telling),
    {
      "another bus": { resource: arn("events", "event-bus/default") },
      "in somebody else's name too": { context: { "events:source": ["outrigger", "payments"] } },
      "in nobody's name": { context: {} },
    },
  ],
  [
    "catalog",
    "writes its catalogue",
    ask("s3:PutObject", catalogue),
    {
      "another region's": { resource: catalogue.replace(here.region, "eu-west-1") },
      "any other file of the bucket": { resource: `${catalogue}.old` },
      "another cluster's": { resource: "arn:aws:s3:::other/catalogue/us-east-1.json.gz" },
      "nor deletes it": { action: "s3:DeleteObject" },
    },
  ],
  [
    "catalog",
    "lists what its region offers",
    ask("ec2:DescribeInstanceTypes", "*"),
    {
      "another region's": { context: regional("eu-west-1") },
      "but no instances": { action: "ec2:DescribeInstances" },
    },
  ],
  [
    "setup",
    "lets nodes into its cluster",
    ask("eks:CreateAccessEntry", arn("eks", "cluster/demo")),
    {
      "another cluster": { resource: arn("eks", "cluster/other") },
      "and nobody as an administrator": { action: "eks:AssociateAccessPolicy", resource: entryOf("demo") },
    },
  ],
  [
    "setup",
    "looks whether they are let in",
    ask("eks:DescribeAccessEntry", entryOf("demo")),
    {
      "another cluster's entries": { resource: entryOf("other") },
      "nor ends an entry": { action: "eks:DeleteAccessEntry" },
    },
  ],
  [
    "setup",
    "looks at its queue",
    ask("sqs:GetQueueAttributes", arn("sqs", "outrigger-demo-interruptions")),
    {
      "another cluster's": { resource: arn("sqs", "outrigger-other-interruptions") },
      "and leaves its messages alone": { action: "sqs:ReceiveMessage" },
    },
  ],
  [
    "setup",
    "starts its catalogue",
    ask("lambda:InvokeFunction", arn("lambda", "function:outrigger-demo-catalog")),
    { "another cluster's": { resource: arn("lambda", "function:outrigger-other-catalog") } },
  ],
  [
    "setup",
    "asks whether its stack goes",
    ask("cloudformation:DescribeStacks", arn("cloudformation", "stack/own/0123")),
    {
      "another stack": { resource: arn("cloudformation", "stack/other/0123") },
      "and ends none": { action: "cloudformation:DeleteStack" },
    },
  ],
];

describe.each(allowed)("%s %s", (role, _, question, differences) => {
  test("may do so", async () => expect(await judge(roles[role], question, here)).toBe("allowed"));

  test.each(Object.entries(differences))("and not: %s", async (_what, change) =>
    expect(await judge(roles[role], { ...question, ...change }, here)).toBe("denied"),
  );
});

/** What only the loop may do, with everything that the loop would have to show for it. */
const loopOnly: Readonly<Record<string, Question>> = {
  "launches an instance": ask("ec2:RunInstances", arn("ec2", "subnet/subnet-0123")),
  "ends an instance of the cluster": ask("ec2:TerminateInstances", arn("ec2", "instance/i-0123"), ours),
  "ends an instance that lacks the NodePool's tag": ask("ec2:TerminateInstances", arn("ec2", "instance/i-0123"), {
    "aws:ResourceTag/kubernetes.io/cluster/demo": "owned",
  }),
  "ends an instance of another cluster": ask("ec2:TerminateInstances", arn("ec2", "instance/i-0123"), {
    ...ours,
    "aws:ResourceTag/kubernetes.io/cluster/demo": "shared",
  }),
  "puts a tag on an instance": ask("ec2:CreateTags", arn("ec2", "instance/i-0123"), {
    ...ours,
    "aws:TagKeys": ["Name"],
  }),
  "passes the nodes' role": ask("iam:PassRole", nodeRole, { "iam:PassedToService": "ec2.amazonaws.com" }),
  "passes another role": ask("iam:PassRole", `${nodeRole}-admin`, { "iam:PassedToService": "ec2.amazonaws.com" }),
  "makes a profile": ask(
    "iam:CreateInstanceProfile",
    `arn:aws:iam::${here.account}:instance-profile/karpenter/${here.region}/demo/x`,
  ),
};

describe("setup of a deployment whose nodes go by force", () => {
  const [forced] = templatesIn(here, { name: "demo", nodeRoleArns: [nodeRole], onDelete: "force" });
  if (forced === undefined) throw new Error("no template");
  const policy = policyOf(forced, "OutriggerSetupFunction", here);
  const ends = loopOnly["ends an instance of the cluster"] as Question;
  const template = { ...ends, action: "ec2:DeleteLaunchTemplate", resource: arn("ec2", "launch-template/lt-0123") };

  test.each([ends, template])("ends what is the cluster's own: $action", async (question) =>
    expect(await judge(policy, question, here)).toBe("allowed"),
  );

  const others = Object.entries(loopOnly).filter(([, question]) => question !== ends);
  test.each([
    ...others,
    ["deletes another cluster's launch template", { ...template, context: regional(here.region) }] as const,
  ])("and never %s", async (_, question) => expect(await judge(policy, question, here)).toBe("denied"));
});

describe.each(Object.keys(roles) as readonly Role[])("%s never", (role) => {
  test.each(Object.entries(loopOnly))("%s", async (_, question) =>
    expect(await judge(roles[role], question, here)).toBe("denied"),
  );
});
