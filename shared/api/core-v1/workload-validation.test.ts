import { describe, expect, test } from "vitest";
import { parseObject } from "../parse.ts";
import { formatProblem } from "../problem.ts";

const podSpec = { containers: [{ name: "web" }] };
const template = { metadata: { labels: { app: "web" } }, spec: podSpec };
const selector = { matchLabels: { app: "web" } };

function read(kind: string, spec: object): unknown {
  const apiVersion = kind === "Job" ? "batch/v1" : "apps/v1";
  const parsed = parseObject({ apiVersion, kind, metadata: { name: "a" }, spec });
  if (parsed.kind === "unknown") throw new Error(kind);
  return parsed.kind === "object" ? parsed.object : parsed.problems.map(formatProblem).join("\n");
}

describe.each(["Deployment", "ReplicaSet", "StatefulSet"])("%s", (kind) => {
  test("has one replica unless it says otherwise", () => {
    expect(read(kind, { selector, template })).toMatchObject({ spec: { replicas: 1 } });
    expect(read(kind, { selector, template, replicas: 0 })).toMatchObject({ spec: { replicas: 0 } });
  });

  test("is refused a negative number of replicas", () => {
    expect(read(kind, { selector, template, replicas: -1 })).toMatch(/^spec.replicas: must be a whole number/);
  });
});

describe.each(["Deployment", "DaemonSet"])("%s", (kind) => {
  test("fills in its pods' defaults", () => {
    expect(read(kind, { selector, template })).toMatchObject({
      spec: { template: { spec: { restartPolicy: "Always", terminationGracePeriodSeconds: 30 } } },
    });
  });

  test("needs a selector", () => {
    expect(read(kind, { template })).toBe("spec.selector: is required");
    expect(read(kind, { selector: {}, template })).toMatch(/^spec.selector: must select something/);
  });

  test("selects its own pods", () => {
    expect(read(kind, { selector: { matchLabels: { app: "db" } }, template })).toMatch(
      /^spec.template.metadata.labels: /,
    );
    const expression = { matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }] };
    expect(read(kind, { selector: expression, template })).toBeTypeOf("object");
  });

  test("runs pods that do not end", () => {
    const ending = { ...template, spec: { ...podSpec, restartPolicy: "Never" } };
    expect(read(kind, { selector, template: ending })).toMatch(/^spec.template.spec.restartPolicy: must be Always/);
  });

  test("names problems of its pods by their whole path", () => {
    const wrong = { ...template, spec: { containers: [{ name: "web", resources: { requests: { cpu: "x" } } }] } };
    expect(read(kind, { selector, template: wrong })).toMatch(
      /^spec.template.spec.containers\[0\].resources.requests\[cpu\]: /,
    );
  });
});

describe("Job", () => {
  const once = { spec: { ...podSpec, restartPolicy: "Never" } };

  test.each([
    [{}, { parallelism: 1, completions: 1 }],
    [{ completions: 5 }, { parallelism: 1, completions: 5 }],
    [
      { parallelism: 3, completions: 5 },
      { parallelism: 3, completions: 5 },
    ],
  ])("counts %j become %j", (given, counts) => {
    expect(read("Job", { ...given, template: once })).toMatchObject({ spec: counts });
  });

  test("with parallelism alone is a work queue", () => {
    const job = read("Job", { parallelism: 3, template: once }) as { spec: object };
    expect(job.spec).not.toHaveProperty("completions");
  });

  test("must say how its pods restart", () => {
    expect(read("Job", { template: { spec: podSpec } })).toMatch(
      /^spec.template.spec.restartPolicy: must be OnFailure/,
    );
  });
});
