import fc from "fast-check";
import { expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { claimOf, condition, instanceOf, nowMs } from "../../../test/support/lifecycle-samples.ts";
import { sampleStages } from "../../../test/support/sample-stages.ts";
import { failed, SmallWorld } from "../../../test/support/small-world.ts";
import type { CloudCommand, LaunchInstance } from "../command.ts";
import type { Instance } from "../instance.ts";
import type { Outcome } from "../outcome.ts";
import { isLive } from "./instance-presence.ts";

interface Trouble {
  /** The process dies before this stage; an index past the end is a whole tick. */
  readonly diesBefore: number;
  readonly answer: "fine" | "lost" | "insufficient-capacity" | "launch-refused" | "throttled" | "conflict";
  readonly pauseSeconds: number;
  /** How long a new instance stays hidden from the list. */
  readonly hiddenSeconds: number;
  readonly isPartial: boolean;
}

/** EC2 with its tokens and its lag. */
class LaggingWorld extends SmallWorld {
  trouble: Trouble | undefined;
  readonly byToken = new Map<string, { readonly request: string; readonly id: string }>();
  readonly all: Instance[] = [];
  readonly #visibleAtMs = new Map<string, number>();

  begin(trouble: Trouble | undefined): void {
    this.trouble = trouble;
    this.diesBefore = sampleStages[trouble?.diesBefore ?? sampleStages.length]?.name;
    this.incomplete = trouble?.isPartial === true ? ["DescribeInstances"] : [];
    this.fault = ({ kind }) => (kind === "patch-status" && trouble?.answer === "conflict" ? "conflict" : undefined);
    for (const [index, instance] of this.all.entries()) {
      if (instance.state === "shutting-down") this.all[index] = { ...instance, state: "terminated" };
    }
    this.instances = this.all.filter(({ id }) => (this.#visibleAtMs.get(id) ?? 0) <= this.atMs);
  }

  override applyToCloud(command: CloudCommand): Outcome {
    switch (command.kind) {
      case "terminate-instance":
        return this.#terminate(command.instanceId);
      case "launch-instance":
        return this.#answer(command);
      default:
        return { kind: "done" };
    }
  }

  #terminate(instanceId: string): Outcome {
    const index = this.all.findIndex(({ id }) => id === instanceId);
    const instance = this.all[index];
    if (instance !== undefined && isLive(instance)) this.all[index] = { ...instance, state: "shutting-down" };
    return { kind: "done" };
  }

  #answer(command: LaunchInstance): Outcome {
    const answer = this.trouble?.answer ?? "fine";
    if (answer !== "fine" && answer !== "lost" && answer !== "conflict") return failed(answer);
    const request = JSON.stringify(command);
    const earlier = this.byToken.get(command.token);
    if (earlier !== undefined && earlier.request !== request) return failed("token-mismatch");
    const known = this.all.find(({ id }) => id === earlier?.id);
    if (known !== undefined && !isLive(known)) return failed("token-instance-terminated");
    const instance = known ?? this.#launch(command.nodeClaim, command.token, request);
    return answer === "lost" ? failed("unavailable") : { kind: "done", instance };
  }

  #launch(claim: string, token: string, request: string): Instance {
    const { tags } = instanceOf(claim);
    const instance = instanceOf(token, { tags, launchedAtMs: this.atMs });
    this.all.push(instance);
    this.byToken.set(token, { request, id: instance.id });
    this.#visibleAtMs.set(instance.id, this.atMs + (this.trouble?.hiddenSeconds ?? 0) * 1_000);
    return instance;
  }
}

/** Between a launch and the writing of its answer is where a death costs most. */
const afterLaunch = sampleStages.findIndex(({ name }) => name === "launch-outcome");
const trouble: fc.Arbitrary<Trouble> = fc.record({
  diesBefore: fc.oneof(fc.constant(afterLaunch), fc.nat({ max: sampleStages.length + 8 })),
  answer: fc.constantFrom("fine", "fine", "lost", "insufficient-capacity", "launch-refused", "throttled", "conflict"),
  pauseSeconds: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 70 })),
  hiddenSeconds: fc.integer({ min: 0, max: 40 }),
  isPartial: fc.boolean(),
});

/** What an earlier owner of the cluster, or an earlier version, may have left of the condition Launched. */
const inherited = fc.option(
  fc.record({
    status: fc.constantFrom("Unknown" as const, "False" as const),
    reason: fc.constantFrom(
      ...["LaunchFailed", "InsufficientInstanceCapacity", "AwaitingReconciliation", "NodeClassNotReady"],
      ...["Launching", "LaunchUnconfirmed", "LaunchNotPrepared", "EarlierLaunchPossible"],
    ),
  }),
  { nil: undefined, freq: 2 },
);

function claimWith(name: string, launched: { status: "Unknown" | "False"; reason: string } | undefined): NodeClaim {
  if (launched === undefined) return claimOf(name);
  return claimOf(name, { status: { conditions: [{ ...condition("Launched", launched.status), ...launched }] } });
}

async function live(world: LaggingWorld, troubles: readonly Trouble[], deletedAfter: number): Promise<void> {
  for (const [index, current] of troubles.entries()) {
    if (index === deletedAfter) {
      world.begin(undefined);
      await world.act("a person", [{ kind: "delete-object", target: { kind: "NodeClaim", name: "b" } }]);
    }
    world.begin(current);
    await world.tick(sampleStages);
    for (const name of ["a", "b"]) {
      const running = world.all.filter((one) => isLive(one) && one.tags["karpenter.sh/nodeclaim"] === name);
      expect(running.length, `live instances of ${name}`).toBeLessThanOrEqual(1);
    }
    world.atMs += current.pauseSeconds * 1_000;
  }
  for (let tick = 0; tick < 40; tick++) {
    world.begin(undefined);
    await world.tick(sampleStages);
    world.atMs += 10_000;
  }
}

test("whatever fails, wherever the process dies, whatever was left behind: one live instance a claim at most, and in the end exactly its own", async () => {
  const history = fc.array(trouble, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(history, fc.nat({ max: 12 }), inherited, inherited, async (troubles, deletedAfter, a, b) => {
      const world = new LaggingWorld(nowMs, { nodeClaims: [claimWith("a", a), claimWith("b", b)] });
      await live(world, troubles, deletedAfter);
      const claims = ["a", "b"]
        .flatMap((name) => world.get<NodeClaim>("NodeClaim", name) ?? [])
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      const running = world.all.filter(isLive).map(({ providerID }) => providerID);
      expect(running.sort()).toEqual(claims.map(({ status }) => status?.providerID).sort());
      if (deletedAfter < troubles.length) expect(claims.map(({ metadata }) => metadata.name)).not.toContain("b");
    }),
    { numRuns: 300, seed: 20261130 },
  );
});
