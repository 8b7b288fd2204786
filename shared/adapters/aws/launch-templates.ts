import {
  CreateLaunchTemplateCommand,
  DeleteLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  type EC2Client,
  type RequestLaunchTemplateData,
} from "@aws-sdk/client-ec2";
import type { EnsureLaunchTemplate } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import { faultOf } from "./fault-table.ts";

/** Templates remembered, oldest out first; a container that lives for hours meets few. */
const rememberedMax = 500;

/**
 * Launch templates, created when absent. A name is a hash of the content, so one that exists is the right one; what a
 * container has seen it does not ask for again, and one that somebody deleted meanwhile shows at the launch.
 */
export class LaunchTemplates {
  readonly #reading: EC2Client;
  readonly #writing: EC2Client;
  readonly #known = new Map<string, EnsureLaunchTemplate>();

  constructor(reading: EC2Client, writing: EC2Client) {
    this.#reading = reading;
    this.#writing = writing;
  }

  async ensure(template: EnsureLaunchTemplate): Promise<Outcome> {
    if (this.#known.has(template.name)) return { kind: "done" };
    if ((await this.#exists(template.name)) !== true) {
      const outcome = await this.#create(template);
      if (outcome.kind === "failed") return outcome;
    }
    this.#remember(template);
    return { kind: "done" };
  }

  /** Makes those of `names` anew that are remembered; false when there was none of them. */
  async recreate(names: readonly string[]): Promise<boolean> {
    const known = names.flatMap((name) => this.#known.get(name) ?? []);
    const outcomes = await Promise.all(known.map((template) => this.#create(template)));
    return outcomes.length > 0 && outcomes.every(({ kind }) => kind === "done");
  }

  async delete(name: string): Promise<Outcome> {
    this.#known.delete(name);
    try {
      await this.#writing.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: name }));
      return { kind: "done" };
    } catch (error) {
      const fault = faultOf(error);
      return fault.kind === "not-found" ? { kind: "done" } : { kind: "failed", fault };
    }
  }

  imageOf(name: string): string | undefined {
    return this.#known.get(name)?.imageId;
  }

  /** Undefined: it could not be told. */
  async #exists(name: string): Promise<boolean | undefined> {
    try {
      const { LaunchTemplates: found } = await this.#reading.send(
        new DescribeLaunchTemplatesCommand({ Filters: [{ Name: "launch-template-name", Values: [name] }] }),
      );
      return (found ?? []).length > 0;
    } catch {
      return undefined;
    }
  }

  /** An answer that the name is taken means another invocation was first. */
  async #create(template: EnsureLaunchTemplate): Promise<Outcome> {
    const { name, imageId, details, tags } = template;
    const { UserData: text, ...others } = details;
    const data = { ...others, ImageId: imageId } as RequestLaunchTemplateData;
    if (typeof text === "string") data.UserData = Buffer.from(text, "utf8").toString("base64");
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    try {
      await this.#writing.send(
        new CreateLaunchTemplateCommand({
          LaunchTemplateName: name,
          LaunchTemplateData: data,
          ...(Tags.length === 0 ? {} : { TagSpecifications: [{ ResourceType: "launch-template", Tags }] }),
        }),
      );
      return { kind: "done" };
    } catch (error) {
      const fault = faultOf(error);
      return fault.kind === "already-exists" ? { kind: "done" } : { kind: "failed", fault };
    }
  }

  #remember(template: EnsureLaunchTemplate): void {
    const oldest = this.#known.keys().next();
    if (this.#known.size >= rememberedMax && oldest.done !== true) this.#known.delete(oldest.value);
    this.#known.set(template.name, template);
  }
}
