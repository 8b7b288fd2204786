import { fieldAt, type JsonObject } from "#api/conversion/json-fields.ts";
import { isJsonObject } from "#api/problem.ts";
import { isOurs, type MigrationView, metadataOf } from "./view.ts";

const namedMax = 5;

/** What one of them is in the middle of, it ends. `who` acts now. */
export function flightProblems({ objects, disrupted }: MigrationView, who: string): readonly string[] {
  const claims = objects.filter((object) => object.kind === "NodeClaim" && isOurs(object));
  const states = [
    ["being deleted", (claim: JsonObject) => metadataOf(claim).deletionTimestamp !== undefined],
    ["not initialized", (claim: JsonObject) => statusOf(claim, "Initialized") !== "True"],
    ["about to be disrupted", (claim: JsonObject) => isDisrupted(claim, disrupted)],
  ] as const;
  return states.flatMap(([what, holds]) => {
    const names = claims.filter(holds).map((claim) => String(metadataOf(claim).name));
    if (names.length === 0) return [];
    const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : "";
    return [
      `NodeClaims are ${what}: ${names.slice(0, namedMax).join(", ")}${more}; wait until ${who} is done with them (a budget of nodes: "0" keeps it from disrupting more)`,
    ];
  });
}

/** Karpenter: a condition of the claim, and since its first versions a taint of the node. */
function isDisrupted(claim: JsonObject, nodes: readonly string[]): boolean {
  const node = fieldAt(claim, ["status", "nodeName"]);
  return statusOf(claim, "DisruptionReason") === "True" || nodes.some((name) => name === node);
}

function statusOf(claim: JsonObject, type: string): unknown {
  const conditions = fieldAt(claim, ["status", "conditions"]);
  const found = Array.isArray(conditions)
    ? conditions.find((condition) => isJsonObject(condition) && condition.type === type)
    : undefined;
  return isJsonObject(found) ? found.status : undefined;
}
