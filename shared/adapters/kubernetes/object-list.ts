import type { Fault } from "#core/fault.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { type ListText, readListText } from "./list-text.ts";
import { pathOf, type WatchedResource } from "./resource.ts";
import { statusOf } from "./status.ts";
import type { ApiAnswer, Transport } from "./transport.ts";

const pageSize = 500;
/** 5 million objects; a list that does not end is no list. */
const pagesMax = 10_000;
/** A continue token expires when etcd compacts (5 min): twice in one list means that listing takes longer than that. */
const restartsMax = 3;
/** Reads that a failing server is given a second chance for. */
const pageTriesMax = 2;
export const pageTimeoutMs = 30_000;

export type Listed =
  | { readonly kind: "listed"; readonly items: readonly unknown[]; readonly resourceVersion: string }
  /** The API server does not serve this kind. */
  | { readonly kind: "unknown-kind"; readonly fault: Fault }
  | { readonly kind: "failed"; readonly fault: Fault };

interface Page extends ListText {
  readonly kind: "page";
}

/**
 * The whole list, page by page, all pages of one revision. When a page is gone (410) it begins anew, so that half a list
 * is never taken for one. `take` turns each item into what is kept of it while the next page is on its way.
 */
export async function listObjects(
  transport: Transport,
  resource: WatchedResource,
  take: (item: unknown) => unknown,
): Promise<Listed> {
  for (let restarts = 0; ; restarts++) {
    const listed = await listOnce(transport, resource, take);
    if (listed.kind !== "expired") return listed;
    if (restarts >= restartsMax) return { kind: "failed", fault: listed.fault };
  }
}

type Interrupted = { readonly kind: "expired"; readonly fault: Fault };

async function listOnce(
  transport: Transport,
  resource: WatchedResource,
  take: (item: unknown) => unknown,
): Promise<Listed | Interrupted> {
  const kept: unknown[] = [];
  let answering = readPage(transport, resource, "");
  for (let pages = 0; pages < pagesMax; pages++) {
    const page = pageOf(await answering, resource);
    if (page.kind !== "page") return page;
    const { items, resourceVersion } = page;
    if (page.continue !== "") answering = readPage(transport, resource, page.continue);
    for (const item of items) kept.push(take(item));
    if (page.continue === "") return { kind: "listed", items: kept, resourceVersion };
  }
  throw new Error(`a list of ${resource.plural} has more than ${pagesMax} pages`);
}

async function readPage(transport: Transport, resource: WatchedResource, token: string): Promise<ApiAnswer> {
  const query = new URLSearchParams(resource.selector);
  query.set("limit", String(pageSize));
  if (token !== "") query.set("continue", token);
  const path = `${pathOf(resource, resource.namespace)}?${query}`;
  for (let tries = 1; ; tries++) {
    const answer = await transport.call({ method: "GET", path, timeoutMs: pageTimeoutMs });
    const again = answer.kind === "broken" ? answer.code !== "NoCredentials" : answer.status >= 500;
    if (!again || tries >= pageTriesMax) return answer;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function pageOf(answer: ApiAnswer, { plural }: WatchedResource): Page | Listed | Interrupted {
  if (answer.kind === "broken") return { kind: "failed", fault: faultOfBroken(answer) };
  if (answer.status !== 200) {
    const fault = faultOf(statusOf(answer));
    if (answer.status === 410) return { kind: "expired", fault };
    return { kind: answer.status === 404 ? "unknown-kind" : "failed", fault };
  }
  const list = readListText(answer.body);
  if (list === undefined) {
    return { kind: "failed", fault: { kind: "unavailable", code: "NoList", message: `no list of ${plural}` } };
  }
  return { kind: "page", ...list };
}
