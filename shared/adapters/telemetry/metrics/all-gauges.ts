import type { TickReport } from "#ports/telemetry.ts";
import { conditionGauges } from "./condition-gauges.ts";
import { nodeGauges } from "./node-gauges.ts";
import { podGauges } from "./pod-gauges.ts";
import { poolGauges } from "./pool-gauges.ts";
import type { Sample } from "./sample.ts";

/** What the tick saw, as gauges: a series for each object. */
export function allGauges(report: TickReport, version: string): readonly Sample[] {
  return [
    buildInfo(version),
    ...poolGauges(report),
    ...nodeGauges(report),
    ...podGauges(report),
    ...conditionGauges(report),
  ];
}

/** Which release tells the others. */
export function buildInfo(version: string): Sample {
  return { name: "karpenter_build_info", labels: { version, goversion: "", goarch: "", commit: "" }, value: 1 };
}
