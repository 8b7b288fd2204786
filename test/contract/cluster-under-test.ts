import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import type { Cluster } from "#ports/cluster.ts";

/** What a Kubernetes API server answered, by status code. */
export type Reply<T = KubeObject> =
  | { readonly kind: "ok"; readonly object: T }
  | { readonly kind: "refused"; readonly code: number; readonly reason: string; readonly message: string };

export interface Listing {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
}

export interface ListQuery {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchNotice {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

/** A client with every right, as an administrator's kubectl: it prepares what the port is tried on. */
export interface Admin {
  readonly create: (object: object) => Promise<Reply>;
  readonly get: (kind: string, name: string, namespace?: string) => Promise<Reply>;
  readonly list: (kind: string, query?: ListQuery) => Promise<Reply<Listing>>;
  readonly patch: (
    kind: string,
    name: string,
    namespace: string | undefined,
    patch: Json,
    subresource?: "status" | "scale",
  ) => Promise<Reply>;
  readonly delete: (
    kind: string,
    name: string,
    namespace?: string,
    options?: { readonly gracePeriodSeconds?: number; readonly uid?: string },
  ) => Promise<Reply>;
  /** Tells of changes after the revision until the answer is called. */
  readonly watch: (
    kind: string,
    resourceVersion: string,
    query: ListQuery,
    hear: (notice: WatchNotice) => void,
  ) => Promise<() => void>;
}

/** A cluster that one case is run on. Names of cluster-scoped objects begin with `prefix`, so that cases can share one. */
export interface ClusterUnderTest {
  readonly cluster: Cluster;
  readonly admin: Admin;
  readonly prefix: string;
  readonly nowMs: () => number;
  /** Runs the case where the cluster's time can pass. */
  readonly run: (body: () => Promise<void>) => Promise<void>;
  /** Lets the cluster's controllers work until the condition holds; fails when it does not within a minute. */
  readonly eventually: (what: string, condition: () => Promise<boolean>) => Promise<void>;
  /** Makes lists in progress expire, where that can be asked for. */
  readonly compact?: () => Promise<void>;
}
