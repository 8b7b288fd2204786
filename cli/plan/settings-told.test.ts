import { expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { settingsTold } from "./settings-told.ts";

const place = { region: "eu-west-1", clusterName: "blue" };
const { clusterIdentity: _, ...ofTheCore } = defaultSettings;

test("settings are those of the function that is deployed", () => {
  const offHours = [{ schedule: "0 20 * * *", duration: "11h" }];
  const variables = { OFF_HOURS: JSON.stringify(offHours), FEATURE_GATES: "NodeRepair=true", RESERVED_ENIS: "1" };
  const { settings, notes } = settingsTold({ kind: "known", variables }, place);
  expect(settings).toMatchObject({ offHours, featureGates: { nodeRepair: true }, provider: { reservedEnis: 1 } });
  expect(notes).toEqual([]);
});

test.each([
  [{ kind: "unknown", message: "function f cannot be read" }, "function f cannot be read"],
  [
    { kind: "known", variables: { RESERVED_ENIS: "few" } },
    'those that are deployed are wrong: RESERVED_ENIS: "few" is no number of 0 or more',
  ],
] as const)("without them, %j, they are Karpenter's, and it is said", (told, why) => {
  const { settings, notes } = settingsTold(told, place);
  expect(settings).toMatchObject({ ...ofTheCore, clusterName: "blue", provider: {} });
  expect(notes).toEqual([`settings are Karpenter's defaults: ${why}`]);
});
