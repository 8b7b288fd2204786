/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/hydration and pkg/controllers/node/hydration. It differs: a claim that
 * somebody wrote by hand has the label before its launch, so that its node boots with it.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "../command.ts";
import { refOf } from "../object-ref.ts";
import type { NodeClassKind } from "./managed.ts";

/** The label by which a Node is known to be managed; undefined when the object has one, whatever it says. */
export function missingClassLabel(
  claim: NodeClaim,
  object: NodeClaim | Node,
  { label }: NodeClassKind,
): Readonly<Record<string, string>> | undefined {
  return object.metadata.labels?.[label] === undefined ? { [label]: claim.spec.nodeClassRef.name } : undefined;
}

/** Gives the label to a claim, and to its registered node, that older versions or people left without. */
export function hydrationPatches(
  claim: NodeClaim,
  registeredNode: Node | undefined,
  nodeClass: NodeClassKind,
): readonly Command[] {
  const ofClaim = missingClassLabel(claim, claim, nodeClass);
  const ofNode = registeredNode === undefined ? undefined : missingClassLabel(claim, registeredNode, nodeClass);
  return [
    ...(ofClaim === undefined
      ? []
      : [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), labels: ofClaim } as const]),
    ...(ofNode === undefined || registeredNode === undefined
      ? []
      : [{ kind: "patch-metadata", target: refOf("Node", registeredNode), labels: ofNode } as const]),
  ];
}
