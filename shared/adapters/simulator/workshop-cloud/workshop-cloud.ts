import type { CloudCommand, EnsureLaunchTemplate, LaunchInstance } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { MachineListener } from "../machine.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { type MachineType, machineTypes, region } from "./machine-types.ts";
import type { WorkshopQuery, WorkshopView } from "./workshop-view.ts";

/** From the order of a machine until its system is up. */
const bootMs = 15_000;
const editions: Readonly<Record<string, string>> = { plain: "plain-7" };

/** The workshop's counter: takes orders for machines at once, keeps no memory of those returned. */
export class WorkshopCloud implements Cloud<WorkshopQuery, WorkshopView> {
  readonly #clock: VirtualClock;
  readonly #listener: MachineListener;
  readonly #recipes = new Map<string, EnsureLaunchTemplate>();
  /** By token: what was ordered, whole, and the machine. */
  readonly #orders = new Map<string, { readonly order: string; readonly id: string }>();
  readonly #machines = new Map<string, Instance>();
  #made = 0;

  constructor(clock: VirtualClock, listener: MachineListener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  readonly observe = async ({ systems }: WorkshopQuery): Promise<CloudObservation<WorkshopView>> => ({
    instances: [...this.#machines.values()],
    incomplete: [],
    view: {
      editions: Object.fromEntries(Object.entries(editions).filter(([system]) => systems.includes(system))),
      machineTypes,
    },
  });

  readonly apply = async (command: CloudCommand): Promise<Outcome> => {
    switch (command.kind) {
      case "ensure-launch-template":
        this.#recipes.set(command.name, command);
        return { kind: "done" };
      case "launch-instance":
        return this.#order(command);
      case "tag-instance":
        return this.#change(command.instanceId, (machine) => ({
          ...machine,
          tags: { ...machine.tags, ...command.tags },
        }));
      case "terminate-instance":
        return this.#change(command.instanceId, (machine) => ({ ...machine, state: "terminated" }));
      // A workshop has nothing but machines and recipes.
      case "ensure-cloud-resource":
      case "delete-cloud-resource":
        return { kind: "done" };
    }
  };

  #order(command: LaunchInstance): Outcome {
    const earlier = this.#orders.get(command.token);
    const order = JSON.stringify(command);
    if (earlier !== undefined) {
      if (earlier.order !== order) return failed("token-mismatch", "another order");
      const machine = this.#machines.get(earlier.id);
      return machine === undefined || machine.state === "terminated"
        ? failed("token-instance-terminated", "returned")
        : { kind: "done", instance: machine };
    }
    const option = command.options[0];
    const recipe = this.#recipes.get(option?.launchTemplate ?? "");
    const type = machineTypes.find(({ name }) => name === option?.instanceType);
    if (option === undefined || recipe === undefined || type === undefined) return failed("launch-refused", "unknown");
    const id = `m${++this.#made}`;
    const machine: Instance = {
      ...{ id, providerID: `workshop:///${option.zone}/${id}`, state: "running", instanceType: type.name },
      ...{ zone: option.zone, capacityType: command.capacityType, imageId: recipe.imageId },
      ...{ launchedAtMs: this.#clock.nowMs(), tags: command.tags },
    };
    this.#orders.set(command.token, { order, id });
    this.#machines.set(id, machine);
    this.#clock.after(bootMs, () => {
      if (this.#machines.get(id)?.state === "running") this.#boot(machine, type, recipe);
    });
    return { kind: "done", instance: machine };
  }

  #boot(machine: Instance, type: MachineType, { bootstrap }: EnsureLaunchTemplate): void {
    const { id: instanceId, providerID, instanceType, zone } = machine;
    const rest = { memory: `${type.memoryGiB}Gi`, "ephemeral-storage": "100Gi", pods: String(type.places) };
    this.#listener.booted({
      ...{ instanceId, providerID, instanceType, zone, region, arch: "amd64", os: "linux", bootstrap },
      nodeName: `${type.family}-${instanceId}`,
      capacity: { cpu: String(type.cores), ...rest },
      allocatable: { ...rest, cpu: `${type.cores * 1000 - 100}m`, memory: `${type.memoryGiB * 1024 - 512}Mi` },
    });
  }

  #change(id: string, change: (machine: Instance) => Instance): Outcome {
    const machine = this.#machines.get(id);
    if (machine === undefined) return failed("not-found", "unknown");
    const changed = change(machine);
    this.#machines.set(id, changed);
    if (changed.state === "terminated" && machine.state !== "terminated") this.#listener.gone(id);
    return { kind: "done", instance: changed };
  }
}

function failed(kind: Fault["kind"], code: string): Outcome {
  return { kind: "failed", fault: { kind, code, message: `the workshop answers: ${code}` } };
}
