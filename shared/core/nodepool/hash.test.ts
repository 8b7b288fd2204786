import { describe, expect, test } from "vitest";
import type { NodeClaimTemplate, NodePool } from "#api/karpenter-v1/nodepool.ts";
import { structureHash } from "#api/structure-hash.ts";
import { nodePoolHash } from "./hash.ts";

interface Change {
  readonly metadata?: NodeClaimTemplate["metadata"];
  readonly spec?: Partial<NodeClaimTemplate["spec"]>;
}

function pool({ metadata, spec }: Change = {}): NodePool {
  const nodeClassRef = { group: "karpenter.test.sh", kind: "TestNodeClass", name: "default" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: {
        ...(metadata === undefined ? {} : { metadata }),
        spec: { requirements: [], nodeClassRef, expireAfter: "720h", ...spec },
      },
      disruption: { consolidateAfter: "0s", consolidationPolicy: "WhenEmptyOrUnderutilized", budgets: [] },
    },
  };
}

const base = "15987417032968393143";
const noSchedule = { key: "k", value: "v", effect: "NoSchedule" } as const;
const noExecute = { key: "k2", effect: "NoExecute" } as const;

describe("a NodePool's hash", () => {
  /** Made with Karpenter's own NodePool.Hash. */
  test.each<readonly [string, Change, string]>([
    ["the base template", {}, base],
    ["expireAfter in other words", { spec: { expireAfter: "43200m" } }, base],
    ["expireAfter Never", { spec: { expireAfter: "Never" } }, "5568174970230275839"],
    ["expireAfter 0s", { spec: { expireAfter: "0s" } }, "5597975749417547178"],
    ["a terminationGracePeriod", { spec: { terminationGracePeriod: "5m" } }, "1716499194683853716"],
    ["a label", { metadata: { labels: { a: "b" } } }, "13949360906501464202"],
    ["labels that are present and empty", { metadata: { labels: {} } }, "1650812449358321585"],
    ["an annotation", { metadata: { annotations: { a: "b" } } }, "1196507873531884525"],
    ["a taint", { spec: { taints: [noSchedule] } }, "18430992984704269117"],
    ["taints that are present and empty", { spec: { taints: [] } }, "17089012105688088966"],
    ["two taints", { spec: { taints: [noSchedule, noExecute] } }, "5294095724305361817"],
    ["two taints in the other order", { spec: { taints: [noExecute, noSchedule] } }, "5294095724305361817"],
    ["a taint twice, which cancels out", { spec: { taints: [noSchedule, noSchedule] } }, "17089012105688088966"],
    ["a startup taint", { spec: { startupTaints: [noSchedule] } }, "980840662253224606"],
    ["requirements, which drift otherwise", { spec: { requirements: [{ key: "a", operator: "Exists" }] } }, base],
    [
      "another node class",
      { spec: { nodeClassRef: { group: "karpenter.test.sh", kind: "TestNodeClass", name: "other" } } },
      "13282830987235013835",
    ],
    [
      "a taint with a time",
      { spec: { taints: [{ ...noSchedule, timeAdded: "2024-05-06T07:08:09Z" }] } },
      "17309449125430340841",
    ],
    [
      "names of other alphabets and a grace of zero",
      {
        metadata: { labels: { "\u00e9t\u00e9": "\u65e5\u672c\u{1f600}" }, annotations: { "": "" } },
        spec: { terminationGracePeriod: "0s" },
      },
      "5427136143931129404",
    ],
  ])("of %s is Karpenter's", (_, change, hash) => {
    expect(nodePoolHash(pool(change))).toBe(hash);
  });

  test("of a zero-value template is that of its type's name", () => {
    const zero = structureHash({ kind: "struct", name: "NodeClaimTemplate", fields: [] });
    expect(zero.toString()).toBe("17307646073972311821");
  });

  test("leaves out what is not in the template", () => {
    const limited = pool();
    expect(nodePoolHash({ ...limited, spec: { ...limited.spec, weight: 10, limits: { cpu: "5" } } })).toBe(base);
  });
});
