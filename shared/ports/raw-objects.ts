import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Json } from "#api/core-v1/meta.ts";
import type { KindInfo } from "#api/kinds.ts";
import type { Fault } from "#core/fault.ts";

/** A kind as an API server serves it, in one of its versions. */
export interface ServedKind extends KindInfo {
  readonly kind: string;
}

export type RawList =
  | { readonly kind: "listed"; readonly items: readonly JsonObject[] }
  /** The API server does not serve the kind in this version. */
  | { readonly kind: "unknown-kind" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** A JSON merge patch of one object; `uid` and `resourceVersion` in its metadata are preconditions. */
export interface MergePatch {
  readonly kind: "merge-patch";
  readonly resource: ServedKind;
  readonly namespace?: string;
  readonly name: string;
  readonly subresource?: "status";
  readonly body: { readonly [key: string]: Json };
}

/** Which objects of a kind; absent: all. */
export interface RawSelection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Something that whoever is signed in may or may not do. */
export interface AccessRight {
  readonly verb: "get" | "list" | "create" | "patch";
  /** "" is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Absent: in all of them, or the kind has none. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Objects as they are stored, without the door of `api`: for what concerns their form itself. */
export interface RawObjects {
  readonly list: (kind: ServedKind, selection?: RawSelection) => Promise<RawList>;
  /** The fault that it met; undefined: it is done. */
  readonly patch: (patch: MergePatch) => Promise<Fault | undefined>;
  /** Whether it is allowed; undefined: nobody says. */
  readonly may: (right: AccessRight) => Promise<boolean | undefined>;
}
