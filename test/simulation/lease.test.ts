import { describe, expect, test } from "vitest";
import type { HeldLease } from "#controllers/held-lease.ts";
import { acquireLease, type LeaseResult } from "#controllers/lease.ts";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import { leasedPorts } from "#controllers/leased-ports.ts";
import type { Ports } from "#controllers/ports.ts";
import { nothing } from "#core/decision.ts";
import { karpenterLeaseName, type Leases } from "#ports/lease.ts";
import { LeaseClient } from "#simulator/kubernetes/lease-client.ts";
import { SimulatedCluster } from "#simulator/kubernetes/simulated-cluster.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { ScriptedWorld } from "../support/scripted-world.ts";

const startMs = Date.parse("2026-01-01T00:00:00.400Z");

class Election {
  readonly clock = new VirtualClock(startMs);
  readonly cluster = new SimulatedCluster({ clock: this.clock, seed: 1 });
  readonly leases: Leases = this.#leases(new LeaseClient(this.cluster.api));
  /** Writes of the Lease meet no answer. */
  unreachable = false;
  /** Until then reads meet none either. */
  silentUntilMs = 0;
  /** What is lost of the next writes, one after the other. */
  readonly lost: ("request" | "answer")[] = [];

  acquire(name: string, forMs = 30_000): Promise<LeaseResult> {
    return acquireLease({ leases: this.leases, clock: this.clock }, name, this.clock.nowMs() + forMs);
  }

  #leases(client: LeaseClient): Leases {
    const fault = { kind: "unavailable", code: "ETIMEDOUT", message: "no answer" } as const;
    return {
      read: async () => (this.clock.nowMs() < this.silentUntilMs ? { kind: "failed", fault } : client.read()),
      readKarpenter: async () =>
        this.clock.nowMs() < this.silentUntilMs ? { kind: "failed", fault } : client.readKarpenter(),
      write: async (next, basedOn) => {
        const lost = this.unreachable ? "request" : this.lost.shift();
        const written = lost === "request" ? undefined : await client.write(next, basedOn);
        return written === undefined || lost === "answer" ? { kind: "failed", fault } : written;
      },
    };
  }

  async held(name: string): Promise<HeldLease> {
    const result = await this.acquire(name);
    if (result.kind !== "held") throw new Error(`${name}: ${JSON.stringify(result)}`);
    return result.lease;
  }

  sleep(ms: number): Promise<void> {
    return this.clock.sleepUntil(this.clock.nowMs() + ms);
  }

  /** Runs the body in simulated time. */
  async run(body: () => Promise<void>): Promise<void> {
    let ended = false;
    this.clock.spawn(async () => {
      await body();
      ended = true;
    });
    await this.clock.runUntil(startMs + 600_000);
    expect(ended).toBe(true);
  }
}

describe("the Lease", () => {
  test("passes to a successor as soon as the holder hears of it, without an expiry", async () => {
    const election = new Election();
    await election.run(async () => {
      const first = await election.held("first");
      let secondAtMs = 0;
      election.clock.spawn(async () => {
        await election.held("second");
        secondAtMs = election.clock.nowMs();
      });
      await election.sleep(1_000);
      expect(first.mustLeave()).toBe(false);
      await first.renew();
      expect(first.mustLeave()).toBe(true);
      expect(await first.mayStart(5_000)).toBe(true);
      await first.release();
      const releasedAtMs = election.clock.nowMs();
      await election.sleep(1_000);
      expect(secondAtMs - releasedAtMs).toBeLessThanOrEqual(100);
    });
  });

  test.each(["request", "answer"] as const)("is handed over although the %s of a release is lost", async (lost) => {
    const election = new Election();
    await election.run(async () => {
      const first = await election.held("first");
      election.lost.push(lost);
      await first.release();
      const releasedAtMs = election.clock.nowMs();
      const second = await election.held("second");
      expect(election.clock.nowMs() - releasedAtMs).toBeLessThanOrEqual(100);
      await first.release();
      expect(await second.mayStart(5_000)).toBe(true);
      expect(await election.leases.read()).toMatchObject({ record: { holder: "second" } });
    });
  });

  test("of a holder that died is taken when it has expired", async () => {
    const election = new Election();
    await election.run(async () => {
      await election.held("dead");
      const began = election.clock.nowMs();
      await election.held("next");
      const waitedMs = election.clock.nowMs() - began;
      // Whole seconds of the API server's clock, so up to one more.
      expect(waitedMs).toBeGreaterThan(14_000);
      expect(waitedMs).toBeLessThan(17_000);
    });
  });

  test("allows no request that could outlive it", async () => {
    const election = new Election();
    await election.run(async () => {
      const lease = await election.held("one");
      election.unreachable = true;
      await election.sleep(9_000);
      expect(await lease.mayStart(5_000)).toBe(true);
      await election.sleep(1_001);
      expect(await lease.mayStart(5_000)).toBe(false);
    });
  });

  test("is renewed by whoever is about to write, so that a long tick keeps it", async () => {
    const election = new Election();
    await election.run(async () => {
      const lease = await election.held("long");
      for (let at = 0; at < 60; at++) {
        expect(await lease.mayStart(5_000)).toBe(true);
        await election.sleep(1_000);
      }
      const seen = await election.leases.read();
      expect(seen).toMatchObject({ record: { holder: "long", transitions: 0 } });
    });
  });
});

describe("the Lease beside a Karpenter that is started again", () => {
  test("starts no request after its next renewal, and is let go", async () => {
    const election = new Election();
    await election.run(async () => {
      const lease = await election.held("one");
      expect(await lease.mayStart(1_000)).toBe(true);
      const renewTime = new Date(election.clock.nowMs()).toISOString();
      const answer = election.cluster.api.create({
        ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
        metadata: { name: karpenterLeaseName, namespace: "kube-system" },
        spec: { holderIdentity: "karpenter-1", leaseDurationSeconds: 15, renewTime },
      });
      expect(answer.kind).toBe("ok");
      await election.sleep(5_000);
      expect(await lease.mayStart(1_000)).toBe(false);
      expect(lease.mustLeave()).toBe(true);
      await lease.release();
      expect(await election.leases.read()).toMatchObject({ record: { holder: "" } });
      expect(await election.acquire("two")).toMatchObject({ kind: "karpenter-alive" });
    });
  });
});

describe("the Lease of an API server that restarts", () => {
  test("is waited for while an API server that restarts gives no answer, and no longer than there is time", async () => {
    const election = new Election();
    await election.run(async () => {
      const began = election.clock.nowMs();
      election.silentUntilMs = began + 12_000;
      await election.held("patient");
      expect(election.clock.nowMs() - began).toBe(12_000);
      election.silentUntilMs = Number.POSITIVE_INFINITY;
      expect(await election.acquire("late")).toMatchObject({ kind: "failed", fault: { kind: "unavailable" } });
      expect(election.clock.nowMs() - began).toBeLessThanOrEqual(12_000 + 30_000);
    });
  });
});

describe("the Lease and others", () => {
  test("that somebody else took is lost: nothing more is started", async () => {
    const election = new Election();
    await election.run(async () => {
      const lease = await election.held("sleeper");
      // Frozen, as a function between two invocations is.
      await election.sleep(20_000);
      const other = await election.held("other");
      expect(await lease.mayStart(1)).toBe(false);
      expect(lease.mustLeave()).toBe(true);
      await lease.release();
      expect(await other.mayStart(5_000)).toBe(true);
    });
  });

  test("one successor is enough: the newer one stays, the older one leaves", async () => {
    const election = new Election();
    await election.run(async () => {
      await election.held("holder");
      const results: Record<string, LeaseResult["kind"]> = {};
      for (const name of ["older", "newer"]) {
        election.clock.spawn(async () => {
          results[name] = (await election.acquire(name)).kind;
        });
        await election.sleep(600);
      }
      await election.sleep(30_000);
      expect(results).toEqual({ older: "busy", newer: "held" });
    });
  });

  test("is not even asked for while an in-cluster Karpenter is alive", async () => {
    const election = new Election();
    await election.run(async () => {
      const metadata = { name: karpenterLeaseName, namespace: "kube-system" };
      const spec = {
        holderIdentity: "karpenter-0",
        leaseDurationSeconds: 15,
        renewTime: "2026-01-01T00:00:00.000000Z",
      };
      election.cluster.api.create({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec });
      expect(await election.acquire("us")).toEqual({ kind: "karpenter-alive", holder: "karpenter-0" });
      expect(await election.leases.read()).not.toHaveProperty("record");
      await election.sleep(17_000);
      expect((await election.acquire("us")).kind).toBe("held");
    });
  });

  test("guards the ports: a write without it is a fault, and a wait ends when a successor asks", async () => {
    const election = new Election();
    await election.run(async () => {
      const { cluster, clock } = election;
      const lease = await election.held("one");
      const cloud = { observe: () => neverCalled(), apply: () => neverCalled() };
      const ports: Ports<unknown, unknown> = { cluster, cloud, clock, telemetry: { tick: () => {} } };
      const guarded = leasedPorts(ports, lease, { clusterMs: 5_000, cloudMs: 8_000 });
      await guarded.cluster.observe("around-claims");
      expect(await guarded.cluster.nextChange(clock.nowMs() + 3_000)).toBe("deadline");
      clock.spawn(async () => void (await election.acquire("two")));
      const waitedFromMs = clock.nowMs();
      expect(await guarded.cluster.nextChange(clock.nowMs() + 60_000)).toBe("deadline");
      expect(clock.nowMs() - waitedFromMs).toBeLessThan(2_500);
      await lease.release();
      const write = await guarded.cluster.apply({ kind: "patch-state", data: { a: "1" } });
      expect(write).toMatchObject({ kind: "failed", fault: { kind: "unavailable", code: "LeaseTooShort" } });
    });
  });
});

function neverCalled(): never {
  throw new Error("the cloud was called");
}

describe("an invocation that takes over", () => {
  async function scopes(isHeld: boolean): Promise<readonly string[]> {
    const world = new ScriptedWorld();
    const { clock, ports } = world;
    const leases = new LeaseClient(new SimulatedCluster({ clock, seed: 1 }).api);
    const limits = { clusterMs: 5_000, cloudMs: 8_000 };
    const invocation = { name: "next", leases, limits, reaction: "minute" } as const;
    clock.spawn(async () => {
      const first = isHeld ? await acquireLease({ leases, clock }, "first", 30_000) : undefined;
      clock.spawn(async () => {
        await runLeasedInvocation(
          invocation,
          ports,
          world.configuration(() => nothing),
        );
      });
      await clock.sleepUntil(clock.nowMs() + 5_000);
      if (first?.kind === "held") await first.lease.release();
    });
    await clock.runUntil(20_000);
    return world.scopes;
  }

  test("from another reads its claims anew before it decides: a watch may be late", async () => {
    expect(await scopes(true)).toEqual(["everything", "claims", "everything"]);
  });

  test("from nobody looks once", async () => {
    expect(await scopes(false)).toEqual(["everything"]);
  });
});
