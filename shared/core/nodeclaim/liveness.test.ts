import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import {
  ago,
  claimOf,
  minuteMs,
  nodeOf,
  nowMs,
  poolOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { ClusterView } from "../snapshot.ts";
import { lifecycle } from "./lifecycle.ts";

const stage = lifecycle(provider);

describe("liveness and expiry", () => {
  const deleted = (claim: NodeClaim, cluster: Partial<ClusterView> = {}) => {
    const { commands, reasons, againAtMs } = stage.decide(snapshotOf({ nodeClaims: [claim], ...cluster }));
    const isDeleted = commands.some((command) => command.kind === "delete-object");
    return {
      cause: isDeleted ? reasons.find(({ code }) => code === "claim-deleted")?.data?.cause : undefined,
      againAtMs,
      commands,
    };
  };

  test("a claim that is not launched within 5 min of its creation is deleted", () => {
    expect(deleted(claimOf("a", { creationTimestamp: ago(5 * minuteMs) })).cause).toBe("launch_timeout");
    const young = deleted(claimOf("a", { creationTimestamp: ago(5 * minuteMs - 1_000) }));
    expect(young).toMatchObject({ cause: undefined, againAtMs: nowMs + 1_000 });
  });

  test("a launched claim that does not register within 15 min is deleted", () => {
    const status = statusOf("a", "launched");
    expect(deleted(claimOf("a", { status, creationTimestamp: ago(15 * minuteMs) })).cause).toBe("registration_timeout");
    expect(deleted(claimOf("a", { status, creationTimestamp: ago(15 * minuteMs - 1_000) })).cause).toBeUndefined();
  });

  test("a registered claim lives on without time limit", () => {
    const claim = claimOf("a", { status: statusOf("a", "registered"), creationTimestamp: ago(100 * 60 * minuteMs) });
    expect(deleted(claim, { nodes: [nodeOf("a", { ready: "False" })] }).cause).toBeUndefined();
  });

  test.each([
    ["1h", 60 * minuteMs, "expired"],
    ["1h", 60 * minuteMs - 1_000, undefined],
    ["Never", 100_000 * minuteMs, undefined],
    [undefined, 100_000 * minuteMs, undefined],
  ])("expireAfter %s at an age of %d ms: %s", (expireAfter, ageMs, cause) => {
    const spec = expireAfter === undefined ? {} : { expireAfter };
    const claim = claimOf("a", { status: statusOf("a", "initialized"), creationTimestamp: ago(ageMs), spec });
    expect(deleted(claim, { nodes: [nodeOf("a")] }).cause).toBe(cause);
  });

  test("outcomes of registrations are remembered for the pool that owns the claim", () => {
    const ownerReferences = [{ apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "pool", uid: "uid-pool-pool" }];
    const late = { status: statusOf("a", "launched"), creationTimestamp: ago(15 * minuteMs) };
    const pools = { nodePools: [poolOf()] };
    const { commands } = deleted(claimOf("a", { ...late, ownerReferences }), pools);
    expect(commands).toContainEqual(
      expect.objectContaining({
        kind: "patch-state",
        data: { "registration.uid-pool-pool": expect.stringMatching(/^F /) },
      }),
    );
    expect(deleted(claimOf("a", late), pools).commands.map(({ kind }) => kind)).toEqual(["delete-object"]);
  });
});
