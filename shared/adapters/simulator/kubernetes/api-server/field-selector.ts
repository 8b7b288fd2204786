import type { KubeObject } from "#api/core-v1/meta.ts";
import { isRecord } from "./merge-patch.ts";

/** Fields that the API server lets a list or watch select by, by kind; metadata.name and .namespace work for all. */
const fieldsByKind: Readonly<Record<string, readonly string[]>> = {
  Pod: [
    "spec.nodeName",
    "spec.schedulerName",
    "spec.restartPolicy",
    "spec.hostNetwork",
    "status.phase",
    "status.nominatedNodeName",
  ],
  Node: ["spec.unschedulable"],
  Event: [
    "involvedObject.kind",
    "involvedObject.name",
    "involvedObject.namespace",
    "involvedObject.uid",
    "reason",
    "type",
  ],
  Namespace: ["status.phase"],
  // Karpenter's CRDs declare these as selectable.
  NodeClaim: ["status.providerID", "spec.nodeClassRef.group", "spec.nodeClassRef.kind", "spec.nodeClassRef.name"],
  NodePool: [
    "spec.template.spec.nodeClassRef.group",
    "spec.template.spec.nodeClassRef.kind",
    "spec.template.spec.nodeClassRef.name",
  ],
};

export type FieldSelector =
  | { readonly kind: "fields"; readonly matches: (object: KubeObject) => boolean }
  | { readonly kind: "problem"; readonly message: string };

/** The text form of the API: `a=b,c!=d`. An absent field reads as the empty text. */
export function parseFieldSelector(kind: string, text: string): FieldSelector {
  const tests: ((object: KubeObject) => boolean)[] = [];
  for (const part of text.split(",").filter((item) => item !== "")) {
    const match = /^([^=!]+)(==|=|!=)(.*)$/.exec(part);
    const [, field, operator, value] = match ?? [];
    if (field === undefined || value === undefined)
      return { kind: "problem", message: `unreadable field selector "${part}"` };
    const known = ["metadata.name", "metadata.namespace", ...(fieldsByKind[kind] ?? [])];
    if (!known.includes(field)) return { kind: "problem", message: `field label not supported: ${field}` };
    const path = field.split(".");
    tests.push((object) => (textAt(object, path) === value) === (operator !== "!="));
  }
  return { kind: "fields", matches: (object) => tests.every((test) => test(object)) };
}

function textAt(object: KubeObject, path: readonly string[]): string {
  let value: unknown = object;
  for (const step of path) value = isRecord(value) ? value[step] : undefined;
  return value === undefined || value === null ? "" : String(value);
}
