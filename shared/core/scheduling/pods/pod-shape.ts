/**
 * The parts of a pod that scheduling reads, as texts: equal for pods written alike. Each part is compiled once for all
 * pods that share its text, however they differ otherwise. Karpenter counterpart: none, because it looks at each pod by
 * itself.
 */
import type { Container, PodSpec } from "#api/core-v1/pod.ts";

/** Requests, host ports and devices. */
export function resourcesTextOf(spec: PodSpec): string {
  let text = "";
  for (const container of spec.containers) text += textOfContainer(container);
  for (const container of spec.initContainers ?? []) {
    text += `i${container.restartPolicy ?? ""}${textOfContainer(container)}`;
  }
  if (spec.overhead !== undefined) text += `o${textOfAmounts(spec.overhead)}`;
  if (spec.resources?.requests !== undefined) text += `p${textOfAmounts(spec.resources.requests)}`;
  if (spec.resourceClaims !== undefined) text += `d${spec.resourceClaims.length}`;
  return text;
}

/** nodeSelector, node affinity and tolerations. */
export function nodeTextOf({ nodeSelector, affinity, tolerations }: PodSpec): string {
  const nodeAffinity = affinity?.nodeAffinity;
  if (nodeSelector === undefined && nodeAffinity === undefined && tolerations === undefined) return "";
  return JSON.stringify([nodeSelector, nodeAffinity, tolerations]);
}

/** Rules between pods. */
export function rulesTextOf({ affinity, topologySpreadConstraints }: PodSpec): string {
  const { podAffinity, podAntiAffinity } = affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined && topologySpreadConstraints === undefined) return "";
  return JSON.stringify([podAffinity, podAntiAffinity, topologySpreadConstraints]);
}

function textOfContainer({ resources, ports }: Container): string {
  const claims = resources?.claims === undefined ? "" : `d${resources.claims.length}`;
  return `c${textOfAmounts(resources?.requests)}${claims}${ports === undefined ? "" : JSON.stringify(ports)}`;
}

function textOfAmounts(amounts: Readonly<Record<string, string>> | undefined): string {
  let text = "";
  // Neither names nor quantities contain these signs.
  for (const name in amounts) text += `${name}=${amounts[name] ?? ""},`;
  return `${text};`;
}
