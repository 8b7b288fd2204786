/** A small problem and both answers, for people. */
import { stringify } from "yaml";
import type { Problem } from "../../../cli/solve/problem.ts";
import type { CheckedAnswer } from "../checker/answer.ts";
import type { Solver } from "./compare.ts";
import type { Shrunk } from "./shrink.ts";

export function shownCase(name: string, { problem, answer, finding }: Shrunk, solver: Solver): string {
  const document = {
    options: pick(problem.options, ["preferencePolicy", "minValuesPolicy", "reservationIDLabel", "markedForDeletion"]),
    nodePools: problem.nodePools.map(({ metadata, spec }) => ({
      name: metadata.name,
      ...pick(spec, ["weight", "limits"]),
      ...template(spec),
    })),
    instanceTypes: problem.instanceTypes.map((type) => shortType(type, mentionedKeys(problem))),
    nodes: problem.nodes,
    objects: problem.objects,
    daemonSets: problem.daemonSets.map(({ metadata, spec }) => ({ name: metadata.name, ...spec.template.spec })),
    pods: alike(problem),
    karpenter: shortAnswer(answer),
    ours: shortAnswer(solver(problem)),
  };
  const text = stringify(document, {
    lineWidth: 160,
    aliasDuplicateObjects: false,
    defaultStringType: "PLAIN",
  });
  return `${name}, shrunk: ${finding.rule}: ${finding.message}\n${text}`;
}

function template(spec: Problem["nodePools"][number]["spec"]): object {
  const { metadata, spec: inner } = spec.template;
  return { ...pick(metadata ?? {}, ["labels"]), ...pick(inner, ["requirements", "taints"]) };
}

/** Label keys that somebody asks for; types have many others. */
function mentionedKeys({ nodePools, pods, daemonSets }: Problem): (key: string) => boolean {
  const text = JSON.stringify([nodePools, pods, daemonSets]);
  return (key) => text.includes(JSON.stringify(key));
}

function shortType(
  { name, capacity, overhead, offerings, requirements }: Problem["instanceTypes"][number],
  isMentioned: (key: string) => boolean,
): object {
  const ways = offerings.map(
    ({ zone, capacityType, price, available }) => `${zone} ${capacityType} ${price}${available ? "" : " sold out"}`,
  );
  const asked = requirements.filter(({ key }) => isMentioned(key));
  const labels = asked.map(({ key, operator, values = [] }) => `${key} ${operator} ${values.join(",")}`.trim());
  return { name, capacity, overhead, offerings: ways, requirements: labels };
}

/** Pods that are written alike stand there once, with their names. */
function alike({ pods }: Problem): readonly object[] {
  const groups = new Map<string, { readonly names: string[]; readonly rest: object }>();
  for (const { metadata, spec } of pods) {
    const { schedulerName: _, terminationGracePeriodSeconds: __, restartPolicy: ___, ...own } = spec;
    const rest = { ...pick(metadata, ["namespace", "labels"]), ...own };
    const key = JSON.stringify(rest);
    const group = groups.get(key) ?? { names: [], rest };
    groups.set(key, group);
    group.names.push(metadata.name);
  }
  return [...groups.values()].map(({ names, rest }) => ({ names: names.join(" "), ...rest }));
}

function shortAnswer({ nodeClaims, existingNodes, podErrors }: CheckedAnswer): object {
  return {
    claims: nodeClaims.map(({ nodePool, requirements, instanceTypes, pods }) => ({
      nodePool,
      requirements: requirements.map(({ key, operator, values = [] }) =>
        `${key} ${operator} ${values.join(",")}`.trim(),
      ),
      instanceTypes,
      pods,
    })),
    existingNodes: existingNodes.filter(({ pods }) => pods.length > 0),
    podErrors,
  };
}

function pick<T extends object>(of: T, keys: readonly (keyof T)[]): Partial<T> {
  const chosen: Partial<T> = {};
  for (const key of keys) if (of[key] !== undefined) chosen[key] = of[key];
  return chosen;
}
