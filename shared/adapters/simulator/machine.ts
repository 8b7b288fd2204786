import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Bootstrap } from "#core/command.ts";

/** What a simulated cloud tells the simulated kubelet about an instance that has booted. */
export interface Machine {
  readonly instanceId: string;
  readonly providerID: string;
  readonly nodeName: string;
  readonly instanceType: string;
  readonly zone: string;
  /** `use1-az2`: the zone by the name that is the same in every account; absent: the cloud has none. */
  readonly zoneId?: string;
  readonly region: string;
  readonly arch: string;
  readonly os: string;
  readonly bootstrap: Bootstrap;
  /** What this machine really has; may differ a little from the estimate that decided its launch. */
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

/** The kubelet's side: a machine came up, or is gone. */
export interface MachineListener {
  readonly booted: (machine: Machine) => void;
  readonly gone: (instanceId: string) => void;
}

/** A message on the simulated event bus, in EventBridge's envelope; only `detail` differs by kind. */
export interface BusMessage {
  readonly version: string;
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}
