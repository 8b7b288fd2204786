/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/initialization.go. No difference, but for dynamic resource
 * allocation, which is not supported.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseQuantity } from "#api/quantity.ts";
import type { ConditionChange } from "../condition.ts";
import { describeTaint, isEphemeral } from "../scheduling/requirements/taints.ts";
import { isReady } from "../state/node-readiness.ts";
import { hasTaint } from "../state/node-taints.ts";
import { initialized } from "./conditions.ts";

/** The condition Initialized of a registered claim; once True it is not asked again. */
export function initializationOf(claim: NodeClaim, node: Node | undefined): ConditionChange {
  if (node === undefined) return unknown("NodeNotFound", "The claim's Node does not exist");
  const { name } = node.metadata;
  if (!isReady(node)) return unknown("NodeNotReady", `Node ${name} is not Ready`);
  const startup = (claim.spec.startupTaints ?? []).find((taint) => hasTaint(node.spec.taints, taint));
  if (startup !== undefined) {
    return unknown("StartupTaintsExist", `Node ${name} still has the startup taint ${describeTaint(startup)}`);
  }
  const ephemeral = (node.spec.taints ?? []).find(isEphemeral);
  if (ephemeral !== undefined) {
    return unknown("KnownEphemeralTaintsExist", `Node ${name} still has the taint ${describeTaint(ephemeral)}`);
  }
  const missing = missingResource(claim, node);
  if (missing !== undefined) {
    return unknown("ResourceNotRegistered", `Node ${name} does not offer the requested resource ${missing} yet`);
  }
  return { type: initialized, status: "True" };
}

/** Requested resources that a device plugin has yet to announce. */
function missingResource(claim: NodeClaim, node: Node): string | undefined {
  return Object.entries(claim.spec.resources?.requests ?? {})
    .filter(([, quantity]) => !isZero(quantity))
    .map(([resource]) => resource)
    .sort()
    .find((resource) => isZero(node.status?.allocatable?.[resource]));
}

function isZero(text: string | undefined): boolean {
  return text === undefined || (parseQuantity(text)?.nano ?? 0n) === 0n;
}

function unknown(reason: string, message: string): ConditionChange {
  return { type: initialized, status: "Unknown", reason, message };
}
