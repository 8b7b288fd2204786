import { fieldManager } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Fault } from "#core/fault.ts";
import type { MergePatch, RawList, RawObjects, RawSelection, ServedKind } from "#ports/raw-objects.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { listObjects } from "./object-list.ts";
import { pathOf } from "./resource.ts";
import { statusOf } from "./status.ts";
import type { Transport } from "./transport.ts";

const patchMsMax = 30_000;

/** Objects behind a real API server, as it answers them. */
export class RawObjectClient implements RawObjects {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  readonly list = async (kind: ServedKind, selection: RawSelection = {}): Promise<RawList> => {
    // Items of a list carry neither kind nor version of their own.
    const { apiVersion } = kind;
    const take = (item: unknown) => (isJsonObject(item) ? { apiVersion, kind: kind.kind, ...item } : {});
    const { namespace, ...selector } = selection;
    const where = { ...kind, selector, ...(namespace === undefined ? {} : { namespace }) };
    const listed = await listObjects(this.#transport, { ...where, list: "unsupported" }, take);
    switch (listed.kind) {
      case "listed":
        return { kind: "listed", items: listed.items.filter(isJsonObject) };
      case "unknown-kind":
        return { kind: "unknown-kind" };
      case "failed":
        return { kind: "failed", fault: listed.fault };
    }
  };

  readonly patch = async (patch: MergePatch): Promise<Fault | undefined> => {
    const { resource, namespace, name, subresource, body } = patch;
    const answer = await this.#transport.call({
      method: "PATCH",
      path: `${pathOf(resource, namespace, name, subresource)}?fieldManager=${fieldManager}`,
      contentType: "application/merge-patch+json",
      body,
      timeoutMs: patchMsMax,
    });
    if (answer.kind === "broken") return faultOfBroken(answer);
    return answer.status >= 200 && answer.status <= 299 ? undefined : faultOf(statusOf(answer));
  };
}
