/** Whoever writes to outrigger.config.ts what a migration prints has exactly the settings that Karpenter had. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { stepsForth } from "#controllers/migration/steps.ts";
import { clustersOf } from "../../infra/clusters.ts";
import { decidingVariables } from "../../infra/environment.ts";
import { readDecidingEnvironment } from "../../lambdas/environment.ts";
import { MigrationWorld } from "../support/migration-world.ts";
import { templateOf, variablesOf } from "./synthesised.ts";

type Variables = Readonly<Record<string, string>>;

const flag = fc.constantFrom("true", "false", "True", "1", "f");
const duration = fc
  .tuple(fc.integer({ min: 0, max: 5_000 }), fc.constantFrom("ns", "us", "ms", "s", "m"))
  .map(([count, unit]) => `${count}${unit}`);
const gates = fc
  .record({ NodeRepair: flag, ReservedCapacity: flag, SpotToSpotConsolidation: flag }, { requiredKeys: [] })
  .map((each) =>
    Object.entries(each)
      .map(([gate, value]) => `${gate}=${value}`)
      .join(","),
  );
/** What a person may write into Karpenter's Deployment. */
const told: fc.Arbitrary<Variables> = fc.record(
  {
    PREFERENCE_POLICY: fc.constantFrom("Respect", "Ignore"),
    MIN_VALUES_POLICY: fc.constantFrom("Strict", "BestEffort"),
    BATCH_IDLE_DURATION: duration,
    BATCH_MAX_DURATION: duration,
    VM_MEMORY_OVERHEAD_PERCENT: fc.constantFrom("0", "0.075", "0.0000001", "1", ".05", ""),
    RESERVED_ENIS: fc.nat({ max: 20 }).map(String),
    DISABLE_DRY_RUN: flag,
    FEATURE_GATES: gates,
  },
  { requiredKeys: [] },
);

/** The cluster's entry as the refusal prints it; undefined: nothing is missing. */
async function printed(env: Variables, deployed: Variables): Promise<object | undefined> {
  const world = new MigrationWorld({ env });
  world.deployed = deployed;
  const end = await world.run(stepsForth, {}, false);
  if (end.kind !== "stopped") return undefined;
  const [entry] = /\{ name: .* \}/.exec(end.problems.join("\n")) ?? [];
  // An object of literals reads the same in YAML.
  return parse(entry ?? end.problems.join("\n")) as object;
}

function deploy(entry: object): Variables {
  const found = clustersOf(undefined, { clusters: [entry] });
  if (found.kind === "problems") throw new Error(found.problems.join("\n"));
  const [cluster] = found.clusters;
  if (cluster === undefined) throw new Error("one is named");
  return decidingVariables({ clusterName: cluster.name, catalogueBucket: "bucket" }, cluster);
}

function settingsOf(variables: Variables) {
  const { settings } = readDecidingEnvironment({ ...variables, AWS_REGION: "eu-west-1", CATALOGUE_BUCKET: "bucket" });
  return settings;
}

/** Karpenter's variables in the one spelling that the functions read. */
function normal(env: Variables): Variables {
  const flagOf = (text: string) => String(/^(true|True|1)$/.test(text));
  const gatesOf = (text: string) => text.replace(/=(\w+)/g, (_, value: string) => `=${flagOf(value)}`);
  return {
    ...env,
    CLUSTER_NAME: "e2e",
    ...(env.DISABLE_DRY_RUN === undefined ? {} : { DISABLE_DRY_RUN: flagOf(env.DISABLE_DRY_RUN) }),
    ...(env.FEATURE_GATES === undefined ? {} : { FEATURE_GATES: gatesOf(env.FEATURE_GATES) }),
  };
}

test("whatever Karpenter and the loop are told", async () => {
  await fc.assert(
    fc.asyncProperty(told, told, async (env, before) => {
      const entry = await printed(env, normal(before));
      const deployed = entry === undefined ? normal(before) : { ...normal(before), ...deploy(entry) };
      // What is deployed before is in the file too; the entry's own lines come in their place.
      const whole = entry === undefined ? deployed : { ...deployed, FEATURE_GATES: gatesTogether(before, deployed) };
      expect(settingsOf(whole)).toEqual(settingsOf(normal(env)));
      expect(await printed(env, whole)).toBeUndefined();
    }),
    { numRuns: 60 },
  );
});

/** The file has a field a gate; each of them keeps what it had where nothing new is said. */
function gatesTogether(before: Variables, after: Variables): string {
  return [normal(before).FEATURE_GATES ?? "", after.FEATURE_GATES ?? ""].filter((text) => text !== "").join(",");
}

test("by the template that is deployed", async () => {
  const env = { BATCH_MAX_DURATION: "1m30s", FEATURE_GATES: "NodeRepair=true", RESERVED_ENIS: "2" };
  const entry = await printed(env, {});
  expect(entry).toEqual({ name: "e2e", batchMaxSeconds: 90, nodeRepair: true, reservedEnis: 2 });
  const variables = variablesOf(templateOf({ name: "e2e", ...entry }), "outrigger-e2e-reconcile");
  expect(settingsOf(variables)).toEqual(settingsOf(normal(env)));
});
