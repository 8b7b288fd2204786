import type { Condition, KubeObject } from "#api/core-v1/meta.ts";
import { nodeClassKind } from "../kubernetes/api-server/resource-kinds.ts";

/** The node class of a made-up cloud that rents out workshop machines. */
export interface WorkshopClass extends KubeObject {
  readonly spec: {
    /** Halls in which machines may stand. */
    readonly halls: readonly string[];
    /** Name of the system that machines boot. */
    readonly system: string;
  };
  readonly status?: { readonly systemEdition?: string; readonly conditions?: readonly Condition[] };
}

export const workshopGroup = "workshop.example";
export const workshopKind = "WorkshopClass";
export const workshopLabel = "workshop.example/workshopclass";
export const familyLabel = "workshop.example/machine-family";

/** For the API server's kinds. */
export const workshopResource = nodeClassKind(workshopKind, `${workshopGroup}/v1`, "workshopclasses");
