import { type KindInfo, kinds } from "#api/kinds.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { unsupportedKinds } from "#ports/view-kinds.ts";

/** A kind as the API server serves it. */
export interface Resource extends KindInfo {
  readonly kind: string;
}

/** A kind that a look reads, and where it goes in the view. */
export interface WatchedResource extends Resource {
  readonly list: ListName;
  /** Only objects in this namespace are read. */
  readonly namespace?: string;
  /** Only objects that these select, in the API's text forms. */
  readonly selector?: { readonly labelSelector?: string; readonly fieldSelector?: string };
  /** The cluster may not know the kind at all; then there is none of it. */
  readonly optional?: boolean;
}

/** Where objects go in a view; the state is made of one. */
export type ListName = Exclude<keyof ClusterView, "problems">;

export const eventResource: Resource = { kind: "Event", apiVersion: "v1", plural: "events", namespaced: true };
export const leaseResource: Resource = {
  kind: "Lease",
  apiVersion: "coordination.k8s.io/v1",
  plural: "leases",
  namespaced: true,
};
export const crdResource: Resource = {
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};
export const nodeOverlayResource: Resource = { kind: "NodeOverlay", ...unsupportedKinds.NodeOverlay };
export const capacityBufferResource: Resource = { kind: "CapacityBuffer", ...unsupportedKinds.CapacityBuffer };

export function resourceOf(kind: keyof typeof kinds): Resource {
  return { kind, ...kinds[kind] };
}

/** `/api/v1/namespaces/default/pods/name/status`; without a namespace the list over all of them. */
export function pathOf(resource: Resource, namespace?: string, name?: string, subresource?: string): string {
  const { apiVersion, plural, namespaced } = resource;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const object = name === undefined ? "" : `/${encodeURIComponent(name)}`;
  return `${root}${place}/${plural}${object}${subresource === undefined ? "" : `/${subresource}`}`;
}
