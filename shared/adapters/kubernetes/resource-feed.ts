import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Fault } from "#core/fault.ts";
import { type Admitted, admit } from "./admission.ts";
import { listObjects } from "./object-list.ts";
import { ObjectStore } from "./object-store.ts";
import { type WatchEnd, watchObjects } from "./object-watch.ts";
import type { WatchedResource } from "./resource.ts";
import type { Transport } from "./transport.ts";

const firstRetryMs = 100;
const longestRetryMs = 5_000;
const openingMsMax = 1_000;
const openingStepMs = 5;
/** A watch that ends sooner than this did not work. */
const watchMsMin = 1_000;
/** How long a kind that the API server does not know is taken to be unknown. */
const unknownForMs = 60_000;

/** Something that a decision can tell has changed. */
export interface FeedChange {
  readonly resource: WatchedResource;
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "RELISTED";
  readonly key: string;
  readonly resourceVersion: string;
  /** As it is now; absent: it is gone, it did not pass, or the list was read anew. */
  readonly object?: KubeObject;
}

/** Keeps a store of one kind up to date: by lists as long as nobody waits for changes, then by a watch. */
export class ResourceFeed {
  readonly resource: WatchedResource;
  readonly store = new ObjectStore();
  readonly #transport: Transport;
  readonly #hear: (change: FeedChange) => void;
  #version = "";
  #watching: AbortController | undefined;
  /** The API server watches for us, and what we hold is what it has told. */
  #live = false;
  #distrusted = false;
  #unknownUntilMs = 0;

  constructor(transport: Transport, resource: WatchedResource, hear: (change: FeedChange) => void) {
    this.#transport = transport;
    this.resource = resource;
    this.#hear = hear;
  }

  /** Makes the store show the present; answers why that was impossible. */
  async refresh(): Promise<Fault | undefined> {
    if (Date.now() < this.#unknownUntilMs) return undefined;
    if (!this.#distrusted && (await this.#isLive())) return undefined;
    const watched = this.#watching !== undefined;
    this.stop();
    const fault = await this.#list();
    if (watched && fault === undefined) this.watch();
    return fault;
  }

  /** From now on the store follows by itself. Idempotent; needs a list before. */
  watch(): void {
    if (this.#watching !== undefined || this.#version === "") return;
    const watching = new AbortController();
    this.#watching = watching;
    void this.#follow(watching.signal);
  }

  stop(): void {
    this.#watching?.abort();
    this.#watching = undefined;
    this.#live = false;
  }

  /** A write may have taken effect or not: the next look asks, instead of trusting what was heard. */
  distrust(): void {
    this.#distrusted = true;
  }

  /** A watch that is being opened is waited for, as long as a list would take. */
  async #isLive(): Promise<boolean> {
    if (this.#live || this.#watching === undefined) return this.#live;
    const untilMs = Date.now() + openingMsMax;
    while (!this.#live && this.#watching !== undefined && Date.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, openingStepMs));
    }
    return this.#live;
  }

  async #list(): Promise<Fault | undefined> {
    const listed = await listObjects(this.#transport, this.resource, (item) => admit(this.resource, item));
    if (listed.kind === "unknown-kind" && this.resource.optional === true) {
      this.#unknownUntilMs = Date.now() + unknownForMs;
      this.store.replace([]);
      return undefined;
    }
    if (listed.kind !== "listed") return listed.fault;
    const entries = listed.items.filter((item): item is Admitted => item !== undefined);
    this.#version = listed.resourceVersion;
    this.#distrusted = false;
    if (this.store.replace(entries)) this.#tell("RELISTED", "", this.#version);
    return undefined;
  }

  async #follow(signal: AbortSignal): Promise<void> {
    let retryMs = firstRetryMs;
    while (!signal.aborted) {
      const beganMs = Date.now();
      const end = await this.#watchOnce(signal);
      if (signal.aborted) return;
      this.#live = false;
      if (end === "expired" && (await this.#list()) === undefined) continue;
      if (end === "ended" && Date.now() - beganMs >= watchMsMin) {
        retryMs = firstRetryMs;
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
      retryMs = Math.min(retryMs * 2, longestRetryMs);
    }
  }

  #watchOnce(signal: AbortSignal): Promise<WatchEnd> {
    return watchObjects(this.#transport, this.resource, this.#version, signal, {
      opened: () => {
        if (!signal.aborted) this.#live = true;
      },
      reached: (version) => {
        if (!signal.aborted) this.#version = version;
      },
      changed: (type, raw) => {
        const entry = signal.aborted ? undefined : admit(this.resource, raw);
        if (entry === undefined) return;
        this.#version = entry.resourceVersion;
        const matters = type === "DELETED" ? this.store.remove(entry.key, entry.uid) : this.store.put(entry);
        const object = type === "DELETED" ? undefined : entry.object;
        if (matters) this.#tell(type, entry.key, entry.resourceVersion, object);
      },
    });
  }

  #tell(type: FeedChange["type"], key: string, resourceVersion: string, object?: KubeObject): void {
    const change = { resource: this.resource, type, key, resourceVersion };
    this.#hear(object === undefined ? change : { ...change, object });
  }
}
