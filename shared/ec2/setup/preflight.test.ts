import { describe, expect, test } from "vitest";
import { entryProblem } from "./node-role-entries.ts";
import { clusterProblems, queueProblems } from "./preflight.ts";
import { queueTiming } from "./queue-timing.ts";

const cluster = { clusterName: "blue", status: "ACTIVE", authenticationMode: "API" };
const queue = { ...queueTiming, name: "q" };

describe("a cluster", () => {
  test.each(["API", "API_AND_CONFIG_MAP"])(
    "that takes access entries (%s) may be installed into",
    (authenticationMode) => {
      expect(clusterProblems({ ...cluster, authenticationMode })).toEqual([]);
    },
  );

  test("that knows aws-auth only is refused with the command that mends it (users' row 84)", () => {
    const [problem, ...others] = clusterProblems({ ...cluster, authenticationMode: "CONFIG_MAP" });
    expect(others).toEqual([]);
    expect(problem).toContain(
      "`aws eks update-cluster-config --name blue --access-config authenticationMode=API_AND_CONFIG_MAP`",
    );
  });

  test.each([
    ["UPDATING", 0],
    ["CREATING", 1],
    ["DELETING", 1],
  ])("that is %s: %i problems", (status, count) => {
    expect(clusterProblems({ ...cluster, status })).toHaveLength(count);
  });
});

describe("a queue (users' row 53)", () => {
  test("as the stack makes it is right, and its figures agree with each other", () => {
    expect(queueProblems(queue)).toEqual([]);
    const { functionSeconds, visibilitySeconds, receivesMax, retentionSeconds } = queueTiming;
    expect(visibilitySeconds).toBeGreaterThanOrEqual(6 * functionSeconds);
    expect(retentionSeconds).toBeGreaterThanOrEqual(3 * visibilitySeconds * receivesMax);
  });

  test.each([
    [{ visibilitySeconds: 60 }, "a visibility timeout of 60 s is less than 90 s"],
    [{ visibilitySeconds: 360 }, "seen again after 360 s, when a spot warning is over"],
    [{ retentionSeconds: 270 }, "messages are lost after 270 s, before they were delivered 3 times"],
  ])("with %j loses messages, or time", (change, words) => {
    expect(queueProblems({ ...queue, ...change }).join()).toContain(words);
  });

  test("without one for what fails says so", () => {
    const { receivesMax: _, ...alone } = queue;
    expect(queueProblems(alone)).toEqual(["q: there is no queue for what fails"]);
  });
});

test.each([
  ["EC2_LINUX", "EC2_LINUX", false],
  ["EC2_LINUX", "STANDARD", false],
  ["EC2_LINUX", "EC2_WINDOWS", true],
  ["EC2_WINDOWS", "EC2_LINUX", true],
  ["EC2_LINUX", "EC2", true],
] as const)("a role for %s nodes with an entry of type %s cannot join: %s", (type, found, isProblem) => {
  expect(entryProblem({ principalArn: "arn", type }, found) !== undefined).toBe(isProblem);
});
