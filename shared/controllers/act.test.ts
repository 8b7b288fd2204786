import { describe, expect, test } from "vitest";
import type { Command } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import { act } from "./act.ts";

const done: Outcome = { kind: "done" };
const conflict: Outcome = { kind: "failed", fault: { kind: "conflict", code: "409", message: "changed" } };

const label = (node: string, value: string): Command => ({
  kind: "patch-metadata",
  target: { kind: "Node", name: node },
  labels: { step: value },
});
const terminate = (instanceId: string): Command => ({ kind: "terminate-instance", instanceId });

/** A port that notes what it was asked, in order, and answers by `answer`. */
function recorder(answer: (command: Command) => Outcome) {
  const asked: Command[] = [];
  const apply = async (command: Command): Promise<Outcome> => {
    asked.push(command);
    await Promise.resolve();
    return answer(command);
  };
  return { asked, writers: { cluster: { apply }, cloud: { apply } } };
}

describe("acting on commands", () => {
  test("commands on one object keep their order and each is answered in the commands' order", async () => {
    const { writers, asked } = recorder(() => done);
    const commands = [label("a", "1"), terminate("i-1"), label("a", "2"), label("b", "1")];
    const steps = await act("x", commands, writers);
    expect(steps.map((step) => step.command)).toEqual(commands);
    expect(asked.filter((c) => c.kind === "patch-metadata" && c.target.name === "a")).toEqual([
      commands[0],
      commands[2],
    ]);
  });

  test("after a failure later commands on that object are not sent, others are", async () => {
    const { writers, asked } = recorder((command) =>
      "target" in command && command.target.name === "a" ? conflict : done,
    );
    const commands = [label("a", "1"), label("a", "2"), label("b", "1")];
    const steps = await act("x", commands, writers);
    expect(steps.map((step) => step.outcome.kind)).toEqual(["failed", "done"]);
    expect(asked).toEqual([commands[0], commands[2]]);
  });

  test("a thousand commands all get their answer with sixteen under way at most", async () => {
    let underWay = 0;
    let most = 0;
    const apply = async (): Promise<Outcome> => {
      most = Math.max(most, ++underWay);
      await Promise.resolve();
      underWay--;
      return done;
    };
    const commands = Array.from({ length: 1_000 }, (_, i) => terminate(`i-${i}`));
    const steps = await act("x", commands, { cluster: { apply }, cloud: { apply } });
    expect(steps).toHaveLength(1_000);
    expect(most).toBe(16);
  });

  test("all patches of the state are one call, at the place of the first", async () => {
    const { writers, asked } = recorder(() => done);
    const set = (key: string, value: string | null): Command => ({ kind: "patch-state", data: { [key]: value } });
    const steps = await act(
      "x",
      [terminate("i-1"), set("a", "1"), label("n", "1"), set("b", null), set("a", "2")],
      writers,
    );
    const merged = { kind: "patch-state", data: { a: "2", b: null } };
    expect(asked.filter(({ kind }) => kind === "patch-state")).toEqual([merged]);
    expect(steps.map(({ command }) => command.kind)).toEqual(["terminate-instance", "patch-state", "patch-metadata"]);
  });
});
