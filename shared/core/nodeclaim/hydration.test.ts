import { describe, expect, test } from "vitest";
import { claimOf, nodeClass, nodeOf, provider, snapshotOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import { lifecycle } from "./lifecycle.ts";

const stage = lifecycle(provider);
const labelled = { [nodeClass.label]: "default" };

describe("the node class label", () => {
  test("is given, with the finalizer, to a claim that somebody wrote by hand", () => {
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claimOf("a", { labels: {}, finalizers: [] })] }));
    expect(commands).toMatchObject([{ kind: "patch-metadata", labels: labelled, finalizers: [expect.any(String)] }]);
  });

  test("is filled in on a claim and on its registered node, and left alone where there is one", () => {
    const status = statusOf("a", "initialized");
    const bare = snapshotOf({
      nodeClaims: [claimOf("a", { labels: {}, status })],
      nodes: [nodeOf("a", { labels: { "karpenter.sh/initialized": "true" } })],
    });
    const { commands } = stage.decide(bare);
    expect(commands).toMatchObject([
      { kind: "patch-metadata", target: { kind: "NodeClaim" }, labels: labelled },
      { kind: "patch-metadata", target: { kind: "Node" }, labels: labelled },
    ]);
    const other = { [nodeClass.label]: "another" };
    const full = snapshotOf({ nodeClaims: [claimOf("a", { labels: other, status })], nodes: [nodeOf("a")] });
    expect(stage.decide(full).commands).toEqual([]);
  });

  test("is not put onto a node that is not registered: joining does that", () => {
    const status = statusOf("a", "launched");
    const nodes = [nodeOf("a", { ready: "False", labels: {} })];
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claimOf("a", { status })], nodes }));
    expect(commands.filter(({ kind }) => kind === "patch-metadata")).toEqual([]);
  });
});
