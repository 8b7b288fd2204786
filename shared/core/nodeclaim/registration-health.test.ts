import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { claimOf, minuteMs, nowMs, poolOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import { keyFamilies } from "../state/key-families.ts";
import type { State } from "../state/state-patch.ts";
import { earlyEndPatches, joinBackOffPatches, registrationHealthPatches } from "./registration-health.ts";

const nodePool = poolOf();
const uid = nodePool.metadata.uid ?? "";
const key = `${keyFamilies.joining.prefix}${uid}`;
const ownerReferences = [{ apiVersion: "karpenter.sh/v1", kind: "NodePool", name: nodePool.metadata.name, uid }];
const failed = { kind: "failed", reason: "RegistrationFailed", message: "No Node" } as const;

function claim(name: string, phase: "launched" | "registered", minutesAgo: number): NodeClaim {
  const made = claimOf(name, { status: statusOf(name, phase, nowMs - minutesAgo * minuteMs) });
  return { ...made, metadata: { ...made.metadata, ownerReferences } };
}

/** What is remembered of joining when these launched claims failed now. */
function afterFailureOf(claims: readonly NodeClaim[], others: readonly NodeClaim[], state: State = {}): unknown {
  const cluster = { nodePools: [nodePool], nodeClaims: [...claims, ...others], state };
  const outcomes = claims.map((one) => ({ claim: one, nodePool, outcome: failed }));
  const health = registrationHealthPatches(cluster, outcomes);
  const patches = joinBackOffPatches(cluster, outcomes, health, nowMs);
  return patches.flatMap(({ data }) => (data[key] === undefined ? [] : [data[key]]))[0];
}

const twenty = 20 * minuteMs;

test("one claim that did not join is no rest, two in a row are one of 20 minutes", () => {
  expect(afterFailureOf([claim("a", "launched", 15)], [])).toBeUndefined();
  expect(afterFailureOf([claim("a", "launched", 15), claim("b", "launched", 15)], [])).toBe(
    `${nowMs + twenty} ${twenty}`,
  );
});

test("claims that do not join beside others that do are their own misfortune", () => {
  const lost = [claim("a", "launched", 15), claim("b", "launched", 15)];
  expect(afterFailureOf(lost, [claim("c", "registered", 14)])).toBeUndefined();
  expect(afterFailureOf(lost, [claim("c", "registered", 60)])).toBeDefined();
});

test("the try after a rest fails 16 minutes later: the next rest is twice as long, an hour at most", () => {
  const registration = { [`${keyFamilies.registration.prefix}${uid}`]: "FF RegistrationFailed No Node" };
  const rested = (minutes: number) => ({ ...registration, [key]: `${nowMs - 16 * minuteMs} ${minutes * minuteMs}` });
  const tried = [claim("a", "launched", 15)];
  expect(afterFailureOf(tried, [], rested(20))).toBe(`${nowMs + 2 * twenty} ${2 * twenty}`);
  expect(afterFailureOf(tried, [], rested(40))).toBe(`${nowMs + 3 * twenty} ${3 * twenty}`);
});

test("a node that registers ends the rest", () => {
  const registered = claim("a", "launched", 2);
  const outcomes = [{ claim: registered, nodePool, outcome: { kind: "registered" } as const }];
  const cluster = { nodePools: [nodePool], nodeClaims: [registered], state: { [key]: `${nowMs} ${twenty}` } };
  expect(joinBackOffPatches(cluster, outcomes, [], nowMs)).toEqual([{ kind: "patch-state", data: { [key]: null } }]);
});

test("claims that were never launched make no pool rest", () => {
  const never = [claimOf("a"), claimOf("b")].map((one) => ({ ...one, metadata: { ...one.metadata, ownerReferences } }));
  expect(afterFailureOf(never, [])).toBeUndefined();
});

describe("claims whose machine ended before its node joined", () => {
  const remembered = (...ended: readonly NodeClaim[]): unknown =>
    Object.assign(
      {},
      ...earlyEndPatches({ nodePools: [nodePool], nodeClaims: ended, state: {} }, ended, nowMs).map(({ data }) => data),
    );
  const outcomesKey = `${keyFamilies.registration.prefix}${uid}`;
  const message = "Instance i-b of NodeClaim b ended before its node joined; its state reason in the cloud says why";

  test("count as nodes that do not join: two in a row let the pool rest", () => {
    expect(remembered(claim("b", "launched", 1))).toEqual({ [outcomesKey]: `F InstanceEnded ${message}` });
    expect(remembered(claim("a", "launched", 1), claim("b", "launched", 1))).toEqual({
      [outcomesKey]: `FF InstanceEnded ${message}`,
      [key]: `${nowMs + twenty} ${twenty}`,
    });
  });

  test("say nothing of the pool when they had joined, or when spot capacity was taken back", () => {
    expect(remembered(claim("a", "registered", 1), claim("b", "registered", 1))).toEqual({});
    const warned = claim("a", "launched", 1);
    const annotations = { "outrigger.dev/interrupted-at": "2026-01-01T00:00:00Z" };
    expect(remembered({ ...warned, metadata: { ...warned.metadata, annotations } })).toEqual({});
  });
});
