import { Duration } from "aws-cdk-lib";
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
} from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import { price } from "../own-bill.ts";
import { ownMetric } from "./own-metric.ts";

/** CloudWatch: the longest name of a dashboard. */
const nameLengthMax = 255;
const width = 12;
const period = Duration.minutes(5);
const hour = Duration.hours(1);
const hoursPerMonth = 730;

export interface WatchBoardProps {
  readonly clusterName: string;
  readonly functions: readonly { readonly of: IFunction; readonly name: string; readonly memoryMB: number }[];
  readonly queue: IQueue;
  readonly reconcileLog: string;
}

/** One page of what the cluster's nodes do, what they cost, and what Outrigger does and costs itself. */
export class WatchBoard extends Construct {
  constructor(scope: Construct, id: string, props: WatchBoardProps) {
    super(scope, id);
    const board = new Dashboard(this, "Dashboard", {
      dashboardName: partName(props.clusterName, "board", nameLengthMax),
      defaultInterval: Duration.hours(12),
    });
    board.addWidgets(...nodeWidgets(props));
    board.addWidgets(...podWidgets(props));
    board.addWidgets(...ownWidgets(props));
  }
}

function nodeWidgets({ clusterName, reconcileLog }: WatchBoardProps) {
  return [
    new LogQueryWidget({
      title: "Nodes by pool and capacity type",
      logGroupNames: [reconcileLog],
      view: LogQueryVisualizationType.STACKEDAREA,
      queryLines: [
        "filter ispresent(nodesOfPool)",
        "stats max(nodesOfPool) as nodes by bin(5m), concat(pool, ' ', capacityType)",
      ],
      width,
    }),
    graph(
      "Nodes and their cost",
      [ownMetric(clusterName, "NodeCount", { statistic: "Maximum", period, label: "nodes" })],
      [ownMetric(clusterName, "CostPerHour", { statistic: "Maximum", period, label: "$ an hour" })],
    ),
  ];
}

function podWidgets({ clusterName, reconcileLog }: WatchBoardProps) {
  return [
    graph("Pods without a place, launches that failed", [
      ownMetric(clusterName, "UnschedulablePods", { statistic: "Maximum", period, label: "pods" }),
      ownMetric(clusterName, "LaunchFailures", { statistic: "Sum", period, label: "launches" }),
    ]),
    new LogQueryWidget({
      title: "Decisions by reason",
      logGroupNames: [reconcileLog],
      view: LogQueryVisualizationType.BAR,
      queryLines: ["filter ispresent(code)", "stats count(*) as decisions by code", "sort decisions desc"],
      width,
    }),
  ];
}

function ownWidgets({ clusterName, queue, functions }: WatchBoardProps) {
  return [
    graph(
      "Time of a tick, age of the oldest message",
      ["p50", "p99"].map((statistic) =>
        ownMetric(clusterName, "TickDurationMs", { statistic, period, label: `tick ${statistic}, ms` }),
      ),
      [queue.metricApproximateAgeOfOldestMessage({ period, statistic: "Maximum", label: "oldest message, s" })],
    ),
    graph("Disruptions and interruptions", [
      ownMetric(clusterName, "DisruptedNodes", { statistic: "Sum", period, label: "nodes disrupted" }),
      ownMetric(clusterName, "Interruptions", { statistic: "Sum", period, label: "instances taken back" }),
    ]),
    new GraphWidget({
      title: "Own bill: the functions, $ a month at this pace",
      left: functions.map((each, index) => monthlyCost(each, `m${index}`)),
      stacked: true,
      width: 2 * width,
    }),
  ];
}

function monthlyCost({ of, name, memoryMB }: WatchBoardProps["functions"][number], id: string): IMetric {
  const perMs = (memoryMB / 1_024 / 1_000) * price.lambdaGBSecondArm * hoursPerMonth;
  return new MathExpression({
    expression: `${id} * ${perMs.toPrecision(6)}`,
    label: name,
    period: hour,
    usingMetrics: { [id]: of.metricDuration({ statistic: "Sum", period: hour }) },
  });
}

function graph(title: string, left: IMetric[], right: IMetric[] = []): GraphWidget {
  return new GraphWidget({ title, left, right, width });
}
