import { isJsonObject } from "#api/problem.ts";
import { pathOf, type WatchedResource } from "./resource.ts";
import { parseJson } from "./status.ts";
import type { Transport } from "./transport.ts";

/** The API server ends a watch after this time; it is begun anew where it ended. */
const watchSeconds = 290;

export type WatchEnd =
  /** Begin again at the last version. */
  | "ended"
  | "broken"
  /** The version is too old: only a new list helps. */
  | "expired"
  /** The caller stopped it. */
  | "stopped";

export interface WatchListener {
  /** The API server watches for us from here on. */
  readonly opened: () => void;
  readonly changed: (type: "ADDED" | "MODIFIED" | "DELETED", object: unknown) => void;
  /** Nothing up to this version is left to tell. */
  readonly reached: (resourceVersion: string) => void;
}

/** Tells of every change after `resourceVersion`, in order, until the watch ends. Never rejects. */
export async function watchObjects(
  transport: Transport,
  resource: WatchedResource,
  resourceVersion: string,
  signal: AbortSignal,
  listener: WatchListener,
): Promise<WatchEnd> {
  const query = new URLSearchParams({
    ...resource.selector,
    watch: "1",
    allowWatchBookmarks: "true",
    timeoutSeconds: String(watchSeconds),
    resourceVersion,
  });
  const path = `${pathOf(resource, resource.namespace)}?${query}`;
  const stopping = new AbortController();
  let failure: WatchEnd | undefined;
  const line = (text: string): void => {
    if (failure !== undefined) return;
    failure = hear(parseJson(text), listener);
    if (failure !== undefined) stopping.abort();
  };
  const either = AbortSignal.any([signal, stopping.signal]);
  const end = await transport.lines(path, either, { opened: listener.opened, line });
  if (signal.aborted) return "stopped";
  if (failure !== undefined) return failure;
  if (end.refused?.status === 410) return "expired";
  return end.kind === "ended" && end.refused === undefined ? "ended" : "broken";
}

/** Answers why the watch cannot go on, if it cannot. */
function hear(event: unknown, listener: WatchListener): WatchEnd | undefined {
  if (!isJsonObject(event) || !isJsonObject(event.object)) return "broken";
  const { type, object } = event;
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      listener.changed(type, object);
      return undefined;
    case "BOOKMARK": {
      const { metadata } = object;
      if (isJsonObject(metadata) && typeof metadata.resourceVersion === "string") {
        listener.reached(metadata.resourceVersion);
      }
      return undefined;
    }
    default:
      return object.code === 410 ? "expired" : "broken";
  }
}
