import type { KubeObject } from "#api/core-v1/meta.ts";
import { builtInKinds, type ResourceKind } from "#simulator/kubernetes/api-server/resource-kinds.ts";
import { listObjects } from "../../../shared/adapters/kubernetes/object-list.ts";
import { watchObjects } from "../../../shared/adapters/kubernetes/object-watch.ts";
import { crdResource, pathOf, type WatchedResource } from "../../../shared/adapters/kubernetes/resource.ts";
import { statusOf } from "../../../shared/adapters/kubernetes/status.ts";
import { type ApiCall, Transport } from "../../../shared/adapters/kubernetes/transport.ts";
import type { Admin, Listing, ListQuery, Reply, WatchNotice } from "../../contract/cluster-under-test.ts";
import type { ControlPlane } from "../../support/control-plane/control-plane.ts";

/** An administrator of a real API server, with a certificate. */
export interface RealAdmin extends Admin {
  readonly transport: Transport;
  readonly call: (call: Omit<ApiCall, "timeoutMs">) => Promise<Reply<unknown>>;
  readonly close: () => void;
}

export function adminOf({ url, caPem, admin }: ControlPlane): RealAdmin {
  const transport = new Transport(
    { url, caPem },
    { authorization: async () => undefined, certificate: admin, remedy: "start the control plane anew" },
    () => {},
  );
  const call = async (given: Omit<ApiCall, "timeoutMs">): Promise<Reply<unknown>> => {
    const answer = await transport.call({ ...given, timeoutMs: 30_000 });
    if (answer.kind === "broken") throw new Error(`${given.method} ${given.path}: ${answer.code} ${answer.message}`);
    if (answer.status >= 200 && answer.status <= 299) return { kind: "ok", object: JSON.parse(answer.body) };
    const { code, reason, message } = statusOf(answer);
    return { kind: "refused", code, reason, message };
  };
  const object = (given: Omit<ApiCall, "timeoutMs">): Promise<Reply> => call(given) as Promise<Reply>;
  return {
    transport,
    call,
    close: () => transport.close(),
    create: (body) => {
      const { kind, metadata } = body as KubeObject;
      const path = pathOf(resourceOf(kind), metadata.namespace ?? "default");
      return object({ method: "POST", path, body });
    },
    get: (kind, name, namespace) => object({ method: "GET", path: pathOf(resourceOf(kind), namespace, name) }),
    list: async (kind, query = {}) => {
      const path = `${pathOf(resourceOf(kind), query.namespace)}?${queryOf(query)}`;
      const reply = await call({ method: "GET", path });
      return reply.kind === "refused" ? reply : { kind: "ok", object: listingOf(reply.object) };
    },
    patch: (kind, name, namespace, body, subresource) =>
      object({
        method: "PATCH",
        path: pathOf(resourceOf(kind), namespace, name, subresource),
        contentType: "application/merge-patch+json",
        body: body as object,
      }),
    delete: (kind, name, namespace, options = {}) => {
      const { uid, gracePeriodSeconds } = options;
      const body = {
        ...(uid === undefined ? {} : { preconditions: { uid } }),
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      };
      return object({ method: "DELETE", path: pathOf(resourceOf(kind), namespace, name), body });
    },
    watch: (kind, resourceVersion, query, hear) => watchFrom(transport, kind, resourceVersion, query, hear),
  };
}

async function watchFrom(
  transport: Transport,
  kind: string,
  resourceVersion: string,
  query: ListQuery,
  hear: (notice: WatchNotice) => void,
): Promise<() => void> {
  const stopping = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const changed = (type: WatchNotice["type"], object: unknown): void => hear({ type, object: object as KubeObject });
    const listener = { opened: resolve, reached: () => {}, changed };
    const resource = { ...resourceOf(kind), ...selectorOf(query) };
    watchObjects(transport, resource, resourceVersion, stopping.signal, listener).then((end) => reject(new Error(end)));
  });
  return () => stopping.abort();
}

/** Tells of everything of a kind, now and from now on, until the answer is called; it survives restarts of the server. */
export function watchAll(admin: RealAdmin, kind: string, hear: (type: string, object: KubeObject) => void): () => void {
  const feed = new ResourceWatch(admin, kind, hear);
  void feed.run();
  return () => feed.stop();
}

class ResourceWatch {
  readonly #admin: RealAdmin;
  readonly #kind: string;
  readonly #hear: (type: string, object: KubeObject) => void;
  readonly #stopping = new AbortController();

  constructor(admin: RealAdmin, kind: string, hear: (type: string, object: KubeObject) => void) {
    this.#admin = admin;
    this.#kind = kind;
    this.#hear = hear;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const listed = await listObjects(this.#admin.transport, resourceOf(this.#kind), (item) => item);
      if (listed.kind === "listed") {
        for (const item of listed.items) this.#hear("ADDED", item as KubeObject);
        const changed = (type: string, object: unknown): void => this.#hear(type, object as KubeObject);
        const listener = { opened: () => {}, reached: () => {}, changed };
        await watchObjects(this.#admin.transport, resourceOf(this.#kind), listed.resourceVersion, signal, listener);
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

/** Everything of a kind. */
export async function listAll(admin: RealAdmin, kind: string): Promise<readonly KubeObject[]> {
  const listed = await listObjects(admin.transport, resourceOf(kind), (item) => item);
  if (listed.kind !== "listed") throw new Error(`${kind}: ${listed.fault.message}`);
  return listed.items as readonly KubeObject[];
}

function resourceOf(kind: string): WatchedResource {
  const found: Pick<ResourceKind, "kind" | "apiVersion" | "plural" | "namespaced"> | undefined =
    kind === crdResource.kind ? crdResource : [...builtInKinds, ...furtherKinds].find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no path is known for kind ${kind}`);
  return { ...found, list: "unsupported" };
}

const furtherKinds = [
  { kind: "ClusterRole", apiVersion: "rbac.authorization.k8s.io/v1", plural: "clusterroles", namespaced: false },
  {
    kind: "ClusterRoleBinding",
    apiVersion: "rbac.authorization.k8s.io/v1",
    plural: "clusterrolebindings",
    namespaced: false,
  },
  { kind: "Role", apiVersion: "rbac.authorization.k8s.io/v1", plural: "roles", namespaced: true },
  { kind: "RoleBinding", apiVersion: "rbac.authorization.k8s.io/v1", plural: "rolebindings", namespaced: true },
  { kind: "ServiceAccount", apiVersion: "v1", plural: "serviceaccounts", namespaced: true },
];

function selectorOf({ labelSelector, fieldSelector }: ListQuery): { readonly selector?: Record<string, string> } {
  const selector = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  return { selector };
}

function queryOf(query: ListQuery): URLSearchParams {
  const { labelSelector, fieldSelector, limit, continue: token } = query;
  return new URLSearchParams({
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(token === undefined ? {} : { continue: token }),
  });
}

function listingOf(body: unknown): Listing {
  const { items, metadata } = body as { items: readonly KubeObject[] | null; metadata: Record<string, string> };
  const { resourceVersion = "", continue: token } = metadata;
  return { items: items ?? [], resourceVersion, ...(token === undefined || token === "" ? {} : { continue: token }) };
}
