import { describe, expect, test } from "vitest";
import { catalogueRights, cloudObservation, cloudRights, connectionRights, setupRights } from "#ports/rights.ts";
import { cloudGrants } from "../../infra/permissions/cloud-grants.ts";
import { type Statement, statementsOf, templateOf } from "./synthesised.ts";

const place = { partition: "aws", region: "eu-west-1", account: "111122223333", clusterName: "blue" };
const nodeRoleArns = ["arn:aws:iam::111122223333:role/nodes"];
const options = { nodeRoleArns, ssmParameters: ["/golden/*"] };
const reconcileRights = [...cloudObservation, ...Object.values(cloudRights).flat(), ...connectionRights];
const grants = cloudGrants([...reconcileRights, ...catalogueRights], place, options);

const template = templateOf({
  name: "blue",
  nodeRoleArns,
  eventBusName: "ops",
  remoteWriteUrl: "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1234/api/v1/remote_write",
});
const roles = ["OutriggerReconcile", "OutriggerInterruption", "OutriggerCatalog", "OutriggerSetupFunction"] as const;
const actionsOf = ({ Action }: Statement): readonly string[] => (typeof Action === "string" ? [Action] : Action);
const granted = (role: (typeof roles)[number]) => [...new Set(statementsOf(template, role).flatMap(actionsOf))].sort();

/** What a function may do beside AWS's part of a decision: its log, its buckets, its bus, the function that it wakes. */
const own = {
  OutriggerReconcile: [
    ...["aps:RemoteWrite", "events:PutEvents", "logs:CreateLogStream", "logs:PutLogEvents"],
    ...["s3:GetObject", "s3:ListBucket", "s3:PutObject"],
  ],
  OutriggerInterruption: [
    ...["aps:RemoteWrite", "events:PutEvents", "lambda:InvokeFunction", "logs:CreateLogStream", "logs:PutLogEvents"],
    ...["sqs:ChangeMessageVisibility", "sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:GetQueueUrl"],
    "sqs:ReceiveMessage",
  ],
  OutriggerCatalog: [...["logs:CreateLogStream", "logs:PutLogEvents", "s3:GetObject", "s3:ListBucket", "s3:PutObject"]],
  OutriggerSetupFunction: ["logs:CreateLogStream", "logs:PutLogEvents"],
};

describe("the functions' policies", () => {
  test.each([
    ["OutriggerReconcile", reconcileRights],
    ["OutriggerInterruption", connectionRights],
    ["OutriggerCatalog", catalogueRights],
    ["OutriggerSetupFunction", setupRights],
  ] as const)("%s may do what the table of rights says and what is its own, nothing else", (role, rights) => {
    const wanted = new Set([...rights.flatMap(({ actions }) => actions), ...own[role]]);
    expect(granted(role)).toEqual([...wanted].sort());
  });

  test.each(roles)("%s has no wildcard in an action, and none in a resource without its reason", (role) => {
    const reasons = new Map(grants.map(({ sid, wildcard }) => [sid, wildcard]));
    reasons.set("KeepRecordings", "a file a tick");
    const statements = statementsOf(template, role);
    expect(statements.length).toBeGreaterThan(2);
    for (const statement of statements) {
      for (const action of actionsOf(statement)) expect(action).not.toContain("*");
      if (JSON.stringify(statement.Resource).includes("*")) {
        expect(reasons.get(statement.Sid ?? ""), `${statement.Sid}`).toBeTruthy();
      }
    }
  });

  test("fit into a role with room for roles and parameters of one's own (IAM: 10,240 characters)", () => {
    expect(JSON.stringify(statementsOf(template, "OutriggerReconcile")).length).toBeLessThan(8_000);
  });
});

describe("a statement of what is ours", () => {
  const restricted = new Set([...reconcileRights].filter(({ onlyOurs }) => onlyOurs).flatMap(({ actions }) => actions));

  test("has the cluster's tag as its condition, but for what carries none and for the role that is passed", () => {
    const free = grants
      .filter(({ actions }) => actions.some((action) => restricted.has(action)))
      .filter(({ conditions }) => !JSON.stringify(conditions ?? {}).includes('kubernetes.io/cluster/blue":"owned"'))
      .map(({ sid }) => sid);
    expect(free).toEqual(["LaunchOutOf", "PassNodeRole"]);
  });

  test("that launches asks for the NodePool's tag too: without it EC2 says no", () => {
    for (const sid of ["LaunchByOwnTemplates", "MakeTagged", "TagWhatIsMade", "TagOwnInstances", "EndOwn"]) {
      const { conditions } = grants.find((grant) => grant.sid === sid) ?? {};
      expect(JSON.stringify(conditions?.StringLike), sid).toMatch(/Tag\/karpenter\.sh\/nodepool":"\*"/);
    }
  });

  test("passes the roles that are named, to EC2 alone", () => {
    const { resources, conditions } = grants.find(({ sid }) => sid === "PassNodeRole") ?? {};
    expect(resources).toEqual(nodeRoleArns);
    expect(conditions).toEqual({
      StringEquals: { "iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"] },
    });
  });
});

test("parameters of one's own are read beside AWS's", () => {
  expect(grants.find(({ sid }) => sid === "ReadImageParameters")?.resources).toEqual([
    "arn:aws:ssm:eu-west-1::parameter/aws/service/*",
    "arn:aws:ssm:eu-west-1:111122223333:parameter/golden/*",
  ]);
});

test("a right that no statement knows stops the synthesis: it must not get lost", () => {
  const rights = [{ actions: ["ec2:RebootInstances", "ec2:RunInstances"], onlyOurs: true }];
  expect(() => cloudGrants(rights, place, options)).toThrow("no statement for ec2:RebootInstances");
});
