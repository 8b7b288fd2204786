/** Karpenter counterpart: FEATURE_GATES of pkg/operator/options, and AWS_FEATURE_GATES of its AWS provider. */
import { flagOf } from "./go-words.ts";

type Given = Readonly<Record<string, string>>;

export const gatesVariables = ["FEATURE_GATES", "AWS_FEATURE_GATES"] as const;

/** Gates that the loop has too, with the field of `outrigger.config.ts` that switches each. */
const gates: Readonly<Record<string, { readonly field: string; readonly default: boolean }>> = {
  NodeRepair: { field: "nodeRepair", default: false },
  ReservedCapacity: { field: "reservedCapacity", default: true },
  SpotToSpotConsolidation: { field: "spotToSpotConsolidation", default: false },
};
/** What they switched on is always on since Karpenter 1.0, here too. */
const retired: ReadonlySet<string> = new Set(["Drift"]);

/** Gates that differ, as lines of the loop's configuration. */
export function differingGates(theirs: Given, ours: Given): readonly string[] {
  const [given, own] = [gatesOf(theirs, "FEATURE_GATES"), gatesOf(ours, "FEATURE_GATES")];
  return Object.entries(gates).flatMap(([name, { field, default: otherwise }]) => {
    const wanted = given.get(name) ?? otherwise;
    return wanted === (own.get(name) ?? otherwise) ? [] : [`${field}: ${wanted}`];
  });
}

/** Gates that are on and that nothing here acts on, or knows. */
export function foreignGates(theirs: Given): readonly string[] {
  return gatesVariables.flatMap((variable) =>
    [...gatesOf(theirs, variable)].flatMap(([name, isOn]) => {
      const isKnown = variable === "FEATURE_GATES" && (Object.hasOwn(gates, name) || retired.has(name));
      return isOn === true && !isKnown ? [name] : [];
    }),
  );
}

/** Whether one of them is neither on nor off. */
export function gatesProblem(theirs: Given, variable: (typeof gatesVariables)[number]): boolean {
  return [...gatesOf(theirs, variable).values()].includes(undefined);
}

/** The last one of a name counts. */
function gatesOf(given: Given, variable: string): ReadonlyMap<string, boolean | undefined> {
  const words = (given[variable] ?? "").split(",").filter((word) => word.trim() !== "");
  return new Map(
    words.map((word) => {
      const [name = "", value = ""] = word.split("=").map((part) => part.trim());
      return [name, flagOf(value)] as const;
    }),
  );
}
