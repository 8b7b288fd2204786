import type { CloudCommand, LaunchInstance } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { addressesOf } from "./addresses.ts";
import { Capacity } from "./capacity.ts";
import type { Ec2Delays } from "./delays.ts";
import { Images } from "./images.ts";
import { type InstanceRecord, Instances, instanceOf, stateOf } from "./instances.ts";
import { type Ready, resolveLaunch } from "./launch.ts";
import { LaunchTemplates } from "./launch-templates.ts";
import { LaunchTokens } from "./launch-tokens.ts";
import { Network } from "./network.ts";
import type { Ec2Options } from "./options.ts";
import { Profiles } from "./profiles.ts";
import { usualLatestVersions } from "./published-image.ts";
import { Reservations } from "./reservations.ts";
import { groupsOf } from "./template-details.ts";

export const usualAccount = "111122223333";

/** What the account tells of its instances. */
export interface AccountListener {
  /** The machine will have `address` in its subnet. */
  readonly launched: (record: InstanceRecord, launch: Ready, address: string) => void;
  readonly stateChanged: (record: InstanceRecord) => void;
}

/** One account in one region: what exists in it, and what each command does to it, at once and without delay. */
export class Account {
  readonly network: Network;
  readonly images: Images;
  readonly profiles: Profiles;
  readonly templates = new LaunchTemplates();
  readonly capacity = new Capacity();
  readonly reservations: Reservations;
  readonly instances: Instances;
  readonly #tokens = new LaunchTokens();
  readonly #types: ReadonlyMap<string, CatalogueType>;
  readonly #held = new Map<string, { readonly launch: Ready; readonly address: string }>();
  readonly #clock: VirtualClock;
  readonly #seed: number;
  readonly #listener: AccountListener;

  constructor(clock: VirtualClock, delays: Ec2Delays, options: Ec2Options, listener: AccountListener) {
    const { seed, catalogue, clusterName } = options;
    const obliging = options.obliging ?? true;
    const zones = [...new Set(catalogue.types.flatMap((type) => type.zones))].sort();
    this.network = new Network(catalogue.region, zones, clusterName, obliging);
    this.images = new Images(options.account ?? usualAccount, obliging, { ...usualLatestVersions, ...options.latest });
    this.reservations = new Reservations(obliging);
    this.profiles = new Profiles(clusterName, obliging);
    this.#types = new Map(catalogue.types.map((type) => [type.name, type]));
    this.#clock = clock;
    this.#seed = seed;
    this.#listener = listener;
    this.instances = new Instances(clock, seed, delays, (record) => this.#stateChanged(record));
  }

  carryOut(command: CloudCommand): Outcome {
    switch (command.kind) {
      case "ensure-launch-template":
        this.templates.ensure(command);
        return { kind: "done" };
      case "launch-instance":
        return this.#launch(command);
      case "terminate-instance":
        return this.#withInstance(command.instanceId, (record) => this.instances.terminate(record));
      case "tag-instance":
        return this.#withInstance(command.instanceId, (record) => {
          record.tags = { ...record.tags, ...command.tags };
        });
      case "ensure-cloud-resource":
        this.profiles.register(command.name, String(command.content.role ?? ""));
        return { kind: "done" };
      case "delete-cloud-resource":
        if (command.type === "instance-profile") this.profiles.delete(command.name);
        else this.templates.delete(command.name);
        return { kind: "done" };
    }
  }

  #launch(command: LaunchInstance): Outcome {
    const known = this.#tokens.look(command);
    if (known.kind === "mismatch") {
      const message = `token ${command.token} was used with other parameters`;
      return failed({ kind: "token-mismatch", code: "IdempotentParameterMismatch", message });
    }
    if (known.kind === "same") {
      return known.result.kind === "failed"
        ? failed(known.result.fault)
        : this.#again(known.result.instanceId, command);
    }
    const resolved = resolveLaunch(command, {
      seed: this.#seed,
      nowMs: this.#clock.nowMs(),
      types: this.#types,
      templates: this.templates,
      network: this.network,
      capacity: this.capacity,
      reservations: this.reservations,
      imageOf: (id) => this.images.byId(id),
      hasProfile: (name) => this.profiles.has(name),
    });
    if (resolved.kind !== "ready") {
      this.#tokens.remember(command, { kind: "failed", fault: resolved });
      return failed(resolved);
    }
    const record = this.#start(resolved, command);
    this.#tokens.remember(command, { kind: "launched", instanceId: record.id });
    return { kind: "done", instance: instanceOf(record, stateOf(record)) };
  }

  #again(instanceId: string, command: LaunchInstance): Outcome {
    const record = this.instances.get(instanceId);
    const state = record === undefined ? "terminated" : stateOf(record);
    if (record !== undefined && state !== "shutting-down" && state !== "terminated") {
      return { kind: "done", instance: instanceOf(record, state) };
    }
    const message = `the instance of token ${command.token} is gone`;
    return failed({ kind: "token-instance-terminated", code: "IdempotentInstanceTerminated", message });
  }

  #start(launch: Ready, command: LaunchInstance): InstanceRecord {
    const { instanceType, zone, pricePerHour, type, template, image, subnet, reservationId } = launch;
    const { capacityType, tags } = command;
    const address = subnet.addresses.take(addressesOf(type));
    if (address === undefined) throw new Error(`subnet ${subnet.id} was taken for one with free addresses`);
    if (reservationId === undefined) this.capacity.take({ instanceType, zone, capacityType });
    else this.reservations.take(reservationId);
    const record = this.instances.launch({
      ...{ instanceType, zone, capacityType, pricePerHour, tags },
      imageId: image.id,
      subnetId: subnet.id,
      securityGroupIds: groupsOf(template),
      ...(reservationId === undefined ? {} : { reservationId }),
    });
    this.#held.set(record.id, { launch, address });
    this.#listener.launched(record, launch, address);
    return record;
  }

  #withInstance(id: string, act: (record: InstanceRecord) => void): Outcome {
    const record = this.instances.get(id);
    if (record === undefined || !this.instances.isKnown(record)) {
      return failed({ kind: "not-found", code: "InvalidInstanceID.NotFound", message: `no instance ${id}` });
    }
    act(record);
    return { kind: "done", instance: instanceOf(record, stateOf(record)) };
  }

  #stateChanged(record: InstanceRecord): void {
    const held = this.#held.get(record.id);
    if (stateOf(record) === "terminated" && held !== undefined) {
      this.#held.delete(record.id);
      if (record.reservationId === undefined) this.capacity.giveBack(record);
      else this.reservations.giveBack(record.reservationId);
      held.launch.subnet.addresses.giveBack(held.address, addressesOf(held.launch.type));
    }
    this.#listener.stateChanged(record);
  }
}

function failed(fault: Fault): Outcome {
  return { kind: "failed", fault };
}
