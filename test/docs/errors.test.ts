import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Condition } from "#api/core-v1/meta.ts";
import { reconcile } from "#controllers/reconcile.ts";
import type { LaunchInstance } from "#core/command.ts";
import { type Fault, type FaultKind, faultKinds } from "#core/fault.ts";
import { launchOutcome } from "#core/nodeclaim/launch-outcome.ts";
import type { Outcome } from "#core/outcome.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { claimOf, nowMs, poolOf, provider, snapshotOf } from "../support/lifecycle-samples.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");

/** The cells after the kind's, of each row that begins with a kind, in the section of that title. */
function rowsOf(section: string): ReadonlyMap<string, readonly string[]> {
  const text = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
  return new Map(
    text.split("\n").flatMap((line) => {
      const [, kind = "", ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const name = /^`([a-z-]+)`$/.exec(kind)?.[1];
      return name === undefined ? [] : [[name, cells.slice(0, -1)] as const];
    }),
  );
}

function faultOf(kind: FaultKind): Fault {
  return { kind, code: "TheServersCode", message: "no" };
}

/** What a launch that meets the fault does to its claim, in the page's words. */
function launchOf(kind: FaultKind): string {
  const claim = claimOf("a");
  const command: LaunchInstance = {
    kind: "launch-instance",
    nodeClaim: "a",
    nodeClaimUid: claim.metadata.uid ?? "",
    attempt: 1,
    token: "t",
    capacityType: "spot",
    options: [],
    tags: {},
  };
  const steps = [{ stage: "launch", command, outcome: { kind: "failed", fault: faultOf(kind) } as const }];
  const { commands } = launchOutcome(provider).decide(snapshotOf({ nodeClaims: [claim] }, { steps }));
  if (commands.some((each) => each.kind === "delete-object")) return "the claim is deleted";
  const patch = commands.find((each) => each.kind === "patch-status");
  const { conditions } = (patch?.status ?? {}) as unknown as { readonly conditions: readonly Condition[] };
  const condition = conditions.find(({ type }) => type === "Launched");
  const reason = condition?.reason === "TheServersCode" ? "the server's code" : `\`${condition?.reason}\``;
  return `\`Launched=${condition?.status}\`, ${reason}`;
}

/** When a tick all of whose writes meet the fault is followed by another, and whether the fault is told. */
async function writeOf(
  kind: FaultKind,
  retryAfterMs?: number,
): Promise<{ afterMs: number | undefined; told: boolean }> {
  const { cluster, cloud, settings } = snapshotOf({ nodePools: [poolOf()] });
  const fault = { ...faultOf(kind), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  const apply = async (): Promise<Outcome> => ({ kind: "failed", fault });
  const report: TickReport = await reconcile(
    {
      cluster: { observe: async () => cluster, apply, nextChange: async () => "deadline" },
      cloud: { observe: async () => cloud, apply },
      clock: new VirtualClock(nowMs),
      telemetry: { tick: () => {} },
    },
    { provider, settings, seed: 1 },
  );
  expect(report.steps).not.toEqual([]);
  const reasons = report.decisions.flatMap(({ decision }) => decision.reasons);
  return {
    afterMs: report.againAtMs === undefined ? undefined : report.againAtMs - nowMs,
    told: reasons.some(({ code }) => code === "write-failed"),
  };
}

describe("docs/errors.md", () => {
  test("tells of every kind of fault its meaning, what happens next and what to do", () => {
    const rows = rowsOf("Faults");
    expect([...rows.keys()].sort()).toEqual([...faultKinds].sort());
    for (const [kind, cells] of rows) expect(cells.filter(Boolean), kind).toHaveLength(3);
  });

  test.each(faultKinds)("says what a launch and what a write do when they meet %s", async (kind) => {
    const { afterMs, told } = await writeOf(kind);
    const isServerHeard = (await writeOf(kind, 42_000)).afterMs === 42_000;
    const again =
      afterMs === undefined
        ? "with the next scheduled tick"
        : `after ${afterMs / 1000} s${isServerHeard ? ", or when the server says" : ""}`;
    expect(rowsOf("What meets a fault").get(kind)).toEqual([launchOf(kind), again, told ? "yes" : "no"]);
  });
});
