import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";
import { ownMetric } from "./own-metric.ts";

/** CloudWatch: the longest name of an alarm. */
const nameLengthMax = 255;
const minute = Duration.minutes(1);
/** A tick of a cluster with 5,000 pods takes a few seconds; one that takes this long has lost its pace. */
const tickMsMax = 30_000;
/** After a warning two minutes are left, and half of them are lost then. */
const oldestSecondsMax = 60;

export interface AlarmsProps {
  readonly clusterName: string;
  readonly reconcile: IFunction;
  readonly interruption: IFunction;
  readonly catalog: IFunction;
  readonly queue: IQueue;
  readonly deadLetterQueue: IQueue;
  /** Who is told; absent: nobody, and the alarms are seen where CloudWatch shows them. */
  readonly topicArn?: string;
  /** US dollars an hour; absent: no alarm of it. */
  readonly costLimitPerHour?: number;
}

type Rule = Pick<AlarmProps, "metric" | "threshold" | "alarmDescription"> & {
  /** Of so many periods in a row. */
  readonly periods: number;
  readonly isBelow?: true;
  /** No value is as bad as a bad one. */
  readonly isMissingBad?: true;
};

/** What a person must hear of, each alarm with its own way to be looked into. */
export class Alarms extends Construct {
  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { clusterName, topicArn } = props;
    const action = topicArn === undefined ? undefined : new SnsAction(Topic.fromTopicArn(this, "Topic", topicArn));
    for (const [name, { periods, isBelow, isMissingBad, ...rule }] of Object.entries(rulesOf(props))) {
      const alarm = new Alarm(this, name, {
        ...rule,
        alarmName: partName(clusterName, name, nameLengthMax),
        evaluationPeriods: periods,
        comparisonOperator:
          isBelow === true
            ? ComparisonOperator.LESS_THAN_THRESHOLD
            : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        treatMissingData: isMissingBad === true ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      });
      if (action !== undefined) alarm.addAlarmAction(action);
      if (action !== undefined) alarm.addOkAction(action);
    }
  }
}

function rulesOf(props: AlarmsProps): Readonly<Record<string, Rule>> {
  const { clusterName, queue, deadLetterQueue, costLimitPerHour } = props;
  const own = (name: Parameters<typeof ownMetric>[1], statistic: string, period = minute): IMetric =>
    ownMetric(clusterName, name, { statistic, period });
  return {
    ...rulesOfFunctions(props),
    "no-tick": {
      metric: own("TickDurationMs", "SampleCount"),
      ...{ threshold: 1, periods: 3, isBelow: true, isMissingBad: true },
      alarmDescription: "No tick for three minutes: no node comes, and none goes. See the log of reconcile",
    },
    "slow-ticks": {
      metric: own("TickDurationMs", "Maximum"),
      ...{ threshold: tickMsMax, periods: 5 },
      alarmDescription: "Ticks take more than 30 s. Give reconcile more memory, or see which phase takes so long",
    },
    "cut-short": {
      metric: own("TicksCutShort", "Sum", Duration.minutes(5)),
      ...{ threshold: 1, periods: 1 },
      alarmDescription:
        "A tick did not come to its end: it ran out of time, or found a defect. See the log of reconcile",
    },
    failed: {
      metric: deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period: minute, statistic: "Maximum" }),
      ...{ threshold: 1, periods: 1 },
      alarmDescription: "Messages failed three times. See the log of interruption, then `outrigger redrive`",
    },
    "late-messages": {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: minute, statistic: "Maximum" }),
      ...{ threshold: oldestSecondsMax, periods: 1 },
      alarmDescription: "A message has waited for a minute: spot warnings come too late. See throttles of interruption",
    },
    unschedulable: {
      metric: own("UnschedulablePods", "Minimum"),
      ...{ threshold: 1, periods: 10 },
      alarmDescription: "Pods have had no place for ten minutes. `outrigger explain pod` says why",
    },
    launches: {
      metric: own("LaunchFailures", "Sum", Duration.minutes(5)),
      ...{ threshold: 3, periods: 2 },
      alarmDescription: "Launches fail again and again. The events of the NodeClaims say why",
    },
    ...(costLimitPerHour === undefined
      ? {}
      : {
          cost: {
            metric: own("CostPerHour", "Maximum", Duration.minutes(5)),
            ...{ threshold: costLimitPerHour, periods: 2 },
            alarmDescription: `The nodes cost more than ${costLimitPerHour} $ an hour`,
          },
        }),
  };
}

function rulesOfFunctions({ reconcile, interruption, catalog }: AlarmsProps): Readonly<Record<string, Rule>> {
  const period = Duration.minutes(5);
  const day = Duration.days(1);
  return {
    errors: {
      metric: new MathExpression({
        expression: "reconcile + interruption",
        label: "errors",
        period,
        usingMetrics: {
          reconcile: reconcile.metricErrors({ period, statistic: "Sum" }),
          interruption: interruption.metricErrors({ period, statistic: "Sum" }),
        },
      }),
      ...{ threshold: 1, periods: 1 },
      alarmDescription: "A function failed or ran into its timeout. See its log",
    },
    throttles: {
      metric: interruption.metricThrottles({ period: minute, statistic: "Sum" }),
      ...{ threshold: 1, periods: 1 },
      alarmDescription: "The account runs as many functions as it may: spot warnings wait. Ask for a higher limit",
    },
    catalogue: {
      metric: new MathExpression({
        expression: "runs - errors",
        label: "catalogues written",
        period: day,
        usingMetrics: {
          runs: catalog.metricInvocations({ period: day, statistic: "Sum" }),
          errors: catalog.metricErrors({ period: day, statistic: "Sum" }),
        },
      }),
      ...{ threshold: 1, periods: 2, isBelow: true, isMissingBad: true },
      alarmDescription: "Types and prices are two days old: nothing is replaced for its price. See the log of catalog",
    },
  };
}
