import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { afterAll, expect, test } from "vitest";
import { addStacks } from "../../infra/outrigger-stack.ts";
import type { OutriggerSettings } from "../../infra/settings.ts";

const outdir = mkdtempSync(join(tmpdir(), "outrigger-nag-"));
afterAll(() => rmSync(outdir, { recursive: true, force: true }));

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath?: string }[];
    }[];
  }[];
}

/** Findings of AWS Solutions, as rule and construct. */
function findings(settings: OutriggerSettings): readonly string[] {
  const app = new App({ outdir, context: { "aws:cdk:bundling-stacks": [] } });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  addStacks(app, [{ name: "blue", ...settings }], { account: "111122223333", region: "eu-west-1" });
  try {
    app.synth();
  } catch {
    // The report says what was found.
  }
  const report = JSON.parse(readFileSync(join(outdir, "validation-report.json"), "utf8")) as Report;
  return report.pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
}

const placement = {
  vpcId: "vpc-0123abcd",
  subnetIds: ["subnet-0123abcd", "subnet-4567abcd"],
  clusterSecurityGroupId: "sg-0123abcd",
  s3RouteTableIds: ["rtb-0123abcd"],
  endpointAccess: "private" as const,
};

test.each<[string, OutriggerSettings]>([
  ["by default", {}],
  [
    "with everything",
    {
      ...placement,
      dashboard: true,
      conversionWebhook: true,
      eventBusName: "ops",
      alarmTopicArn: "arn:aws:sns:eu-west-1:111122223333:ops",
    },
  ],
])("AWS Solutions' checks find nothing that is not answered, %s", (_, settings) => {
  expect(findings(settings)).toEqual([]);
});
