/** Karpenter counterpart: none, as object-problem.ts says. Who wrote an object that cannot be read hears of it. */
import type { ObjectProblem } from "./object-problem.ts";
import { objectName } from "./object-ref.ts";
import type { Reason } from "./reason.ts";
import type { Stage } from "./stage.ts";

/** How many fields a message names. */
const fieldsMax = 3;

export const unreadableObjects: Stage = {
  name: "unreadable-objects",
  decide: ({ cluster }) => {
    const byObject = new Map<string, ObjectProblem[]>();
    for (const problem of cluster.problems) {
      const key = `${problem.ref.kind} ${objectName(problem.ref)}`;
      byObject.set(key, [...(byObject.get(key) ?? []), problem]);
    }
    return { commands: [], reasons: [...byObject.values()].flatMap(reasonOf) };
  },
};

function reasonOf(problems: readonly ObjectProblem[]): readonly Reason[] {
  const [first] = problems;
  if (first === undefined) return [];
  const named = problems.slice(0, fieldsMax).map(({ field, message }) => `${field} ${message}`);
  const rest = problems.length - named.length;
  const message = `Not acted on, since it cannot be read: ${named.join("; ")}${rest > 0 ? `; and ${rest} more` : ""}`;
  return [
    {
      about: first.ref,
      code: "object-unreadable",
      message,
      data: { fields: problems.map(({ field }) => field) },
      event: { type: "Warning", reason: "Unreadable", once: true },
    },
  ];
}
