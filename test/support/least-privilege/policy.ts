import type { Policy } from "./judge.ts";

/** The policy as IAM gets it: what CloudFormation fills in is filled in. */
export function filledIn(statements: readonly object[]): Policy {
  return { Version: "2012-10-17", Statement: statements.map((statement) => fill(statement) as object) };
}

function fill(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fill);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [[name, inner] = ["", undefined]] = entries;
  if (entries.length === 1 && name === "Ref") return inner === "AWS::Partition" ? "aws" : `filled-in-${String(inner)}`;
  if (entries.length === 1 && name === "Fn::GetAtt")
    return `arn:aws:s3:::filled-in-${String((inner as readonly string[])[0]).toLowerCase()}`;
  if (entries.length === 1 && name === "Fn::Join") {
    const [separator, parts] = inner as readonly [string, readonly unknown[]];
    return parts.map(fill).join(separator);
  }
  return Object.fromEntries(entries.map(([key, each]) => [key, fill(each)]));
}
