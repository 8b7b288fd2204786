import { Duration } from "aws-cdk-lib";
import { Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression, ScheduleTargetInput, TimeWindow } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";
import { partName } from "#aws/part-name.ts";

/** EventBridge Scheduler: the least age that an event may be given, seconds. */
const ageMaxSeconds = 60;

export interface SchedulesProps {
  readonly clusterName: string;
  readonly reconcile: IFunction;
  readonly catalog: IFunction;
}

/** When the functions run by themselves: the loop each minute, the catalogue twice a day, its spot prices each hour. */
export class Schedules extends Construct {
  constructor(scope: Construct, id: string, { clusterName, reconcile, catalog }: SchedulesProps) {
    super(scope, id);
    // A tick that was missed is not made up for: the next one sees more.
    const once = { retryAttempts: 0, maxEventAge: Duration.seconds(ageMaxSeconds) };
    const timeWindow = TimeWindow.off();
    // Of its own, so that what depends on the schedules depends on their right to invoke too.
    const role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("scheduler.amazonaws.com"),
      description: `Outrigger, schedules, EKS cluster ${clusterName}`,
    });
    new Schedule(this, "Tick", {
      scheduleName: partName(clusterName, "tick"),
      description: `Runs Outrigger's loop for ${clusterName}`,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      timeWindow,
      target: new LambdaInvoke(reconcile, { ...once, role }),
    });
    new Schedule(this, "Types", {
      scheduleName: partName(clusterName, "catalog"),
      description: "Reads the region's instance types and all prices",
      schedule: ScheduleExpression.rate(Duration.hours(12)),
      timeWindow,
      target: new LambdaInvoke(catalog, { role }),
    });
    new Schedule(this, "SpotPrices", {
      scheduleName: partName(clusterName, "spot-prices"),
      description: "Reads the region's spot prices",
      schedule: ScheduleExpression.rate(Duration.hours(1)),
      timeWindow,
      target: new LambdaInvoke(catalog, { role, input: ScheduleTargetInput.fromObject({ part: "spot-prices" }) }),
    });
  }
}
