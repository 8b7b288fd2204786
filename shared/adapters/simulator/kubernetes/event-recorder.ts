import type { KubeEvent } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { formatTime } from "#api/time.ts";
import type { ApiServer } from "./api-server/api-server.ts";

/** Events live an hour in Kubernetes; here they are bounded by number, the oldest go first. */
const eventsMax = 5_000;

/** Writes Events as the components of Kubernetes do: the same thing said again raises a count. */
export class EventRecorder {
  readonly #api: ApiServer;
  readonly #names = new Map<string, { readonly name: string; readonly namespace: string }>();

  constructor(api: ApiServer) {
    this.#api = api;
  }

  record(about: KubeObject, type: "Normal" | "Warning", reason: string, message: string, component: string): void {
    const { name, namespace = "default", uid } = about.metadata;
    const identity = `${about.kind} ${namespace}/${name} ${uid} ${reason} ${message}`;
    const known = this.#names.get(identity);
    if (known !== undefined && this.#countUp(known)) return;
    const now = formatTime(this.#api.clock.nowMs());
    const answer = this.#api.create({
      apiVersion: "v1",
      kind: "Event",
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: about.apiVersion, kind: about.kind, name, namespace, uid },
      type,
      reason,
      message,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
      source: { component },
    });
    if (answer.kind === "ok") this.#remember(identity, answer.object.metadata.name, namespace);
  }

  #countUp({ name, namespace }: { readonly name: string; readonly namespace: string }): boolean {
    const found = this.#api.get("Event", name, namespace);
    if (found.kind === "refused") return false;
    const event: KubeEvent = found.object;
    const lastTimestamp = formatTime(this.#api.clock.nowMs());
    return this.#api.patch("Event", name, namespace, { count: event.count + 1, lastTimestamp }).kind === "ok";
  }

  #remember(identity: string, name: string, namespace: string): void {
    this.#names.set(identity, { name, namespace });
    if (this.#names.size <= eventsMax) return;
    for (const [oldest, event] of this.#names) {
      this.#names.delete(oldest);
      this.#api.delete("Event", event.name, event.namespace);
      break;
    }
  }
}
