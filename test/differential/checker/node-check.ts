/** Would the pods that are placed on a node which exists run there? */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { minus, podRequests, shortage } from "./amounts.ts";
import type { Rule, Violation } from "./answer.ts";
import { podName } from "./claim-check.ts";
import { daemonSpecs, daemonsOn } from "./daemons.ts";
import { sharedPort } from "./host-ports.ts";
import { repellingTaint, selectsNode } from "./matching.ts";
import { labelsOnceUp, type StandingNode } from "./standing-nodes.ts";
import { mountsOf, reachable } from "./volumes.ts";

/** The pods that run, taken one by one in order of their names, and what is wrong with the others. */
export function checkNode(
  problem: Problem,
  node: StandingNode,
  pods: readonly Pod[],
): { readonly pods: readonly Pod[]; readonly violations: readonly Violation[] } {
  const there: Pod[] = [];
  const violations: Violation[] = [];
  const daemons = daemonSpecs(daemonsOn(problem.daemonSets, labelsOnceUp(node), node.taints));
  for (const pod of [...pods].sort((a, b) => (podName(a) < podName(b) ? -1 : 1))) {
    const complaint = complaintOf(problem, node, daemons, there, pod);
    if (complaint === undefined) there.push(pod);
    else violations.push({ ...complaint, pods: [podName(pod)], where: `node ${node.name}` });
  }
  return { pods: there, violations };
}

function complaintOf(
  problem: Problem,
  node: StandingNode,
  daemons: readonly Pod["spec"][],
  there: readonly Pod[],
  pod: Pod,
): { readonly rule: Rule; readonly message: string } | undefined {
  const name = podName(pod);
  if (node.leaving) return { rule: "accounting", message: `${name} is placed on a node that is going away` };
  const taint = repellingTaint(pod.spec.tolerations, node.taints);
  if (taint !== undefined) return { rule: "taints", message: `${name} does not tolerate ${taint.key}` };
  if (!selectsNode(pod.spec, node.labels)) return { rule: "node-affinity", message: `${name} does not select it` };
  const volumes = volumeComplaint(problem, node, there, pod);
  if (volumes !== undefined) return volumes;
  const used = there.map(podRequests).reduce(minus, node.free);
  const short = shortage(podRequests(pod), used);
  if (short !== undefined) return { rule: "resources", message: `${name}: ${short}` };
  const others = [...node.pods, ...there].map((one) => one.spec);
  const port = sharedPort([pod.spec], [...others, ...daemons]);
  return port === undefined ? undefined : { rule: "host-ports", message: `${name}: ${port} is taken` };
}

function volumeComplaint(
  problem: Problem,
  node: StandingNode,
  there: readonly Pod[],
  pod: Pod,
): { readonly rule: Rule; readonly message: string } | undefined {
  const name = podName(pod);
  const mounts = mountsOf(problem, pod);
  if (mounts.kind === "impossible") return { rule: "volumes", message: `${name}: ${mounts.why}` };
  if (!reachable(mounts.volumes, node.labels))
    return { rule: "volumes", message: `${name}: a volume cannot be reached` };
  for (const [driver, most] of node.volumeLimits) {
    const all = [...node.pods, ...there, pod].flatMap((one) => {
      const of = mountsOf(problem, one);
      return of.kind === "mounts" ? of.volumes : [];
    });
    const attached = new Set(all.filter((one) => one.driver === driver).map(({ id }) => id));
    const own = mounts.volumes.some((one) => one.driver === driver);
    if (own && attached.size > most) {
      return {
        rule: "volume-limits",
        message: `${name}: ${attached.size} volumes of ${driver}, ${most} can be attached`,
      };
    }
  }
  return undefined;
}
