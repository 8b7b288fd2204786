/**
 * Karpenter counterpart: none; its API server refuses what its types cannot hold. Our door of `api` is stricter about
 * what decisions rest on, and objects may be older than a rule: such an object is named and not acted on, and what may
 * depend on it is left alone.
 */
import type { Json } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";
import { type ObjectKind, type ObjectRef, objectKinds } from "./object-ref.ts";

/** One field of an object that did not pass the door. */
export interface ObjectProblem {
  readonly ref: ObjectRef;
  /** Of a Pod: the node that it is bound to, empty for none; absent when that cannot be told either. */
  readonly nodeName?: string;
  readonly field: string;
  readonly message: string;
}

/** What is known of an object as the API server sent it, in whose content the door found `problems`. */
export function objectProblems(
  { apiVersion, kind: objectKind }: { readonly apiVersion: string; readonly kind: string },
  raw: { readonly [key: string]: Json },
  problems: readonly { readonly field: string; readonly message: string }[],
): readonly ObjectProblem[] {
  const metadata = isJsonObject(raw.metadata) ? raw.metadata : {};
  const { name, namespace, uid } = metadata;
  // A kind that the core has no name for is a provider's node class.
  const kind = objectKinds.find((one) => one === objectKind) ?? "NodeClass";
  const ref: ObjectRef = {
    kind,
    ...(kind === "NodeClass" ? { apiVersion, objectKind } : {}),
    name: typeof name === "string" ? name : "",
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(typeof uid === "string" ? { uid } : {}),
  };
  const nodeName = kind === "Pod" ? nodeNameOf(raw.spec) : undefined;
  return problems.map(({ field, message }) => ({
    ref,
    ...(nodeName === undefined ? {} : { nodeName }),
    field,
    message,
  }));
}

function nodeNameOf(spec: Json | undefined): string | undefined {
  if (!isJsonObject(spec)) return undefined;
  const { nodeName = "" } = spec;
  return typeof nodeName === "string" ? nodeName : undefined;
}

interface WithProblems {
  readonly problems: readonly ObjectProblem[];
}

/** Pods that exist and cannot be read: nobody knows what they ask for. */
export interface UnreadablePods {
  /** By the name of their node; those without one are not among them. */
  readonly onNode: ReadonlyMap<string, readonly ObjectRef[]>;
  /** They may run anywhere. */
  readonly somewhere: readonly ObjectRef[];
}

export function unreadablePods({ problems }: WithProblems): UnreadablePods {
  const onNode = new Map<string, readonly ObjectRef[]>();
  const somewhere = new Set<ObjectRef>();
  for (const { ref, nodeName } of problems) {
    if (ref.kind !== "Pod" || nodeName === "") continue;
    if (nodeName === undefined) {
      somewhere.add(ref);
      continue;
    }
    const others = onNode.get(nodeName) ?? [];
    if (!others.includes(ref)) onNode.set(nodeName, [...others, ref]);
  }
  return { onNode, somewhere: [...somewhere] };
}

/** Whether an object of this kind and name is there and cannot be read. */
export function isUnreadable({ problems }: WithProblems, kind: ObjectKind, name: string): boolean {
  return problems.some(({ ref }) => ref.kind === kind && ref.name === name);
}
