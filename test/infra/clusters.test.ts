import { Stack } from "aws-cdk-lib";
import { expect, test } from "vitest";
import { clustersOf, type OutriggerConfig } from "../../infra/clusters.ts";
import { Outrigger } from "../../infra/outrigger.ts";
import { quickApp } from "./synthesised.ts";

function problemsOf(named: unknown, config?: unknown): readonly string[] {
  const found = clustersOf(named, config);
  return found.kind === "problems" ? found.problems : [];
}

test("clusters are those of the command line, with their defaults", () => {
  expect(clustersOf("a, b", undefined)).toEqual({ kind: "clusters", clusters: [{ name: "a" }, { name: "b" }] });
});

test("the file's clusters have the file's defaults and their own settings before them", () => {
  const config: OutriggerConfig = {
    defaults: { reaction: "seconds", nodeRepair: true },
    clusters: [{ name: "a", reaction: "minute" }, { name: "b" }],
  };
  const [a, b] = [
    { name: "a", reaction: "minute", nodeRepair: true },
    { name: "b", reaction: "seconds", nodeRepair: true },
  ];
  expect(clustersOf(undefined, config)).toEqual({ kind: "clusters", clusters: [a, b] });
  expect(clustersOf("b", config)).toEqual({ kind: "clusters", clusters: [b] });
});

test("no cluster at all: the message says how to name one", () => {
  expect(problemsOf(undefined).join()).toMatch(/-c clusters=NAME.*outrigger\.config\.ts/);
});

test.each([
  ["a/b", undefined, /"a\/b": no name of an EKS cluster/],
  ["a,a", undefined, /"a": named twice/],
  [undefined, [], /config must be an object/],
  [undefined, { cluster: [] }, /cluster: config has defaults and clusters, nothing else/],
  [undefined, { clusters: "a" }, /clusters: must be a list/],
  [undefined, { clusters: [{}] }, /clusters\[0\]: must have a name/],
  [undefined, { clusters: [{ name: "a", account: "12" }] }, /a\.account: must be 12 digits/],
  [undefined, { clusters: [{ name: "a", account: 123_456_789_012 }] }, /a\.account: must be 12 digits, in quotes/],
  [
    undefined,
    { clusters: [{ name: "a", costLimitPerHour: Number.POSITIVE_INFINITY }] },
    /costLimitPerHour: must be a number/,
  ],
  [undefined, { clusters: [{ name: "a", region: "Ireland" }] }, /a\.region: must be as us-east-1/],
  [
    undefined,
    { clusters: [{ name: "a", reaction: "hour" }] },
    /a\.reaction: must be one of minute, seconds; it is "hour"/,
  ],
  [undefined, { clusters: [{ name: "a", noderepair: true }] }, /a\.noderepair: .* did you mean nodeRepair\?/],
  [undefined, { clusters: [{ name: "a", spotToSpotConsolidtion: true }] }, /did you mean spotToSpotConsolidation\?/],
  [
    undefined,
    { clusters: [{ name: "a", extraMetrics: ["karpenter_nodes_created_total", "karpenter_pod_state"] }] },
    /a\.extraMetrics: has "karpenter_pod_state", which is no metric; did you mean karpenter_pods_state\?/,
  ],
  [
    undefined,
    { clusters: [{ name: "a", extraMetrics: ["up"] }] },
    /a\.extraMetrics: has "up", which is no metric; docs\/metrics\.md names them/,
  ],
  [
    undefined,
    { clusters: [{ name: "a", colour: "red" }] },
    /a\.colour: there is no such setting; there are reaction, /,
  ],
  [
    undefined,
    { defaults: { reconcileMemoryMB: 64 } },
    /defaults\.reconcileMemoryMB: must be a number, from 128 to 10240/,
  ],
  ["a", { defaults: { logRetentionDays: 15 } }, /logRetentionDays: must be one of 1, 3, 5, 7, 14/],
  ["a", { defaults: { nodeRoleArns: ["nodes"] } }, /nodeRoleArns: must be ARNs of roles/],
  [
    "a",
    { defaults: { eventBusName: "arn:aws:events:eu-west-1:1:event-bus/ops" } },
    /the name of an event bus, not its ARN/,
  ],
  [
    "a",
    { defaults: { offHours: [{ schedule: "0 20 * * *", duration: "11h", timeZone: "Berlin" }] } },
    /defaults\.offHours\[0\]\.timeZone must be the IANA name of a time zone, as in Europe\/Berlin; it is \[/,
  ],
  ["a", { defaults: { amiRefreshSeconds: 30 } }, /amiRefreshSeconds: must be a number, 60 or more; it is 30/],
  ["a", { defaults: { nodeOverlay: true } }, /nodeOverlay: must be false: NodeOverlays are not acted on; choose/],
  ["a", { defaults: { staticCapacity: true } }, /staticCapacity: must be false: NodePools with replicas are not/],
  [
    "a",
    { defaults: { capacityBuffer: true } },
    /capacityBuffer: must be false: CapacityBuffers are not acted on; keep/,
  ],
  ["a", { defaults: { ignoreDraRequests: false } }, /ignoreDraRequests: must be true: .*extended resource/],
  ["a", { defaults: { enableZonalShift: true } }, /enableZonalShift: must be false: .*exclude the zone/],
  ["a", { defaults: { schedulerConfig: "a: b" } }, /schedulerConfig: must be "": .*topologySpreadConstraints/],
  ["a", { defaults: { batchMaxSeconds: "10s" } }, /batchMaxSeconds: must be a number, 0 or more; it is "10s"/],
])("%j with %j is refused in words", (named, config, message) => {
  expect(problemsOf(named, config).join("\n")).toMatch(message);
});

test("the construct refuses what the file would not get through, all of it at once", () => {
  const stack = new Stack(quickApp(), "Stack");
  const props = { clusterName: "no/name", reconcileMemoryMB: 1, reservedEnis: 0.5 };
  expect(() => new Outrigger(stack, "Outrigger", props)).toThrow(
    /^Outrigger: clusterName: .*; reconcileMemoryMB: .*; reservedEnis: must be a whole number/,
  );
});

test("a cluster that is named once with the region of the credentials and once without is one", () => {
  const config = { clusters: [{ name: "a" }, { name: "a", region: "us-east-1" }] };
  expect(clustersOf(undefined, config, { region: "us-east-1" })).toMatchObject({ problems: ['"a": named twice'] });
  expect(clustersOf(undefined, config, { region: "eu-west-1" }).kind).toBe("clusters");
});
