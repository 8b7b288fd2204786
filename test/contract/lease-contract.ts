import { describe, expect, test } from "vitest";
import { karpenterLeaseName, type LeaseRecord, type Leases } from "#ports/lease.ts";
import type { Admin } from "./cluster-under-test.ts";

/** A cluster without our Lease; made anew for each case. */
export interface LeasesUnderTest {
  readonly leases: Leases;
  readonly admin: Admin;
  readonly nowMs: () => number;
}

const mine = (nowMs: number): Omit<LeaseRecord, "version"> => ({
  ...{ holder: "one", successor: "", renewedAtMs: nowMs, durationMs: 15_000, transitions: 0 },
});

/** What every implementation of Leases does; the same cases on the simulated API server and on a real one. */
export function leaseContract(name: string, make: () => Promise<LeasesUnderTest>): void {
  describe(`Lease contract: ${name}`, () => {
    test("there is none at first, and the API server says what time it is", async () => {
      const { leases, nowMs } = await make();
      const answer = read(await leases.read());
      expect(answer.record).toBeUndefined();
      expect(Math.abs(answer.serverNowMs - nowMs())).toBeLessThan(5_000);
      expect(answer.serverNowMs % 1_000).toBe(0);
    });

    test("what is written is read, to the millisecond", async () => {
      const { leases, nowMs } = await make();
      const next = { ...mine(nowMs()), renewedAtMs: nowMs() + 7, successor: "two", transitions: 3 };
      const written = read(await leases.write(next, undefined));
      expect(written.record).toMatchObject(next);
      expect(read(await leases.read()).record).toEqual(written.record);
    });

    test("only one of two that make it or change it at once succeeds", async () => {
      const { leases, nowMs } = await make();
      const first = read(await leases.write(mine(nowMs()), undefined)).record;
      expect(await leases.write(mine(nowMs()), undefined)).toMatchObject({ fault: { kind: "already-exists" } });
      read(await leases.write({ ...mine(nowMs()), holder: "two" }, first?.version));
      const late = await leases.write({ ...mine(nowMs()), holder: "three" }, first?.version);
      expect(late).toMatchObject({ kind: "failed", fault: { kind: "conflict" } });
      expect(read(await leases.read()).record?.holder).toBe("two");
    });

    test("a Lease of Karpenter is found in whatever namespace", async () => {
      const { leases, admin, nowMs } = await make();
      expect(await leases.readKarpenter()).toMatchObject({ kind: "read", records: [] });
      const renewTime = new Date(nowMs()).toISOString().replace("Z", "000Z");
      const lease = {
        ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
        metadata: { name: karpenterLeaseName, namespace: "default" },
        spec: { holderIdentity: "karpenter-0", leaseDurationSeconds: 15, renewTime, leaseTransitions: 1 },
      };
      expect(await admin.create(lease)).toMatchObject({ kind: "ok" });
      const found = await leases.readKarpenter();
      expect(found).toMatchObject({ records: [{ holder: "karpenter-0", durationMs: 15_000 }] });
    });
  });
}

function read<T extends { readonly kind: string }>(answer: T): Extract<T, { kind: "read" }> {
  if (answer.kind !== "read") throw new Error(JSON.stringify(answer));
  return answer as Extract<T, { kind: "read" }>;
}
