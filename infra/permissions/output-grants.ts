import type { OutriggerSettings } from "../settings.ts";
import type { Grant } from "./grant.ts";
import type { Place } from "./place.ts";

/** Of every event of ours. */
const eventSource = "outrigger";

/** Where the functions that decide may tell of it: the bus and Amazon's Prometheus, when the settings name them. */
export function outputGrants(place: Place, { eventBusName, remoteWriteUrl }: OutriggerSettings): readonly Grant[] {
  const { partition, region, account } = place;
  const workspace = /^https:\/\/aps-workspaces\.[^/]+\/workspaces\/([\w-]+)\//.exec(remoteWriteUrl ?? "")?.[1];
  const bus: Grant = {
    sid: "TellOfDecisions",
    actions: ["events:PutEvents"],
    resources: [`arn:${partition}:events:${region}:${account}:event-bus/${eventBusName}`],
    // A call may put events of several sources: all of them are ours, and there is one.
    conditions: { "ForAllValues:StringEquals": { "events:source": eventSource }, Null: { "events:source": "false" } },
  };
  const samples: Grant = {
    sid: "SendMetrics",
    actions: ["aps:RemoteWrite"],
    resources: [`arn:${partition}:aps:${region}:${account}:workspace/${workspace}`],
  };
  return [...(eventBusName === undefined ? [] : [bus]), ...(workspace === undefined ? [] : [samples])];
}

/** `interruption` has the loop run at once. */
export function wakeGrant(functionArn: string): Grant {
  return { sid: "WakeLoop", actions: ["lambda:InvokeFunction"], resources: [functionArn] };
}
