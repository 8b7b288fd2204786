/**
 * One object of Karpenter's between v1beta1 and v1, by itself: what a conversion webhook does. Pure, and lossless both
 * ways (slot.ts). What concerns several objects, as the kubelet's settings that moved from pools to classes, is the
 * command line's `convert`.
 */
import { isJsonObject, shown } from "../problem.ts";
import { type JsonObject, textOr } from "./json-fields.ts";
import { nodeClassSlots } from "./node-class-slots.ts";
import { nodeClaimSlots, nodePoolSlots } from "./node-slots.ts";
import { downgradeSlot, type Slot, upgradeSlot } from "./slot.ts";

export type ConversionResult =
  | { readonly kind: "converted"; readonly object: JsonObject }
  | { readonly kind: "refused"; readonly message: string };

const slotsOfKind: Readonly<Record<string, { readonly group: string; readonly slots: readonly Slot[] }>> = {
  NodePool: { group: "karpenter.sh", slots: nodePoolSlots },
  NodeClaim: { group: "karpenter.sh", slots: nodeClaimSlots },
  EC2NodeClass: { group: "karpenter.k8s.aws", slots: nodeClassSlots },
};

const versions = ["v1beta1", "v1"] as const;
export type Version = (typeof versions)[number];

/** The version that an object of a kind that is converted is written in; undefined for every other object. */
export function versionOf(object: JsonObject): Version | undefined {
  const [group, name] = textOr(object.apiVersion, "").split("/");
  const known = Object.hasOwn(slotsOfKind, textOr(object.kind, "")) ? slotsOfKind[textOr(object.kind, "")] : undefined;
  return known?.group === group ? versions.find((version) => version === name) : undefined;
}

/** The object in the version asked for; the very object when it is in it already. */
export function convertedTo(desired: string, object: unknown): ConversionResult {
  if (!isJsonObject(object)) return refused(`an object is needed, not ${shown(object)}`);
  const version = versionOf(object);
  const kind = textOr(object.kind, "");
  const known = slotsOfKind[kind];
  if (version === undefined || known === undefined) {
    return refused(`${shown(object.apiVersion)} ${shown(object.kind)} is not converted; ${convertible}`);
  }
  const target = versions.find((one) => `${known.group}/${one}` === desired);
  if (target === undefined) return refused(`${kind} is not served as ${shown(desired)}; ${convertible}`);
  if (target === version) return { kind: "converted", object };
  if (!isJsonObject(object.spec)) return refused(`${kind}: spec must be an object; got ${shown(object.spec)}`);
  const convertSlot = target === "v1" ? upgradeSlot : downgradeSlot;
  const converted = known.slots.reduce(convertSlot, object);
  return { kind: "converted", object: { ...converted, apiVersion: desired } };
}

const convertible =
  "NodePool, NodeClaim (karpenter.sh) and EC2NodeClass (karpenter.k8s.aws) are, between v1beta1 and v1";

function refused(message: string): ConversionResult {
  return { kind: "refused", message };
}
