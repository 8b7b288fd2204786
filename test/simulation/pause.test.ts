import { expect, test } from "vitest";
import { reconcile } from "#controllers/reconcile.ts";
import type { Outcome } from "#core/outcome.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { nowMs, poolOf, provider, snapshotOf } from "../support/lifecycle-samples.ts";

/** A tick on a pool whose status is still to be written, with that state. */
async function tickWith(state: Readonly<Record<string, string>>): Promise<{ report: TickReport; writes: number }> {
  const { cluster, cloud, settings } = snapshotOf({ nodePools: [poolOf()], state });
  let writes = 0;
  const apply = async (): Promise<Outcome> => {
    writes++;
    return { kind: "done" };
  };
  const report = await reconcile(
    {
      cluster: { observe: async () => cluster, apply, nextChange: async () => "deadline" },
      cloud: { observe: async () => cloud, apply },
      clock: new VirtualClock(nowMs),
      telemetry: { tick: () => {} },
    },
    { provider, settings, seed: 1 },
  );
  return { report, writes };
}

test("a paused tick looks, decides nothing, writes nothing, and asks for no other one", async () => {
  const { report, writes } = await tickWith({ pause: "all" });
  expect(writes).toBe(0);
  expect(report).toMatchObject({ decisions: [], steps: [], changed: false });
  expect(report.againAtMs).toBeUndefined();
});

test("the same tick writes when the pause is over", async () => {
  expect((await tickWith({})).writes).toBeGreaterThan(0);
});
