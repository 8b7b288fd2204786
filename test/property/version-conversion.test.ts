import fc from "fast-check";
import { expect, test } from "vitest";
import { type FieldSteps, type JsonObject, withField } from "#api/conversion/json-fields.ts";
import { convertedTo } from "#api/conversion/version-conversion.ts";

const name = fc.constantFrom("a", "b", "default");
const duration = fc.constantFrom("0s", "30s", "720h", "Never");
const text = fc.string({ maxLength: 8 });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }).map((object) => JSON.parse(JSON.stringify(object)) as JsonObject);

const requirement = record({
  key: name,
  operator: fc.constantFrom("In", "Exists", "Gt", "Gte", "Lt", "Lte", "NotIn"),
  values: fc.array(fc.oneof(fc.nat({ max: 99 }).map(String), text), { maxLength: 2 }),
  minValues: fc.nat({ max: 3 }),
});
const reference = record({
  group: fc.constant("karpenter.k8s.aws"),
  apiVersion: fc.constantFrom("karpenter.k8s.aws/v1beta1", "x/v1", "karpenter.k8s.aws"),
  kind: fc.constant("EC2NodeClass"),
  name,
});
const budget = record({
  nodes: fc.constantFrom("0", "10%"),
  schedule: fc.constant("@daily"),
  duration,
  reasons: fc.subarray(["Empty", "Drifted"]),
});
const disruption = record({
  consolidationPolicy: fc.constantFrom("WhenEmpty", "WhenUnderutilized", "WhenEmptyOrUnderutilized", "Balanced"),
  consolidateAfter: duration,
  expireAfter: duration,
  budgets: fc.array(budget, { maxLength: 2 }),
});
const claimSpec = {
  requirements: fc.array(requirement, { maxLength: 3 }),
  nodeClassRef: reference,
  kubelet: record({ maxPods: fc.nat({ max: 9 }) }),
  expireAfter: duration,
  terminationGracePeriod: duration,
};
const term = record({
  id: text,
  alias: fc.constantFrom("al2023@latest", "al2@v1", "odd@"),
  name: text,
  ssmParameter: text,
});

/** Any fields of either version: an object may hold what only the other one knows. */
const objects = fc.oneof(
  record({
    disruption,
    replicas: fc.nat({ max: 3 }),
    weight: fc.nat({ max: 3 }),
    template: record({ metadata: record({ labels: record({ a: text }) }), spec: record(claimSpec) }).map(
      (template) => ({ spec: {}, ...template }),
    ),
  }).map((spec) => ({ kind: "NodePool", group: "karpenter.sh", spec: { template: { spec: {} }, ...spec } })),
  record(claimSpec).map((spec) => ({ kind: "NodeClaim", group: "karpenter.sh", spec })),
  record({
    amiFamily: fc.constantFrom("AL2", "AL2023", "Custom", "Ubuntu", "Bottlerocket", "Windows2025"),
    amiSelectorTerms: fc.array(term, { maxLength: 2 }),
    metadataOptions: record({ httpTokens: text, httpPutResponseHopLimit: fc.nat({ max: 3 }) }),
    blockDeviceMappings: fc.array(
      record({ deviceName: text, ebs: record({ volumeSize: text, volumeInitializationRate: fc.nat({ max: 9 }) }) }),
      { maxLength: 2 },
    ),
    kubelet: record({ maxPods: fc.nat({ max: 9 }) }),
    ipPrefixCount: fc.nat({ max: 2 }),
    role: text,
  }).map((spec) => ({ kind: "EC2NodeClass", group: "karpenter.k8s.aws", spec })),
);

/** What each version does not know; its API server prunes it before a conversion sees it. */
const foreign: Readonly<Record<string, readonly FieldSteps[]>> = {
  "NodePool v1beta1": [
    ["replicas"],
    ["template", "spec", "expireAfter"],
    ["template", "spec", "terminationGracePeriod"],
  ],
  "NodePool v1": [
    ["disruption", "expireAfter"],
    ["template", "spec", "kubelet"],
  ],
  "NodeClaim v1beta1": [["expireAfter"], ["terminationGracePeriod"]],
  "NodeClaim v1": [["kubelet"]],
  "EC2NodeClass v1beta1": [["kubelet"], ["ipPrefixCount"]],
  "EC2NodeClass v1": [],
};

function converted(version: string, object: unknown): JsonObject {
  const answer = convertedTo(version, object);
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer.object;
}

test.each([
  ["v1beta1", "v1"],
  ["v1", "v1beta1"],
])("from %s to %s and back nothing is lost", (from, to) => {
  fc.assert(
    fc.property(objects, optional(record({ team: text })), ({ kind, group, spec }, annotations) => {
      const pruned = (foreign[`${kind} ${from}`] ?? []).reduce<JsonObject>(
        (all, steps) => withField(all, steps, undefined),
        spec,
      );
      const hasNotes = annotations !== undefined && Object.keys(annotations).length > 0;
      const metadata = hasNotes ? { name: "x", annotations } : { name: "x" };
      const before = { apiVersion: `${group}/${from}`, kind, metadata, spec: pruned };
      const there = converted(`${group}/${to}`, before);
      expect(converted(`${group}/${from}`, there)).toEqual(before);
      // Once more there: what rides does not pile up.
      expect(converted(`${group}/${to}`, before)).toEqual(there);
    }),
    { numRuns: 2_000, seed: 20_241_130 },
  );
});
