import { describe, expect, test } from "vitest";
import {
  ago,
  claimOf,
  identity,
  instanceOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { tagging } from "./tagging.ts";

const named = { ...provider, registeredTags: () => ({ Name: "node-a" }) };
const registered = claimOf("a", { status: statusOf("a", "registered") });
const tagged = (claim: typeof registered, tags: Readonly<Record<string, string>>) =>
  tagging(named).decide(snapshotOf({ nodeClaims: [claim] }, { instances: [instanceOf("a", { tags })] })).commands;

describe("tagging the instance of a registered claim", () => {
  test("what is missing is added, and a name that the user gave stays", () => {
    expect(tagged(registered, instanceOf("a").tags)).toEqual([
      { kind: "tag-instance", instanceId: "i-a", tags: { Name: "node-a" } },
    ]);
    expect(tagged(registered, { ...instanceOf("a").tags, Name: "mine" })).toEqual([]);
  });

  test("an instance that Karpenter launched gets what finds it again", () => {
    expect(tagged(registered, { "karpenter.sh/nodepool": "pool", Name: "node-a" })).toEqual([
      {
        kind: "tag-instance",
        instanceId: "i-a",
        tags: {
          "karpenter.sh/nodeclaim": "a",
          "outrigger.dev/nodeclaim-uid": "uid-a",
          "outrigger.dev/cluster": identity,
        },
      },
    ]);
  });

  test("an instance with another cluster's identity is left alone", () => {
    expect(tagged(registered, { "outrigger.dev/cluster": "arn:sample@0" })).toEqual([]);
  });

  test("not before registration, and not on the way out", () => {
    expect(tagged(claimOf("a", { status: statusOf("a", "launched") }), {})).toEqual([]);
    expect(tagged(claimOf("a", { status: statusOf("a", "registered"), deletionTimestamp: ago(0) }), {})).toEqual([]);
  });
});
