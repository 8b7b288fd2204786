import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordedTerminal } from "../../test/support/recorded-terminal.ts";
import { main } from "../outrigger.ts";
import type { Answer } from "./problem.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-disrupt-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function run(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const { terminal, said } = recordedTerminal();
  const code = await main(words, terminal);
  return { code, ...said };
}

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const crowd = (...nodes: readonly string[]): string => `
nodePools:
- metadata: {name: general}
  spec:
    disruption: {consolidateAfter: 0s, consolidationPolicy: WhenEmptyOrUnderutilized, budgets: [{nodes: "100%"}]}
    template: {spec: {nodeClassRef: {group: x, kind: Y, name: z}, requirements: []}}
instanceTypes:
- {name: m.small, capacity: {cpu: "2", memory: 4Gi, pods: "20"}, offerings: [{zone: a, capacityType: on-demand, price: 0.1}]}
- {name: m.large, capacity: {cpu: "8", memory: 16Gi, pods: "20"}, offerings: [{zone: a, capacityType: on-demand, price: 0.4}]}
nodes:
${nodes.map((name) => `- {name: ${name}, nodePool: general, instanceType: m.large, zone: a, capacityType: on-demand}`).join("\n")}
pods:
- {metadata: {name: one}, spec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}
- {metadata: {name: two}, spec: {nodeName: b, containers: [{name: c, resources: {requests: {cpu: 500m}}}]}}
`;
const disrupted = async (mode: string, text: string): Promise<{ readonly code: number; readonly answer: Answer }> => {
  const { code, out, error } = await run("solve", file(`${mode}.yaml`, text), "--mode", mode);
  expect(error).toBe("");
  return { code, answer: JSON.parse(out) as Answer };
};

test("--mode multi says which nodes go together, and what comes for them", async () => {
  const { code, answer } = await disrupted("multi", crowd("a", "b"));
  expect(code).toBe(0);
  expect(answer.mode).toBe("multi");
  expect(answer.runs[0]).toMatchObject({ candidates: 2, decision: "replace 2 nodes -> 1", cheapestCostPerHour: 0.1 });
  const [command] = answer.commands ?? [];
  expect(command).toMatchObject({ decision: "replace", candidates: ["a", "b"] });
  expect(command?.savedPerHour).toBeCloseTo(0.7);
  expect(command?.replacements?.[0]).toMatchObject({
    instanceTypes: ["m.small"],
    pods: ["default/one", "default/two"],
  });
});

test("--mode single says which node goes, and where its pods have room", async () => {
  const { answer } = await disrupted("single", crowd("a", "b"));
  expect(answer.commands).toEqual([
    {
      decision: "delete",
      candidates: ["a"],
      existingNodes: [{ name: "b", pods: ["default/one"] }],
      savedPerHour: 0.4,
    },
  ]);
});

test("--mode emptiness takes the empty nodes only; without one it ends with 1 and says nothing of a command", async () => {
  const { answer } = await disrupted("emptiness", crowd("a", "b", "idle", "spare"));
  expect(answer.commands?.map(({ candidates }) => candidates)).toEqual([["idle", "spare"]]);
  const { code, answer: none } = await disrupted("emptiness", crowd("a", "b"));
  expect([code, none.commands]).toEqual([1, []]);
  expect(none.runs[0]?.decision).toBe("no-op");
});

test("says of each node that stays why, with the numbers", async () => {
  const { answer } = await disrupted(
    "single",
    crowd("a")
      .replace(/.*name: two.*/, "")
      .replace("500m", '"7"'),
  );
  expect(answer.kept?.a).toContain("it costs $0.4000 an hour, and the cheapest that has room (m.large)");
});
