import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { catalogueRights, cloudObservation, cloudRights, setupRights } from "#ports/rights.ts";

const adapter = join(import.meta.dirname, "../../shared/adapters/aws");
/** IAM's prefix of a client's actions. */
const prefixes: Readonly<Record<string, string>> = {
  "client-cloudformation": "cloudformation",
  "client-ec2": "ec2",
  "client-eks": "eks",
  "client-iam": "iam",
  "client-pricing": "pricing",
  "client-s3": "s3",
  "client-sqs": "sqs",
  "client-ssm": "ssm",
};
/**
 * Asked of IAM by what another call does: the role that an instance runs under, the tags of a profile that is made. And
 * the one client that is loaded when it is needed.
 */
const implied = ["iam:PassRole", "iam:TagInstanceProfile", "lambda:InvokeFunction"];

/** "ec2:CreateFleet" for each command of the SDK that the adapter sends. */
function sent(): readonly string[] {
  const files = readdirSync(adapter).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const actions = files.flatMap((name) => {
    const text = readFileSync(join(adapter, name), "utf8");
    return [...text.matchAll(/import \{([^}]*)\} from "@aws-sdk\/(client-[a-z0-9]+)"/g)].flatMap(
      ([, imported = "", client = ""]) =>
        [...imported.matchAll(/\b(\w+)Command\b/g)].map(([, action]) => `${prefixes[client]}:${action}`),
    );
  });
  return [...new Set(actions)].sort();
}

/** The bucket of the catalogue has rights of its own. */
const withoutBucket = (actions: readonly string[]): readonly string[] =>
  actions.filter((action) => !/^s3:/.test(action));

test("the rights are those of the calls that the adapter makes, no more and no fewer", () => {
  const granted = [...Object.values(cloudRights).flat(), ...cloudObservation, ...catalogueRights, ...setupRights];
  const actions = [...new Set(granted.flatMap((right) => right.actions))].filter((action) => !implied.includes(action));
  expect(withoutBucket(sent())).toEqual(actions.sort());
  expect(sent().length).toBeGreaterThan(25);
});
