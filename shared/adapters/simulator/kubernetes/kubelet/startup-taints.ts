import type { Taint } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { asJson } from "../api-server/api-server.ts";
import type { Parts } from "../parts.ts";

/** How often the agent looks again for a claim that names its node; the claim learns its providerID within a tick or two. */
const looksMax = 20;

/**
 * Stands for the agents (CNI, GPU driver) whose work startup taints wait for: some time after Ready it takes off each
 * taint that the node's NodeClaim lists as startup taint. Once only: a taint that is put on again stays, as the agent
 * sees no reason to look again.
 */
export function removeStartupTaints(nodeName: string, parts: Parts, look = 1): void {
  const { api, clock, delays } = parts;
  const delayMs = delays.startupTaintMs;
  if (delayMs === null) return;
  clock.after(delayMs, () => {
    const node = api.store.get("Node", nodeName);
    if (node === undefined) return;
    const claim = claimOf(node.spec.providerID, api.store.list("NodeClaim"));
    if (claim === undefined && look < looksMax) {
      removeStartupTaints(nodeName, parts, look + 1);
      return;
    }
    const startup = claim?.spec.startupTaints ?? [];
    const taints = (node.spec.taints ?? []).filter((taint) => !startup.some((other) => sameTaint(taint, other)));
    if (taints.length !== (node.spec.taints ?? []).length) {
      api.patch("Node", nodeName, undefined, { spec: { taints: asJson(taints) } });
    }
  });
}

function claimOf(providerID: string | undefined, claims: readonly NodeClaim[]): NodeClaim | undefined {
  return claims.find(({ status }) => status?.providerID !== undefined && status.providerID === providerID);
}

function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
