import { Metric, type MetricOptions } from "aws-cdk-lib/aws-cloudwatch";

/** The series that the functions write in each tick or batch, by the names in docs/metrics.md. */
export type OwnSeries =
  | "TickDurationMs"
  | "NodeCount"
  | "CostPerHour"
  | "UnschedulablePods"
  | "LaunchFailures"
  | "DisruptedNodes"
  | "Interruptions"
  | "TicksCutShort";

export function ownMetric(clusterName: string, metricName: OwnSeries, options: MetricOptions): Metric {
  return new Metric({ namespace: "Outrigger", metricName, dimensionsMap: { Cluster: clusterName }, ...options });
}
