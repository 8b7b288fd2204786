import { reconcile } from "#controllers/reconcile.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { readInput } from "../../cli/simulate/input.ts";

const startMs = Date.parse("2026-11-30T12:00:00Z");
const clusterName = "recorded";
const settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:recorded@1",
  provider: { region: "us-east-1" },
};

/** The reports of a tick every half minute on a simulated cluster with these manifests. */
export async function recordedRun(paths: readonly string[], minutes: number): Promise<readonly TickReport<Ec2View>[]> {
  const { clock, cluster, cloud } = createSimulation({ seed: 1, startMs, clusterName });
  const input = readInput(paths, "running");
  if (input.kind === "problems") throw new Error(JSON.stringify(input.problems));
  const refused = cluster.load(input.objects);
  if (refused.length > 0) throw new Error(JSON.stringify(refused));
  const reports: TickReport<Ec2View>[] = [];
  for (let half = 1; half <= minutes * 2; half++) {
    await clock.runUntil(startMs + half * 30_000);
    clock.spawn(async () => {
      const ports = { cluster, cloud, clock, telemetry: { tick: () => {} } };
      reports.push(await reconcile(ports, { provider: ec2Provider, settings, seed: 1 }));
    });
  }
  await clock.runUntil(clock.nowMs() + 30_000);
  return reports;
}
