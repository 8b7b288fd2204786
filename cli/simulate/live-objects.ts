import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { instanceIdOf } from "#core/nodeclaim/instance-presence.ts";

/** Whether the machines of live objects are there: a plan takes them to run, a simulated account does not hold them. */
export type Machines = "running" | "absent";

/** So many are named one by one. */
const namesMax = 5;

/** What is taken for true of Nodes and NodeClaims among the manifests, and what cannot hold without their machines. */
export function liveObjectNotes(objects: readonly KubeObject[], machines: Machines): readonly string[] {
  const nodes = objects.filter((object): object is Node => object.kind === "Node");
  const claims = objects.filter((object): object is NodeClaim => object.kind === "NodeClaim");
  const unready = nodes.filter((node) => !isTakenAsReady(node));
  const ready = nodes.length - unready.length;
  const whose = ready === 1 ? "its machine is" : "their machines are";
  const about = machines === "running" ? `${whose} taken to run` : "machines that were there before cost nothing here";
  return [
    ...(ready === 0 ? [] : [`${ready === 1 ? "1 Node is" : `${ready} Nodes are`} taken as Ready; ${about}`]),
    ...(unready.length === 0
      ? []
      : [
          `not Ready: ${namesOf(unready)}; no machine answers for ${unready.length === 1 ? "it, and it stays" : "them, and they stay"} so`,
        ]),
    ...(machines === "running" ? [] : goneMachines(claims, nodes)),
  ];
}

/** A NodeClaim is held up by its Node; without one its missing instance is found out. */
function goneMachines(claims: readonly NodeClaim[], nodes: readonly Node[]): readonly string[] {
  const held = new Set(nodes.filter(isTakenAsReady).map(({ spec }) => spec.providerID));
  const gone = claims.filter(({ status }) => status?.providerID !== undefined && !held.has(status.providerID));
  if (gone.length === 0) return [];
  const ids = gone.slice(0, namesMax).map(({ status }) => instanceIdOf(status?.providerID ?? ""));
  return [
    `no Ready Node for ${namesOf(gone)}; the simulated account has no ${ids.join(", ")}${gone.length > namesMax ? ", …" : ""}, so that ${gone.length === 1 ? "it is" : "they are"} taken for gone`,
  ];
}

function isTakenAsReady({ status }: Node): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return ready === undefined || ready.status === "True";
}

function namesOf(objects: readonly KubeObject[]): string {
  const names = objects.slice(0, namesMax).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  const more = objects.length > namesMax ? ` and ${objects.length - namesMax} more` : "";
  return `${names.join(", ")}${more}`;
}
