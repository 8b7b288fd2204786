import type { Node } from "#api/core-v1/node.ts";

/** The kubelet reports and says that it is well: condition Ready is True. */
export function isReady(node: Node): boolean {
  return (
    node.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false
  );
}
