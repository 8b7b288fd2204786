import { expect, test } from "vitest";
import {
  instanceType,
  launched,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import type { ClusterView } from "../snapshot.ts";
import { keyOfOffering } from "../state/unavailable-offerings.ts";
import { planProvisioning } from "./plan.ts";

const two = instanceType("two", 2);
const pods = [..."abcdefgh"].map((name) => pendingPod(name, { cpu: "1500m" }));
const minuteMs = 60_000;

/** Every offering of the type was refused until a minute ago, but for those named. */
function refused(nowMs: number, except: readonly string[] = []): Readonly<Record<string, string>> {
  const keys = two.offerings.map(({ zone, capacityType }) =>
    keyOfOffering({ instanceType: "two", zone, capacityType }),
  );
  return Object.fromEntries(
    keys.filter((key) => !except.includes(key)).map((key) => [key, `${nowMs - minuteMs} ${3 * minuteMs}`]),
  );
}

const planOf = (cluster: Partial<ClusterView>) =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], pods, ...cluster }, [two]), testProvider);
const { nowMs } = snapshotOf({}, []);

test("offerings that were never refused are asked for by all at once", () => {
  expect(planOf({}).claims).toHaveLength(pods.length);
});

test("one claim tries what was refused a short while ago; the pods of the others are told so", () => {
  const { claims, unschedulable } = planOf({ state: refused(nowMs) });
  expect(claims).toHaveLength(1);
  expect(unschedulable.flatMap((one) => one.pods)).toHaveLength(pods.length - 1);
  expect(unschedulable[0]?.message).toMatch(/^the cloud had none of its offerings a short while ago \(two .* in zone-/);
});

test("an offering that was not refused is open to all", () => {
  const [first] = two.offerings;
  const key = keyOfOffering({ instanceType: "two", zone: first?.zone ?? "", capacityType: first?.capacityType ?? "" });
  expect(planOf({ state: refused(nowMs, [key]) }).claims).toHaveLength(pods.length);
});

test("a claim on its way is the one that tries, and one that was launched since allows more", () => {
  const [tried] = planOf({ state: refused(nowMs) }).claims;
  if (tried === undefined) throw new Error("no claim");
  const { zone, capacityType } = tried.planned.cheapest;
  const came = launched(tried.nodeClaim, two, zone, capacityType);
  const others = pods.filter((pod) => !tried.planned.pods.includes(pod));
  const plan = (nodeClaims: ClusterView["nodeClaims"]) => planOf({ pods: others, nodeClaims, state: refused(nowMs) });
  const { providerID: _, ...status } = came.status ?? {};
  expect(plan([{ ...came, status: { ...status, conditions: [] } }]).claims).toEqual([]);
  expect(plan([came]).claims.length).toBeGreaterThan(1);
});
