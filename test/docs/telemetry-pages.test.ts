import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { billTable, total } from "../../infra/own-bill.ts";
import { quietBills } from "../../infra/quiet-cluster.ts";
import { fixedSeries } from "../../shared/adapters/telemetry/metrics/emf.ts";
import { metricTable } from "../../shared/adapters/telemetry/metrics/metric-table.ts";

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");

describe("docs/cost.md", () => {
  test("has the table that the arithmetic gives", () => {
    expect(page("cost.md")).toContain(billTable(quietBills()));
  });

  test("a quiet cluster costs at most $3 by the minute and $22 by the second", () => {
    const inAll = new Map(Object.entries(quietBills()).map(([name, bill]) => [name, total(bill)]));
    expect(inAll.get("by the minute")).toBeLessThanOrEqual(3);
    expect(inAll.get("by the second")).toBeLessThanOrEqual(22);
    expect(inAll.get("the same at 384 MB")).toBeLessThanOrEqual(22);
    // What cannot be helped costs cents, not a function that never sleeps.
    expect(inAll.get("by the minute, a pod and a drain that cannot be helped")).toBeLessThanOrEqual(3.5);
  });
});

test("docs/metrics.md names every metric with its type, and the fixed series", () => {
  const text = page("metrics.md");
  for (const [name, { type }] of Object.entries(metricTable)) expect(text).toContain(`| \`${name}\` | ${type} |`);
  for (const name of Object.keys(fixedSeries)) expect(text).toContain(`\`${name}\``);
});

test("docs/events.md names every detail type", () => {
  for (const type of ["launched", "registered", "disrupted", "interrupted", "failed"]) {
    expect(page("events.md")).toContain(`| \`${type}\` |`);
  }
});
