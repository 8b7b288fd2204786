/**
 * Karpenter counterpart: pkg/controllers/interruption/messages. No difference in what is accepted; a message that lacks
 * what its kind needs is told apart from one of no interest.
 */
import { parseTime } from "#api/time.ts";
import type { InterruptionKind, InterruptionNotice, MessageAnswer } from "#core/interruption-notice.ts";

type Fields = Readonly<Record<string, unknown>>;

/** By version, source and detail-type, all of which must be equal. */
const readers: Readonly<Record<string, (detail: Fields, atMs: number | undefined) => MessageAnswer>> = {
  "0 aws.ec2 EC2 Spot Instance Interruption Warning": single("spot-interruption"),
  "0 aws.ec2 EC2 Instance Rebalance Recommendation": single("rebalance"),
  "0 aws.ec2 EC2 Instance State-change Notification": stateChange,
  "0 aws.ec2 EC2 Capacity Reservation Instance Interruption Warning": single("capacity-reservation-interruption"),
  "0 aws.health AWS Health Event": healthEvent,
};

const kindByState: Readonly<Record<string, InterruptionKind>> = {
  stopping: "stopping",
  stopped: "stopping",
  "shutting-down": "terminated",
  terminated: "terminated",
};

/** `body`: a queue message's text, or the EventBridge envelope it holds. Never throws. */
export function parseMessage(body: unknown): MessageAnswer {
  const envelope = typeof body === "string" ? parseJson(body) : body;
  if (!isFields(envelope)) return malformed("the body is not a JSON object");
  const { version, source, "detail-type": detailType, detail } = envelope;
  if (typeof source !== "string" || typeof detailType !== "string") {
    return malformed("source or detail-type is missing: not an EventBridge event");
  }
  const name = `${String(version)} ${source} ${detailType}`;
  const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (reader === undefined)
    return { kind: "unknown", message: `not a message that is acted on: ${name.slice(0, 200)}` };
  if (!isFields(detail)) return malformed(`${detailType}: detail is missing`);
  return reader(detail, typeof envelope.time === "string" ? parseTime(envelope.time) : undefined);
}

function single(kind: InterruptionKind): (detail: Fields, atMs: number | undefined) => MessageAnswer {
  return (detail, atMs) => {
    const instanceId = detail["instance-id"];
    if (!isInstanceId(instanceId)) return malformed(`${kind}: detail.instance-id is missing`);
    return { kind: "notices", notices: [notice(instanceId, kind, atMs)] };
  };
}

function stateChange(detail: Fields, atMs: number | undefined): MessageAnswer {
  const { state, "instance-id": instanceId } = detail;
  if (typeof state !== "string") return malformed("state-change: detail.state is missing");
  const kind = Object.hasOwn(kindByState, state.toLowerCase()) ? kindByState[state.toLowerCase()] : undefined;
  if (kind === undefined) return { kind: "foreign", message: `state ${state.slice(0, 40)} asks for nothing` };
  if (!isInstanceId(instanceId)) return malformed("state-change: detail.instance-id is missing");
  return { kind: "notices", notices: [notice(instanceId, kind, atMs)] };
}

function healthEvent(detail: Fields, atMs: number | undefined): MessageAnswer {
  const { service, eventTypeCategory: category, affectedEntities } = detail;
  if (service !== "EC2" || category !== "scheduledChange") {
    const what = `${String(service)} ${String(category)}`.slice(0, 80);
    return { kind: "foreign", message: `health event of ${what}: only scheduled changes of EC2 are acted on` };
  }
  if (!Array.isArray(affectedEntities)) return malformed("health event: detail.affectedEntities is missing");
  const entities: readonly unknown[] = affectedEntities;
  const ids = new Set(
    entities.flatMap((entity) => (isFields(entity) ? [entity.entityValue] : [])).filter(isInstanceId),
  );
  if (ids.size === 0) return malformed("health event: detail.affectedEntities names no instance");
  return { kind: "notices", notices: [...ids].map((id) => notice(id, "scheduled-change", atMs)) };
}

function notice(instanceId: string, kind: InterruptionKind, atMs: number | undefined): InterruptionNotice {
  return { instanceId, kind, ...(atMs === undefined ? {} : { atMs }) };
}

function malformed(message: string): MessageAnswer {
  return { kind: "malformed", message };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isInstanceId(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
