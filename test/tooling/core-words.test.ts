import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../../shared/core");
const awsWords =
  /\b(AWS|EC2\w*|EKS|EBS|ENIs?|AMIs?|SSM|IAM|CreateFleet|[Aa]mazon\w*|aws\w*|ec2\w*|eks\w*|ebs\w*|[\w.]*amazonaws[\w.]*)\b/g;

/** Where a cloud's word is Kubernetes' own, or a name that people must read. */
const excused: Readonly<Record<string, string>> = {
  "scheduling/volumes/csi-driver.ts":
    "Kubernetes names the drivers that replace its old volume plugins, all clouds' alike",
  "crd/crd-policy.ts": "the CRDs of both APIs are one release, and a person is told how to bring it up to date",
  "state/key-families.ts": "says which file writes a key",
};

function wordsOf(text: string): readonly string[] {
  // A head says what Karpenter's own counterpart is.
  return text.replaceAll(/(?:its|the)[\s*]+AWS[\s*]+provider/g, "").match(awsWords) ?? [];
}

const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .sort();

describe("the core knows no cloud", () => {
  test("no word of AWS stands in it, comments included", () => {
    expect(files.length).toBeGreaterThan(100);
    const found = files
      .filter((file) => excused[file] === undefined)
      .flatMap((file) => wordsOf(readFileSync(join(folder, file), "utf8")).map((word) => `${file}: ${word}`));
    expect(found).toEqual([]);
  });

  test("each excused file has one", () => {
    for (const file of Object.keys(excused)) expect(wordsOf(readFileSync(join(folder, file), "utf8"))).not.toEqual([]);
  });

  test.each(["the EC2 refusal", "ec2Provider", "an ENI", "eks.amazonaws.com", "awsElasticBlockStore"])(
    "finds %s",
    (text) => {
      expect(wordsOf(text)).not.toEqual([]);
    },
  );
});
