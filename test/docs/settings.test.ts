import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { defaultEc2Settings } from "#ec2/settings.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/compatibility.md"), "utf8");

const karpenterSettings = [
  ...["KARPENTER_SERVICE", "METRICS_PORT", "HEALTH_PROBE_PORT", "KUBE_CLIENT_QPS", "KUBE_CLIENT_BURST"],
  ...[
    "ENABLE_PROFILING",
    "DISABLE_CONTROLLER_WARMUP",
    "DISABLE_CLUSTER_STATE_OBSERVABILITY",
    "DISABLE_LEADER_ELECTION",
  ],
  ...["LEADER_ELECTION_NAME", "LEADER_ELECTION_NAMESPACE", "MEMORY_LIMIT", "CPU_REQUESTS", "LOG_LEVEL"],
  ...["LOG_OUTPUT_PATHS", "LOG_ERROR_OUTPUT_PATHS", "BATCH_MAX_DURATION", "BATCH_IDLE_DURATION", "PREFERENCE_POLICY"],
  ...["MIN_VALUES_POLICY", "IGNORE_DRA_REQUESTS", "SCHEDULER_CONFIG", "NodeRepair", "ReservedCapacity"],
  ...["SpotToSpotConsolidation", "NodeOverlay", "StaticCapacity", "CapacityBuffer", "CLUSTER_NAME", "CLUSTER_ENDPOINT"],
  ...["CLUSTER_CA_BUNDLE", "ISOLATED_VPC", "EKS_CONTROL_PLANE", "VM_MEMORY_OVERHEAD_PERCENT", "INTERRUPTION_QUEUE"],
  ...["RESERVED_ENIS", "DISABLE_DRY_RUN", "ENABLE_ZONAL_SHIFT", "AMI_REFRESH_INTERVAL", "SUBNET_REFRESH_INTERVAL"],
];

/** `a.b` for a field of a field. */
function namesOf(settings: object, prefix = ""): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? namesOf(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

/** Name and last cell of each row of the table of settings. */
const rows = new Map(
  (/## Settings\n(.*?)\n## /s.exec(page)?.[1] ?? "").split("\n").flatMap((line) => {
    const [, name] = /^\| `([\w.]+)` \|/.exec(line) ?? [];
    return name === undefined ? [] : [[name, line.split("|").at(-2)?.trim() ?? ""] as const];
  }),
);

const sources = readdirSync(join(root, "shared"), { recursive: true, encoding: "utf8" })
  .filter((file) => /^(core|ec2|controllers)\/.*[.]ts$/.test(file) && !/[.]test[.]ts$|settings[.]ts$/.test(file))
  .map((file) => readFileSync(join(root, "shared", file), "utf8"));

describe("the page's table of settings", () => {
  test("has a row for every setting, and for no other", () => {
    const { provider: _, ...ofTheCore } = defaultSettings;
    expect([...rows.keys()].sort()).toEqual([...namesOf(ofTheCore), ...namesOf(defaultEc2Settings)].sort());
  });

  test.each([...rows])("%s: it is true that it is %s", (name, today) => {
    const field = new RegExp(`\\b${name.split(".").at(-1)}\\b`);
    const isRead = sources.some((text) => field.test(text));
    expect(today.startsWith(isRead ? "read" : "nobody reads it")).toBe(true);
  });
});

describe("the page on deployment", () => {
  const deployment = readFileSync(join(root, "docs/deployment.md"), "utf8");
  const section = /## Karpenter's settings\n(.*?)\n## /s.exec(deployment)?.[1] ?? "";
  const words = new Set([...section.matchAll(/`(\w+)`/g)].map(([, word]) => word));
  const properties = readFileSync(join(root, "infra/settings.ts"), "utf8");
  /** Each field that says whose setting it is. */
  const fields = [...properties.matchAll(/Karpenter: (?:gate )?(\w+)(?:(?!readonly).)*?\*\/\s+readonly (\w+)\?/gs)].map(
    ([, karpenter = "", field = ""]) => [karpenter, field] as const,
  );

  test("knows all of Karpenter's settings (v1.14, both repositories)", () => {
    expect(karpenterSettings.filter((name) => !words.has(name))).toEqual([]);
  });

  test.each(fields)("tells of %s, the field %s", (karpenter, field) => {
    expect([words.has(karpenter), words.has(field)]).toEqual([true, true]);
  });

  test("tells of no field that is none", () => {
    expect(fields.length).toBeGreaterThan(15);
    const rows = [...section.matchAll(/^\| [^|]+ \| ([^|]+) \| [^|]+ \| [^|]+ \|$/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, field]) => field),
    );
    expect(rows.filter((field) => !properties.includes(`readonly ${field}?`))).toEqual([]);
    expect(rows.length).toBeGreaterThan(fields.length - 1);
  });
});
