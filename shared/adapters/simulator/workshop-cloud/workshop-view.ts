import type { NodeClassReference } from "#api/karpenter-v1/nodepool.ts";
import type { ClusterView, NodeClass } from "#core/snapshot.ts";
import type { MachineType } from "./machine-types.ts";
import { type WorkshopClass, workshopGroup, workshopKind } from "./workshop-class.ts";

export interface WorkshopQuery {
  readonly systems: readonly string[];
}

export interface WorkshopView {
  /** Edition by system; systems that do not exist are absent. */
  readonly editions: Readonly<Record<string, string>>;
  readonly machineTypes: readonly MachineType[];
}

function isWorkshopClass(object: NodeClass): object is WorkshopClass {
  return object.kind === workshopKind;
}

export function classesOf(cluster: ClusterView): readonly WorkshopClass[] {
  return cluster.nodeClasses.filter(isWorkshopClass);
}

export function classFor(cluster: ClusterView, reference: NodeClassReference): WorkshopClass | undefined {
  if (reference.group !== workshopGroup || reference.kind !== workshopKind) return undefined;
  return classesOf(cluster).find(({ metadata }) => metadata.name === reference.name);
}
