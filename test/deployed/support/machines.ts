import { DescribeInstancesCommand, type EC2Client, type Instance } from "@aws-sdk/client-ec2";
import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import { machineResources } from "#simulator/ec2/machine-resources.ts";
import type { Machine, MachineListener } from "#simulator/machine.ts";
import type { StandIn } from "../../support/aws/stand-in.ts";
import { bootstrapIn } from "./node-config.ts";

const lookEveryMs = 500;

/** Tells the kubelets of the stand-in's instances: which run, with the user data that they were launched with, and which are gone. */
export class Machines {
  readonly #standIn: StandIn;
  readonly #ec2: EC2Client;
  readonly #listener: MachineListener;
  readonly #known = new Set<string>();
  #stopped = false;

  constructor(standIn: StandIn, ec2: EC2Client, listener: MachineListener) {
    this.#standIn = standIn;
    this.#ec2 = ec2;
    this.#listener = listener;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      await this.#look().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async instances(): Promise<readonly Instance[]> {
    const { Reservations = [] } = await this.#ec2.send(new DescribeInstancesCommand({ MaxResults: 1_000 }));
    return Reservations.flatMap((reservation) => reservation.Instances ?? []);
  }

  /** Instances that are not on their way out. */
  async living(): Promise<readonly Instance[]> {
    const ended = ["shutting-down", "terminated"];
    return (await this.instances()).filter(({ State }) => !ended.includes(State?.Name ?? ""));
  }

  async #look(): Promise<void> {
    for (const instance of await this.instances()) {
      const { InstanceId: id = "", State } = instance;
      if (State?.Name === "running" && !this.#known.has(id)) {
        this.#known.add(id);
        this.#listener.booted(await this.#machineOf(instance));
      } else if (State?.Name === "terminated" && this.#known.has(id)) this.#listener.gone(id);
    }
  }

  async #machineOf({ InstanceId: instanceId = "", InstanceType, Placement }: Instance): Promise<Machine> {
    const instanceType = String(InstanceType);
    const data = await this.#standIn.launchedWith(instanceId);
    const bootstrap = bootstrapIn(String(data.UserData));
    const type = embeddedCatalogue().types.find(({ name }) => name === instanceType);
    if (type === undefined) throw new Error(`the catalogue has no ${instanceType}`);
    const zone = Placement?.AvailabilityZone ?? "";
    const template = {
      ...{ kind: "ensure-launch-template" as const, name: "", imageId: String(data.ImageId), tags: {}, details: {} },
      bootstrap,
    };
    return {
      ...{ instanceId, instanceType, zone, region: this.#standIn.region, arch: type.arch, os: "linux", bootstrap },
      providerID: `aws:///${zone}/${instanceId}`,
      nodeName: `${instanceId}.ec2.internal`,
      ...machineResources(type, template),
    };
  }
}
