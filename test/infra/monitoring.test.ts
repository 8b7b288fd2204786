import type { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { fixedSeries } from "../../shared/adapters/telemetry/metrics/emf.ts";
import { resourcesOf, templateOf } from "./synthesised.ts";

const everything = { dashboard: true, costLimitPerHour: 40, alarmTopicArn: "arn:aws:sns:eu-west-1:111122223333:ops" };
const template = templateOf({ name: "blue", ...everything });
const alarms = (of: Template) => resourcesOf(of, "AWS::CloudWatch::Alarm").map(({ Properties }) => Properties);
const namesOf = (of: Template) => alarms(of).map(({ AlarmName }) => String(AlarmName).slice("outrigger-blue-".length));

const named = (name: string): Readonly<Record<string, unknown>> | undefined =>
  alarms(template).find(({ AlarmName }) => AlarmName === `outrigger-blue-${name}`);

describe("alarms", () => {
  const always = [
    ...["catalogue", "cut-short", "errors", "failed", "late-messages", "launches", "no-tick", "slow-ticks"],
    ...["throttles", "unschedulable"],
  ];

  test("are those that a person must hear of; that of the cost when there is a limit", () => {
    expect(namesOf(templateOf({ name: "blue" })).sort()).toEqual(always);
    expect(namesOf(template).sort()).toEqual([...always, "cost"].sort());
    expect(named("cost")).toMatchObject({ Threshold: 40, MetricName: "CostPerHour" });
    expect(alarms(templateOf({ name: "blue", alarms: false }))).toEqual([]);
  });

  test("tell a topic when they begin and when they are over", () => {
    for (const { AlarmActions, OKActions } of alarms(template)) {
      expect([AlarmActions, OKActions]).toEqual([[everything.alarmTopicArn], [everything.alarmTopicArn]]);
    }
    for (const alarm of alarms(templateOf({ name: "blue" }))) expect(alarm).not.toHaveProperty("AlarmActions");
  });

  test("that no tick came rings after three minutes of silence; no other rings for want of values", () => {
    expect(named("no-tick")).toMatchObject({
      ...{ Statistic: "SampleCount", Period: 60, EvaluationPeriods: 3, TreatMissingData: "breaching" },
      ComparisonOperator: "LessThanThreshold",
    });
    const silent = alarms(template).filter(({ TreatMissingData }) => TreatMissingData === "breaching");
    expect(silent.map(({ AlarmName }) => AlarmName)).toEqual(["outrigger-blue-catalogue", "outrigger-blue-no-tick"]);
  });

  test("pods without a place are waited for ten minutes", () => {
    expect(named("unschedulable")).toMatchObject({ Statistic: "Minimum", Period: 60, EvaluationPeriods: 10 });
  });

  test("take the time of a tick from the tick itself, not from Lambda: an invocation that stays is no slow one", () => {
    expect(JSON.stringify(alarms(template))).not.toContain('"Duration"');
    expect(named("slow-ticks")).toMatchObject({ Namespace: "Outrigger", MetricName: "TickDurationMs" });
  });

  test("ask for no series of ours that nobody writes", () => {
    const text = JSON.stringify(template.toJSON());
    const own = alarms(template).filter(({ Namespace }) => Namespace === "Outrigger");
    expect(own.length).toBeGreaterThan(4);
    for (const { MetricName } of own) expect(Object.keys(fixedSeries)).toContain(MetricName);
    expect(text).toContain("TicksCutShort");
  });
});

describe("the dashboard", () => {
  const body = (of: Template): string =>
    JSON.stringify(resourcesOf(of, "AWS::CloudWatch::Dashboard")[0]?.Properties.DashboardBody ?? "");

  test("shows nodes by pool, cost, pods without a place, decisions by reason, times, and the own bill", () => {
    const text = body(template);
    for (const words of ["nodesOfPool", "CostPerHour", "UnschedulablePods", "by code", "TickDurationMs", "Own bill"]) {
      expect(text, words).toContain(words);
    }
    for (const series of Object.keys(fixedSeries)) {
      if (series !== "TicksCutShort") expect(text, series).toContain(series);
    }
  });

  test("is made when it is asked for: CloudWatch takes money for it", () => {
    expect(resourcesOf(template, "AWS::CloudWatch::Dashboard")).toHaveLength(1);
    expect(resourcesOf(templateOf({ name: "blue" }), "AWS::CloudWatch::Dashboard")).toEqual([]);
  });
});
