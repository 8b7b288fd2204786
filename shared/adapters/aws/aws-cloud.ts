import { CreateTagsCommand, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import type { CloudCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import { isDryRunTemplate } from "#ec2/node-class/dry-run.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cloud } from "#ports/cloud.ts";
import { CatalogueStore } from "./catalogue-store.ts";
import { type AwsAccess, type AwsClients, awsClients } from "./clients.ts";
import { faultOf } from "./fault-table.ts";
import { deleteInstanceProfile, ensureInstanceProfile } from "./instance-profiles.ts";
import { LaunchTemplates } from "./launch-templates.ts";
import { Launches } from "./launches.ts";
import { observeAws } from "./observation.ts";
import { ReadCache } from "./read-cache.ts";
import { type Reader, type Refresh, selectorKeptMs } from "./reader.ts";

export interface AwsCloudOptions extends AwsAccess {
  readonly clusterName: string;
  /** Where the `catalog` function keeps the region's instance types; absent: launches wait. */
  readonly catalogue?: { readonly bucket: string; readonly key: string };
  /** Absent: a minute each. */
  readonly refresh?: Refresh;
  /** Absent: clients of its own. */
  readonly clients?: AwsClients;
}

/** AWS itself behind the Cloud port. One object lives as long as its container; what it remembers is only a cache. */
export class AwsCloud implements Cloud<Ec2Query, Ec2View> {
  readonly #clients: AwsClients;
  readonly #reader: Reader;
  readonly #templates: LaunchTemplates;
  readonly #launches: Launches;

  constructor(options: AwsCloudOptions, clock: Clock) {
    this.#clients = options.clients ?? awsClients(options);
    const { reading, writing } = this.#clients;
    this.#reader = {
      clients: reading,
      dryRunner: writing.ec2,
      cache: new ReadCache(clock),
      refresh: options.refresh ?? { imagesMs: selectorKeptMs, subnetsMs: selectorKeptMs },
      catalogue: options.catalogue === undefined ? undefined : new CatalogueStore(reading.s3, options.catalogue, clock),
      clusterName: options.clusterName,
      region: options.region,
    };
    this.#templates = new LaunchTemplates(reading.ec2, writing.ec2);
    this.#launches = new Launches(writing.ec2, this.#templates, clock);
  }

  readonly observe = (query: Ec2Query): Promise<CloudObservation<Ec2View>> => observeAws(query, this.#reader);

  readonly apply = async (command: CloudCommand): Promise<Outcome> => {
    switch (command.kind) {
      case "ensure-launch-template":
        // Listed anew where the list is what asks for it.
        if (isDryRunTemplate(command.name)) this.#reader.cache.forget("ownTemplates");
        return this.#templates.ensure(command);
      case "launch-instance":
        return this.#launches.launch(command);
      case "terminate-instance":
        return this.#write(new TerminateInstancesCommand({ InstanceIds: [command.instanceId] }));
      case "tag-instance": {
        const Tags = Object.entries(command.tags).map(([Key, Value]) => ({ Key, Value }));
        if (Tags.length === 0) return { kind: "done" };
        return this.#write(new CreateTagsCommand({ Resources: [command.instanceId], Tags }));
      }
      case "ensure-cloud-resource":
        return this.#ensure(command);
      case "delete-cloud-resource":
        this.#reader.cache.forget(command.type === "instance-profile" ? "profiles" : "ownTemplates");
        return command.type === "instance-profile"
          ? deleteInstanceProfile(this.#clients.writing.iam, command.name)
          : this.#templates.delete(command.name);
    }
  };

  async #ensure(command: Extract<CloudCommand, { kind: "ensure-cloud-resource" }>): Promise<Outcome> {
    if (command.type !== "instance-profile") throw new Error(`no cloud resource of type ${command.type}`);
    this.#reader.cache.forget("profiles");
    return ensureInstanceProfile(this.#clients.writing.iam, command);
  }

  /** Both are idempotent, and the next tick repeats them. */
  async #write(command: TerminateInstancesCommand | CreateTagsCommand): Promise<Outcome> {
    try {
      if (command instanceof TerminateInstancesCommand) await this.#clients.writing.ec2.send(command);
      else await this.#clients.writing.ec2.send(command);
      return { kind: "done" };
    } catch (error) {
      return { kind: "failed", fault: faultOf(error) };
    }
  }
}
