import type { DecisionEvent } from "./decision-events.ts";

/** Of every event of ours. */
export const eventSource = "outrigger";
/** EventBridge takes so many at once. */
const entriesMax = 10;
/** Of one tick; a storm of launches is told by its beginning, and by the metrics. */
const eventsMax = 100;
const sendMsMax = 3_000;

export interface EventBusOptions {
  readonly bus: string;
  readonly region: string;
  readonly endpoint?: string;
}

/** Puts events on a bus of EventBridge. The client is loaded when there is something to tell. */
export class EventBus {
  readonly #options: EventBusOptions;

  constructor(options: EventBusOptions) {
    this.#options = options;
  }

  /** Answers what went wrong, in words. Never throws. */
  async put(events: readonly DecisionEvent[]): Promise<string | undefined> {
    if (events.length === 0) return undefined;
    const { bus, region, endpoint } = this.#options;
    const { EventBridgeClient, PutEventsCommand } = await import("@aws-sdk/client-eventbridge");
    const client = new EventBridgeClient({
      region,
      ...(endpoint === undefined ? {} : { endpoint }),
      maxAttempts: 2,
      requestHandler: { connectionTimeout: sendMsMax, requestTimeout: sendMsMax, throwOnRequestTimeout: true },
    });
    try {
      let refused: string | undefined;
      for (let from = 0; from < Math.min(events.length, eventsMax); from += entriesMax) {
        const Entries = events.slice(from, from + entriesMax).map(({ detailType, detail }) => ({
          ...{ EventBusName: bus, Source: eventSource },
          ...{ DetailType: detailType, Detail: JSON.stringify(detail) },
        }));
        const answer = await client.send(new PutEventsCommand({ Entries }));
        refused ??= answer.Entries?.find(({ ErrorCode }) => ErrorCode !== undefined)?.ErrorMessage;
      }
      return refused;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      client.destroy();
    }
  }
}
