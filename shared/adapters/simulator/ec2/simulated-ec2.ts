import type { CloudCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { MachineListener } from "../machine.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import { Account, usualAccount } from "./account.ts";
import { type Bill, billOf } from "./bill.ts";
import { type Ec2Delays, usualDelays } from "./delays.ts";
import { KeptCatalogue } from "./embedded-catalogue.ts";
import { EventBus, goodManners } from "./event-bus.ts";
import { FaultScript, throttled } from "./fault-script.ts";
import { type InstanceRecord, instanceOf, type LaunchFacts, stateOf } from "./instances.ts";
import type { Ready } from "./launch.ts";
import { addressIn, machineOf } from "./machines.ts";
import { type Ec2Event, messageOf } from "./messages.ts";
import type { Ec2Options } from "./options.ts";
import { read } from "./reading.ts";
import { drawDelayMs } from "./seeded-draw.ts";
import { reclaimedPoolMs, SpotMarket, warningMs } from "./spot-market.ts";

/**
 * EC2, SSM and IAM of one account on the virtual clock: the Cloud port, and by its other members what happens from
 * outside (interruptions, shortages, faults) and what it costs.
 */
export class SimulatedEc2 implements Cloud<Ec2Query, Ec2View> {
  readonly bus: EventBus;
  /** What exists: shortages are scripted by `account.capacity`, new images by `account.images`. */
  readonly account: Account;
  readonly script = new FaultScript();
  readonly #clock: VirtualClock;
  readonly #machines: MachineListener;
  readonly #options: Ec2Options;
  readonly #delays: Ec2Delays;
  readonly #market: SpotMarket;
  readonly #catalogue: KeptCatalogue;
  #calls = 0;
  #messages = 0;

  constructor(clock: VirtualClock, machines: MachineListener, options: Ec2Options) {
    this.#clock = clock;
    this.#machines = machines;
    this.#options = options;
    this.#catalogue = new KeptCatalogue(options.catalogue);
    this.#delays = { ...usualDelays, ...options.delays };
    this.bus = new EventBus(clock, options.seed, this.#delays.deliveryMs, options.manners ?? goodManners);
    this.account = new Account(clock, this.#delays, options, {
      launched: (record, launch, address) => this.#launched(record, launch, address),
      stateChanged: (record) => this.#stateChanged(record),
    });
    this.#market = new SpotMarket(clock, options.seed, options.interruptionsPerHour ?? 0, {
      interrupt: (instanceId) => this.interrupt(instanceId),
      recommendRebalance: (instanceId) => this.announce(instanceId, { kind: "rebalance-recommendation" }),
    });
  }

  readonly observe = async (query: Ec2Query): Promise<CloudObservation<Ec2View>> => {
    await this.#reply("observe");
    const catalogue = this.#catalogue.at(this.#clock.nowMs());
    return read(query, this.account, catalogue, this.#options.clusterName, this.script.nextRead());
  };

  readonly apply = async (command: CloudCommand): Promise<Outcome> => {
    const scripted = this.script.nextCall(command.kind);
    const refused: Outcome = { kind: "failed", fault: scripted?.fault ?? throttled };
    const outcome = scripted?.effect === "none" ? refused : this.account.carryOut(command);
    await this.#reply(command.kind);
    return scripted === undefined ? outcome : refused;
  };

  /** A spot warning now and, two minutes later, the end; the pool has nothing to give for a while. */
  interrupt(instanceId: string): void {
    const record = this.#alive(instanceId);
    if (record === undefined) return;
    const nowMs = this.#clock.nowMs();
    const { instanceType, zone, capacityType } = record;
    this.account.capacity.limit({ instanceType, zone, capacityType }, 0, nowMs + reclaimedPoolMs);
    this.announce(instanceId, { kind: "spot-interruption" });
    this.#clock.after(warningMs, () => this.account.instances.terminate(record));
  }

  /** Puts an event about a living instance on the bus, and changes nothing else. */
  announce(instanceId: string, event: Ec2Event): void {
    const record = this.#alive(instanceId);
    if (record !== undefined) this.#publish(record, event);
  }

  /** Somebody terminates or stops it by hand. */
  endByHand(instanceId: string, how: "terminate" | "stop"): void {
    const record = this.account.instances.get(instanceId);
    if (record === undefined) return;
    if (how === "terminate") this.account.instances.terminate(record);
    else this.account.instances.stop(record);
  }

  /** An instance that Outrigger did not launch; `tags` decide whether reads show it. It never joins. */
  launchForeign(facts: LaunchFacts): string {
    return this.account.instances.launch(facts).id;
  }

  /** Machines that are there already, by instance id and by node name: new ones get neither the ids nor the names. */
  avoid(instanceIds: readonly string[], nodeNames: readonly string[]): void {
    this.account.instances.avoid(instanceIds);
    this.account.network.avoid(nodeNames.flatMap((name) => addressIn(name) ?? []));
  }

  /** Every instance that ever was, as it truly is, in order of launch. */
  instances(): readonly InstanceRecord[] {
    return this.account.instances.all();
  }

  bill(): Bill {
    return billOf(this.account.instances.all(), this.#clock.nowMs());
  }

  #alive(instanceId: string): InstanceRecord | undefined {
    const record = this.account.instances.get(instanceId);
    if (record === undefined) return undefined;
    const state = stateOf(record);
    return state === "shutting-down" || state === "terminated" ? undefined : record;
  }

  #launched(record: InstanceRecord, launch: Ready, address: string): void {
    this.#market.launched(record);
    const machine = machineOf(record, launch, address, this.#options.catalogue.region);
    this.#clock.after(drawDelayMs(this.#options.seed, `${record.id} boot`, this.#delays.bootMs), () => {
      if (this.#alive(record.id) === record) this.#machines.booted(machine);
    });
  }

  #stateChanged(record: InstanceRecord): void {
    const state = stateOf(record);
    this.#publish(record, { kind: "state-change", state });
    if (state === "stopping" || state === "terminated") this.#machines.gone(record.id);
  }

  #publish(record: InstanceRecord, event: Ec2Event): void {
    this.bus.publish(
      messageOf(event, instanceOf(record, stateOf(record)), {
        account: this.#options.account ?? usualAccount,
        region: this.#options.catalogue.region,
        nowMs: this.#clock.nowMs(),
        sequence: this.#messages++,
      }),
    );
  }

  async #reply(call: CloudCommand["kind"] | "observe"): Promise<void> {
    const range = call === "launch-instance" ? this.#delays.launchReplyMs : this.#delays.replyMs;
    const delayMs = drawDelayMs(this.#options.seed, `call ${this.#calls++}`, range);
    if (delayMs > 0) await this.#clock.sleepUntil(this.#clock.nowMs() + delayMs);
  }
}
