import { describe, expect, test } from "vitest";
import type { CloudCommand, EnsureLaunchTemplate, LaunchInstance, LaunchOption } from "#core/command.ts";
import type { Instance } from "#core/instance.ts";
import type { Outcome } from "#core/outcome.ts";

/** A cloud of any provider, made anew for each test, with shorthands that wait. */
export interface LaunchingCloud {
  /** Two types that are sold in both zones. */
  readonly types: readonly [string, string];
  readonly zones: readonly [string, string];
  readonly capacityType: string;
  /** It has been carried out, and `option` launches with it. */
  readonly template: EnsureLaunchTemplate;
  readonly option: (instanceType: string, zone: string) => LaunchOption;
  /** Of the usual launch: `types[0]` in `zones[0]`. */
  readonly tags: Readonly<Record<string, string>>;
  /** An id as this cloud gives them, that no instance has. */
  readonly unknownId: string;
  readonly launch: (change: Partial<LaunchInstance>) => Promise<Outcome>;
  readonly apply: (command: CloudCommand) => Promise<Outcome>;
  readonly instances: () => Promise<readonly Instance[]>;
  /** Lets time pass: launches finish, terminations finish, reads catch up. */
  readonly settle: () => Promise<void>;
}

/** What the controllers rely on, whichever cloud it is. */
export function launchContract(name: string, begin: () => Promise<LaunchingCloud>): void {
  describe(`${name}: launching`, () => launching(begin));
  describe(`${name}: tokens`, () => tokens(begin));
  describe(`${name}: tags and termination`, () => ending(begin));
}

type Begin = () => Promise<LaunchingCloud>;

function launching(begin: Begin): void {
  test("a launched instance is reported as it was asked for", async () => {
    const cloud = await begin();
    const launched = instanceOf(await cloud.launch({}));
    const { capacityType } = cloud;
    expect(launched).toMatchObject({ instanceType: cloud.types[0], zone: cloud.zones[0], capacityType });
    await cloud.settle();
    const [listed, ...others] = await cloud.instances();
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ id: launched.id, state: "running", imageId: cloud.template.imageId, capacityType });
    expect(listed?.providerID).toBe(launched.providerID);
    expect(listed?.providerID.endsWith(`:///${cloud.zones[0]}/${launched.id}`)).toBe(true);
    expect(listed?.tags).toMatchObject(cloud.tags);
  });

  test("a launch template may be ensured again", async () => {
    const cloud = await begin();
    expect((await cloud.apply(cloud.template)).kind).toBe("done");
    expect((await cloud.apply(cloud.template)).kind).toBe("done");
  });

  test("an unknown launch template or instance type is refused for good", async () => {
    const cloud = await begin();
    const option = cloud.option(cloud.types[0], cloud.zones[0]);
    const template = await cloud.launch({
      token: "t-1",
      options: [{ ...option, launchTemplate: "nobody-made-this" }],
    });
    expect(faultKindOf(template)).toBe("launch-refused");
    const type = await cloud.launch({ token: "t-2", options: [{ ...option, instanceType: "x9.imaginary" }] });
    expect(faultKindOf(type)).toBe("launch-refused");
  });
}

function tokens(begin: Begin): void {
  test("the same request with the same token is the same instance", async () => {
    const cloud = await begin();
    const first = instanceOf(await cloud.launch({ token: "t-1" }));
    await cloud.settle();
    const second = instanceOf(await cloud.launch({ token: "t-1" }));
    expect(second.id).toBe(first.id);
    await cloud.settle();
    expect(await cloud.instances()).toHaveLength(1);
  });

  test("another request with the same token is refused, whatever differs", async () => {
    const cloud = await begin();
    await cloud.launch({ token: "t-1" });
    const other = await cloud.launch({ token: "t-1", options: [cloud.option(cloud.types[1], cloud.zones[0])] });
    expect(faultKindOf(other)).toBe("token-mismatch");
    const tagged = await cloud.launch({ token: "t-1", tags: { ...cloud.tags, extra: "1" } });
    expect(faultKindOf(tagged)).toBe("token-mismatch");
    await cloud.settle();
    expect(await cloud.instances()).toHaveLength(1);
  });

  test("a token whose instance was terminated launches nothing", async () => {
    const cloud = await begin();
    const { id } = instanceOf(await cloud.launch({ token: "t-1" }));
    await cloud.settle();
    await cloud.apply({ kind: "terminate-instance", instanceId: id });
    await cloud.settle();
    expect(faultKindOf(await cloud.launch({ token: "t-1" }))).toBe("token-instance-terminated");
  });
}

function ending(begin: Begin): void {
  test("tags are added to those that are there", async () => {
    const cloud = await begin();
    const { id } = instanceOf(await cloud.launch({}));
    await cloud.settle();
    await cloud.apply({ kind: "tag-instance", instanceId: id, tags: { Name: "ip-10-0-0-4" } });
    await cloud.settle();
    const [listed] = await cloud.instances();
    expect(listed?.tags).toMatchObject({ ...cloud.tags, Name: "ip-10-0-0-4" });
  });

  test("termination may be repeated, and ends in `terminated` or in absence", async () => {
    const cloud = await begin();
    const { id } = instanceOf(await cloud.launch({}));
    await cloud.settle();
    for (let i = 0; i < 2; i++) {
      expect((await cloud.apply({ kind: "terminate-instance", instanceId: id })).kind).toBe("done");
    }
    await cloud.settle();
    const listed = (await cloud.instances()).filter(({ state }) => state !== "terminated");
    expect(listed).toEqual([]);
  });

  test("an instance that never was is not found", async () => {
    const cloud = await begin();
    const instanceId = cloud.unknownId;
    expect(faultKindOf(await cloud.apply({ kind: "terminate-instance", instanceId }))).toBe("not-found");
    expect(faultKindOf(await cloud.apply({ kind: "tag-instance", instanceId, tags: { a: "b" } }))).toBe("not-found");
  });
}

export function instanceOf(outcome: Outcome): Instance {
  if (outcome.kind !== "done" || outcome.instance === undefined) {
    throw new Error(`not launched: ${JSON.stringify(outcome)}`);
  }
  return outcome.instance;
}

export function faultKindOf(outcome: Outcome): string {
  return outcome.kind === "failed" ? outcome.fault.kind : outcome.kind;
}
