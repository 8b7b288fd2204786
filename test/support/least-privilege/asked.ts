/** What IAM is asked when a recorded call is made: actions on resources, with the tags that conditions look at. */

export interface RecordedCall {
  readonly service: string;
  readonly action: string;
  /** Of EC2's and IAM's protocol; others are known by name alone. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** One question to IAM. */
export interface Asked {
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string | string[]>>;
}

export interface AccountFacts {
  readonly account: string;
  readonly region: string;
  readonly clusterName: string;
}

type Tags = Readonly<Record<string, string>>;

/** `Prefix.N.Key` and `.Value` as an object. */
function tagsAt(parameters: RecordedCall["parameters"], prefix: string): Tags {
  const tags: Record<string, string> = {};
  for (let n = 1; parameters[`${prefix}.${n}.Key`] !== undefined; n++) {
    tags[parameters[`${prefix}.${n}.Key`] ?? ""] = parameters[`${prefix}.${n}.Value`] ?? "";
  }
  return tags;
}

/** Tags by the type of what is made. */
function specifications(parameters: RecordedCall["parameters"], prefix: string): ReadonlyMap<string, Tags> {
  const found = new Map<string, Tags>();
  for (let n = 1; parameters[`${prefix}.${n}.ResourceType`] !== undefined; n++) {
    found.set(parameters[`${prefix}.${n}.ResourceType`] ?? "", tagsAt(parameters, `${prefix}.${n}.Tag`));
  }
  return found;
}

function listAt(parameters: RecordedCall["parameters"], prefix: string): readonly string[] {
  return Object.entries(parameters).flatMap(([name, value]) => (name.startsWith(`${prefix}.`) ? [value] : []));
}

const requestTags = (tags: Tags): Asked["context"] => ({
  ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:RequestTag/${key}`, value])),
  "aws:TagKeys": Object.keys(tags),
});
const resourceTags = (tags: Tags): Asked["context"] =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value]));

/** Reads a run's calls in their order and remembers what they made, since a later call is judged by its tags. */
export class Questions {
  readonly #facts: AccountFacts;
  readonly #templates = new Map<string, { readonly tags: Tags; readonly made: ReadonlyMap<string, Tags> }>();
  readonly #profiles = new Map<string, { readonly arn: string; readonly tags: Tags }>();
  /** Of instances, by id: what the run's launches gave them. */
  readonly #instances: ReadonlyMap<string, Tags>;

  constructor(facts: AccountFacts, instances: ReadonlyMap<string, Tags>) {
    this.#facts = facts;
    this.#instances = instances;
  }

  /** Empty for a call that IAM is not asked about, or that is none of the functions'. */
  of({ service, action, parameters }: RecordedCall): readonly Asked[] {
    if (service === "ec2") return this.#ofEc2(action, parameters);
    if (service === "iam") return this.#ofIam(action, parameters);
    return this.#byName(service, action);
  }

  #ofEc2(action: string, parameters: RecordedCall["parameters"]): readonly Asked[] {
    switch (action) {
      case "CreateLaunchTemplate":
        return this.#createTemplate(parameters);
      case "CreateFleet":
        return this.#createFleet(parameters);
      case "RunInstances":
        return this.#launch("RunInstances", specifications(parameters, "TagSpecification"), undefined);
      case "DeleteLaunchTemplate": {
        const { tags = {} } = this.#templates.get(parameters.LaunchTemplateName ?? "") ?? {};
        return [
          this.#asked(
            "ec2:DeleteLaunchTemplate",
            this.#ec2("launch-template/lt-0123456789abcdef0"),
            resourceTags(tags),
          ),
        ];
      }
      case "TerminateInstances":
        return listAt(parameters, "InstanceId").map((id) =>
          this.#asked(
            "ec2:TerminateInstances",
            this.#ec2(`instance/${id}`),
            resourceTags(this.#instances.get(id) ?? {}),
          ),
        );
      case "CreateTags":
        return listAt(parameters, "ResourceId").map((id) =>
          this.#asked("ec2:CreateTags", this.#ec2(`instance/${id}`), {
            ...resourceTags(this.#instances.get(id) ?? {}),
            ...requestTags(tagsAt(parameters, "Tag")),
          }),
        );
      default:
        return [this.#asked(`ec2:${action}`, "*", {})];
    }
  }

  #createTemplate(parameters: RecordedCall["parameters"]): readonly Asked[] {
    const tags = specifications(parameters, "TagSpecification").get("launch-template") ?? {};
    const made = specifications(parameters, "LaunchTemplateData.TagSpecification");
    this.#templates.set(parameters.LaunchTemplateName ?? "", { tags, made });
    const resource = this.#ec2("launch-template/lt-0123456789abcdef0");
    return [
      this.#asked("ec2:CreateLaunchTemplate", resource, requestTags(tags)),
      this.#asked("ec2:CreateTags", resource, { ...requestTags(tags), "ec2:CreateAction": "CreateLaunchTemplate" }),
    ];
  }

  /** An instant fleet launches in the name of its caller: EC2 asks for both actions. */
  #createFleet(parameters: RecordedCall["parameters"]): readonly Asked[] {
    const name = parameters["LaunchTemplateConfigs.1.LaunchTemplateSpecification.LaunchTemplateName"] ?? "";
    const template = this.#templates.get(name);
    const made = specifications(parameters, "TagSpecification");
    const all = new Map([...(template?.made ?? []), ...made]);
    return [...this.#launch("CreateFleet", made, template?.tags), ...this.#launch("RunInstances", all, template?.tags)];
  }

  #launch(
    action: "CreateFleet" | "RunInstances",
    made: ReadonlyMap<string, Tags>,
    template: Tags | undefined,
  ): readonly Asked[] {
    const { region } = this.#facts;
    const launches =
      action === "CreateFleet"
        ? ["fleet", "instance"]
        : ["instance", "volume", "network-interface", "spot-instances-request"];
    const ids: Readonly<Record<string, string>> = {
      fleet: "fleet/fleet-0123",
      "spot-instances-request": "spot-instances-request/sir-0123",
    };
    const resourceOf = (type: string): string =>
      this.#ec2(ids[type] ?? `${type}/${type.slice(0, 1)}-0123456789abcdef0`);
    const present = launches.filter((type) => made.has(type));
    return [
      ...present.map((type) => this.#asked(`ec2:${action}`, resourceOf(type), requestTags(made.get(type) ?? {}))),
      ...present.map((type) =>
        this.#asked("ec2:CreateTags", resourceOf(type), {
          ...requestTags(made.get(type) ?? {}),
          "ec2:CreateAction": action,
        }),
      ),
      ...(template === undefined
        ? []
        : [this.#asked(`ec2:${action}`, this.#ec2("launch-template/lt-0123456789abcdef0"), resourceTags(template))]),
      this.#asked(`ec2:${action}`, `arn:aws:ec2:${region}::image/ami-0123456789abcdef0`, {}),
      this.#asked(`ec2:${action}`, this.#ec2("subnet/subnet-0123456789abcdef0"), {}),
      ...(action === "CreateFleet"
        ? []
        : [
            this.#asked(`ec2:${action}`, this.#ec2("security-group/sg-0123456789abcdef0"), {}),
            ...this.#passRole("node"),
          ]),
    ];
  }

  #ofIam(action: string, parameters: RecordedCall["parameters"]): readonly Asked[] {
    const { account } = this.#facts;
    const name = parameters.InstanceProfileName ?? "";
    if (action === "ListInstanceProfiles") return [this.#asked("iam:ListInstanceProfiles", "*", {})];
    if (action === "CreateInstanceProfile") {
      const tags = tagsAt(parameters, "Tags.member");
      const arn = `arn:aws:iam::${account}:instance-profile${parameters.Path ?? "/"}${name}`;
      this.#profiles.set(name, { arn, tags });
      return ["iam:CreateInstanceProfile", "iam:TagInstanceProfile"].map((each) =>
        this.#asked(each, arn, requestTags(tags)),
      );
    }
    const { arn, tags } = this.#profiles.get(name) ?? {
      arn: `arn:aws:iam::${account}:instance-profile/${name}`,
      tags: {},
    };
    return [
      this.#asked(`iam:${action}`, arn, action === "GetInstanceProfile" ? {} : resourceTags(tags)),
      ...(action === "AddRoleToInstanceProfile" ? this.#passRole(parameters.RoleName ?? "") : []),
    ];
  }

  #passRole(role: string): readonly Asked[] {
    const resource = `arn:aws:iam::${this.#facts.account}:role/${role}`;
    return [this.#asked("iam:PassRole", resource, { "iam:PassedToService": "ec2.amazonaws.com" })];
  }

  /** Calls whose bodies are not kept: the resource is the only one that the functions name. */
  #byName(service: string, action: string): readonly Asked[] {
    const { account, region, clusterName } = this.#facts;
    const cluster = `arn:aws:eks:${region}:${account}:cluster/${clusterName}`;
    const entry = `arn:aws:eks:${region}:${account}:access-entry/${clusterName}/role/${account}/node/0123`;
    if (service === "eks" && /^GET \/clusters\/[^/]+$/.test(action))
      return [this.#asked("eks:DescribeCluster", cluster, {})];
    if (service === "eks" && /access-entries$/.test(action)) return [this.#asked("eks:ListAccessEntries", cluster, {})];
    if (service === "eks" && /access-entries\//.test(action))
      return [this.#asked("eks:DescribeAccessEntry", entry, {})];
    return [];
  }

  #ec2(path: string): string {
    const { account, region } = this.#facts;
    return `arn:aws:ec2:${region}:${account}:${path}`;
  }

  #asked(action: string, resource: string, context: Asked["context"]): Asked {
    return { action, resource, context: { "aws:RequestedRegion": this.#facts.region, ...context } };
  }
}
