import { fieldManager } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import type { Fault } from "#core/fault.ts";
import type { AccessRight, MergePatch, RawList, RawObjects, RawSelection, ServedKind } from "#ports/raw-objects.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { listObjects } from "./object-list.ts";
import { pathOf } from "./resource.ts";
import { parseJson, statusOf } from "./status.ts";
import type { Transport } from "./transport.ts";

const patchMsMax = 30_000;
const reviewMsMax = 10_000;
const reviewPath = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

/** Objects behind a real API server, as it answers them. */
export class RawObjectClient implements RawObjects {
  readonly #transport: Transport;
  /** What was said of each right: nobody's change while a command runs. */
  readonly #rights = new Map<string, Promise<boolean | undefined>>();

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

  readonly may = (right: AccessRight): Promise<boolean | undefined> => {
    const key = JSON.stringify(right);
    const known = this.#rights.get(key) ?? this.#review(right);
    this.#rights.set(key, known);
    return known;
  };

  async #review(resourceAttributes: AccessRight): Promise<boolean | undefined> {
    const answer = await this.#transport.call({
      method: "POST",
      path: reviewPath,
      body: {
        ...{ apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview" },
        spec: { resourceAttributes },
      },
      timeoutMs: reviewMsMax,
    });
    if (answer.kind === "broken" || answer.status !== 201) return undefined;
    const review = parseJson(answer.body);
    const status = isJsonObject(review) ? review.status : undefined;
    return isJsonObject(status) ? status.allowed === true : undefined;
  }
}
