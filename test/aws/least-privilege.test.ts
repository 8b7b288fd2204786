/** Each call that a whole life of nodes makes, judged by the policy that the stack gives to `reconcile`. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { policyOf, templatesIn } from "../infra/synthesised.ts";
import { AwsWorld, loopRoleArn } from "../support/aws/aws-world.ts";
import { deploymentOf, nodeClassWith, poolOf } from "../support/aws/loop-objects.ts";
import { StandIn } from "../support/aws/stand-in.ts";
import { judge, type Policy, type Question } from "../support/least-privilege/judge.ts";

const facts = { account: "123456789012", region: "us-east-1" };
const nodeRoleArns = [`arn:aws:iam::${facts.account}:role/node`];

/** Rights that such a life does not use, and why they are given. */
const unused: Readonly<Record<string, string>> = {
  "ec2:DescribeCapacityReservations": "for classes that select reservations",
  "ec2:DescribePlacementGroups": "for classes that select a placement group",
  "eks:DescribeAccessEntry": "for roles that have an entry",
  "logs:CreateLogStream": "Lambda writes the log in the role's name",
  "logs:PutLogEvents": "as above",
  "s3:ListBucket": "for a catalogue that is not there: S3 says so, and not that it is forbidden",
  "s3:PutObject": "recordings, which this life makes none of",
};
/** The bucket of this world's catalogue is none of the stack's. */
const isOfStack = ({ action }: Question): boolean => !action.startsWith("s3:");

let standIn: StandIn;
let policy: Policy;
let asked: readonly Question[];

beforeAll(async () => {
  standIn = await StandIn.start();
  const [template] = templatesIn({ account: facts.account, region: facts.region }, { name: "demo", nodeRoleArns });
  if (template === undefined) throw new Error("no template");
  policy = policyOf(template, "OutriggerReconcile", facts);
  asked = await questionsOfALife();
}, 240_000);
afterAll(() => standIn.stop());

/** Up, tagged, down, and what was made for the class removed; a dry run of the class first. */
async function questionsOfALife(): Promise<readonly Question[]> {
  const world = await AwsWorld.start(standIn, []);
  const spot = { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] } as const;
  world.load(nodeClassWith(), poolOf(spot), deploymentOf(2));
  await world.ticks(8);
  const { api } = world.cluster;
  for (const [kind, name] of [
    ["NodePool", "default"],
    ["EC2NodeClass", "default"],
  ] as const)
    api.delete(kind, name, undefined);
  for (const { metadata } of world.list("NodeClaim")) api.delete("NodeClaim", metadata.name, undefined);
  await world.ticks(14);
  return (await standIn.authorizations()).filter(({ principal }) => principal === loopRoleArn);
}

const oneOf = (action: string, type = ""): Question => {
  const found = asked.find((each) => each.action === action && each.resource.includes(type));
  if (found === undefined) throw new Error(`no ${action} was recorded`);
  return found;
};
const changed = (each: Question, context: Readonly<Record<string, string | undefined>>): Question => ({
  ...each,
  context: Object.fromEntries(
    Object.entries({ ...each.context, ...context }).filter(
      (entry): entry is [string, string | string[]] => entry[1] !== undefined,
    ),
  ),
});

describe("the policy of reconcile", () => {
  test("allows each call of a node's life, with the tags that it really has", async () => {
    const refused: string[] = [];
    for (const each of asked.filter(isOfStack)) {
      if ((await judge(policy, each, facts)) === "denied") refused.push(JSON.stringify(each));
    }
    expect(refused).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
  }, 120_000);

  test("gives no right that is neither used nor answered for", () => {
    const used = new Set(asked.map(({ action }) => action));
    const given = new Set(
      policy.Statement.flatMap((statement) => (statement as { readonly Action: string | readonly string[] }).Action),
    );
    expect([...given].filter((action) => !used.has(action)).sort()).toEqual(Object.keys(unused).sort());
  });
});

const tag = "kubernetes.io/cluster/demo";

describe("the policy of reconcile forbids: it", () => {
  test.each<[string, () => Question]>([
    [
      "ends no instance of another cluster",
      () =>
        changed(oneOf("ec2:TerminateInstances"), {
          [`aws:ResourceTag/${tag}`]: undefined,
          "aws:ResourceTag/kubernetes.io/cluster/other": "owned",
        }),
    ],
    [
      "ends no instance without a NodePool's tag",
      () => changed(oneOf("ec2:TerminateInstances"), { "aws:ResourceTag/karpenter.sh/nodepool": undefined }),
    ],
    [
      "ends no instance that the cluster only shares",
      () => changed(oneOf("ec2:TerminateInstances"), { [`aws:ResourceTag/${tag}`]: "shared" }),
    ],
    [
      "launches no instance that does not carry a NodePool's tag",
      () => changed(oneOf("ec2:RunInstances", ":instance/"), { "aws:RequestTag/karpenter.sh/nodepool": undefined }),
    ],
    [
      "launches none for another cluster",
      () => changed(oneOf("ec2:RunInstances", ":instance/"), { "aws:RequestTag/eks:eks-cluster-name": "other" }),
    ],
    [
      "launches by no template that is not its own",
      () => changed(oneOf("ec2:CreateFleet", ":launch-template/"), { [`aws:ResourceTag/${tag}`]: undefined }),
    ],
    [
      "puts no tag on an instance but the three that Karpenter puts",
      () => changed(oneOf("ec2:CreateTags", ":instance/"), { "aws:TagKeys": "Owner", "ec2:CreateAction": undefined }),
    ],
    [
      "passes no other role",
      () => ({ ...oneOf("iam:PassRole"), resource: `arn:aws:iam::${facts.account}:role/admin` }),
    ],
    [
      "passes its role to nobody but EC2",
      () => changed(oneOf("iam:PassRole"), { "iam:PassedToService": "lambda.amazonaws.com" }),
    ],
    [
      "makes no profile outside of the cluster's path",
      () => ({
        ...oneOf("iam:CreateInstanceProfile"),
        resource: `arn:aws:iam::${facts.account}:instance-profile/admin`,
      }),
    ],
    [
      "deletes no profile of another region",
      () =>
        changed(oneOf("iam:DeleteInstanceProfile"), { "aws:ResourceTag/topology.kubernetes.io/region": "eu-west-1" }),
    ],
    [
      "looks at no other cluster",
      () => ({ ...oneOf("eks:DescribeCluster"), resource: "arn:aws:eks:us-east-1:123456789012:cluster/other" }),
    ],
    [
      "reads no parameter of the account",
      () => ({
        action: "ssm:GetParameters",
        context: {},
        resource: "arn:aws:ssm:us-east-1:123456789012:parameter/secret",
      }),
    ],
    [
      "looks into no other region",
      () => changed(oneOf("ec2:DescribeInstances"), { "aws:RequestedRegion": "eu-west-1" }),
    ],
  ])("%s", async (_, question) => expect(await judge(policy, question(), facts)).toBe("denied"));
});
