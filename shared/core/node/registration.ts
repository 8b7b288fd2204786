/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/registration.go. It differs:
 *
 * - Startup taints are given only to a node that cannot have lost them yet. Ours boot with them, and an agent may have
 *   taken its taint away before we first saw the node; putting it back would keep the node from ever being initialized.
 * - The claim's condition is set from the node as it then is (nodeclaim/registration-condition.ts), not beside this write.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Taint } from "#api/core-v1/pod.ts";
import { doNotSyncTaintsLabel, registeredLabel, unregisteredTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { lockedRefOf, refOf } from "../object-ref.ts";
import type { Stage } from "../stage.ts";
import { isReady, isReleased } from "../state/node-readiness.ts";
import { hasTaintKey, mergedTaints, withoutTaintKey } from "../state/node-taints.ts";
import { joiningNodes } from "./joining.ts";
import { metadataPatch } from "./metadata-sync.ts";

export function registration<View>(
  provider: Pick<CloudProvider<unknown, View>, "nodeClass" | "registrationObstacle">,
): Stage<View> {
  return {
    name: "registration",
    decide: (snapshot) =>
      together(
        joiningNodes(snapshot.cluster, provider.nodeClass).map(({ claim, node }) => {
          const obstacle = provider.registrationObstacle?.(snapshot, claim);
          return obstacle === undefined ? release(claim, node) : waiting(claim, node, obstacle);
        }),
      ),
  };
}

function waiting(claim: NodeClaim, node: Node, obstacle: string): Decision {
  if (isReleased(node)) return nothing;
  const message = `Node ${node.metadata.name} has joined and is not registered yet: ${obstacle}`;
  return { commands: [], reasons: [{ about: refOf("NodeClaim", claim), code: "claim-waiting", message }] };
}

function release(claim: NodeClaim, node: Node): Decision {
  if (isReleased(node) || metadataPatch(claim, node) !== undefined) return nothing;
  const isRegistered = node.metadata.labels?.[registeredLabel] !== undefined;
  const isUntainted = !hasTaintKey(node.spec.taints, unregisteredTaintKey);
  return {
    commands: [
      {
        kind: "taint-node",
        target: lockedRefOf("Node", node),
        taints: syncedTaints(claim, node),
        labels: { [registeredLabel]: "true" },
      },
    ],
    reasons:
      isRegistered || !isUntainted
        ? []
        : [
            {
              about: refOf("NodeClaim", claim),
              code: "claim-waiting",
              message: `Node ${node.metadata.name} joined without the taint ${unregisteredTaintKey}: pods may have been placed on it before it was set up. The image's user data must register the node with it`,
              event: { type: "Warning", reason: "UnregisteredTaintMissing" },
            },
          ],
  };
}

function syncedTaints(claim: NodeClaim, node: Node): readonly Taint[] {
  const present = node.spec.taints ?? [];
  const kept = withoutTaintKey(present, unregisteredTaintKey);
  if (node.metadata.labels?.[doNotSyncTaintsLabel] === "true") return kept;
  const wanted = claim.spec.taints ?? [];
  return mergedTaints(kept, mayLackStartupTaints(node) ? [...wanted, ...(claim.spec.startupTaints ?? [])] : wanted);
}

/**
 * An agent works only on a node that has been Ready. A node that booted without the unregistered taint booted without
 * the startup taints as well.
 */
function mayLackStartupTaints(node: Node): boolean {
  return !isReady(node) || !hasTaintKey(node.spec.taints, unregisteredTaintKey);
}
