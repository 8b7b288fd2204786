/**
 * Where the volumes of a pod can be. Karpenter counterpart: pkg/controllers/provisioning/scheduling/volumetopology.go.
 * It differs: a volume on the disk of a node that is there ties the pod to that node (Karpenter makes another node, where
 * the pod never starts); only when the node is gone or going is its name forgotten. Zone labels of a volume count, as
 * they do for kube-scheduler. Volumes that exclude each other leave nothing, and that is the reason given.
 */
import type { PersistentVolume, StorageClass } from "#api/core-v1/cluster-objects.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "#api/core-v1/pod.ts";
import { hostnameLabel, regionLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { normalizedKey } from "../requirements/requirement.ts";
import {
  impossibleKey,
  intersectRequirements,
  keyOfRequirements,
  noRequirements,
  type Requirements,
  requirementsOf,
} from "../requirements/requirements.ts";

/** OR-ed; an empty list: no place at all. */
export type Alternatives = readonly Requirements[];

export const anywhere: Alternatives = [noRequirements];

/** More alternatives than this are cut; equal ones have become one, so it takes many different lists to get there. */
const alternativesMax = 256;

/** `isStaying`: a node of that name is there and is not going away. */
export function placesOfVolume(volume: PersistentVolume, isStaying: (hostname: string) => boolean): Alternatives {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  const own = terms === undefined ? anywhere : terms.flatMap((term) => placesOfTerm(term, volume, isStaying));
  const labels = zoneLabelsOf(volume);
  return labels.size === 0 ? own : together(own, [labels]);
}

/** For a volume that will be made where its first pod runs. */
export function placesOfClass({ allowedTopologies = [] }: StorageClass): Alternatives {
  const terms = allowedTopologies
    .map(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) => requirementsOf(expressions.map(({ key, values }) => ({ key, operator: "In", values }))));
  return terms.length === 0 ? anywhere : terms;
}

/** Each with each, without those that contradict themselves; sorted, distinct. */
export function together(a: Alternatives, b: Alternatives): Alternatives {
  if (b === anywhere) return a;
  const byText = new Map<string, Requirements>();
  for (const one of a) {
    for (const other of b) {
      const both = intersectRequirements(one, other);
      if (impossibleKey(both) === undefined) byText.set(keyOfRequirements(both), both);
    }
  }
  const sorted = [...byText].sort(([first], [second]) => (first < second ? -1 : 1));
  return sorted.slice(0, alternativesMax).map(([, requirements]) => requirements);
}

/** Kubernetes: a term without expressions selects no node; fields cannot be asked of a node that is to be made. */
function placesOfTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { spec }: PersistentVolume,
  isStaying: (hostname: string) => boolean,
): Alternatives {
  if (matchExpressions.length === 0 || matchFields.length > 0) return [];
  const onDisk = spec.local !== undefined || spec.hostPath !== undefined;
  const isForgotten = ({ key, values = [] }: NodeSelectorRequirement): boolean =>
    onDisk && key === hostnameLabel && !values.some(isStaying);
  return [requirementsOf(matchExpressions.filter((expression) => !isForgotten(expression)))];
}

/** Kubernetes' older way to say it: several zones are joined by two underscores. */
function zoneLabelsOf({ metadata }: PersistentVolume): Requirements {
  const labels = Object.entries(metadata.labels ?? {})
    .map(([key, value]) => ({ key: normalizedKey(key), operator: "In" as const, values: value.split("__") }))
    .filter(({ key }) => key === zoneLabel || key === regionLabel);
  return requirementsOf(labels);
}
