import type { DisruptionMode } from "../../../cli/solve/disrupt.ts";
import type { AnswerCommand } from "../../../cli/solve/problem.ts";
import type { Rule } from "../checker/answer.ts";

/** A command of Karpenter's that saves more because it breaks a rule; the pods are where its own scheduler puts them. */
export interface Mistake {
  readonly cluster: string;
  readonly mode: DisruptionMode;
  readonly command: AnswerCommand;
  readonly rule: Rule;
  readonly why: string;
}

export const karpentersMistakes: readonly Mistake[] = [
  {
    cluster: "cluster-93",
    mode: "multi",
    command: {
      decision: "delete",
      candidates: ["node-03", "node-07"],
      existingNodes: [
        { name: "node-00", pods: ["default/app-5-6"] },
        { name: "node-05", pods: ["default/app-3-5"] },
      ],
    },
    rule: "spread",
    why: "the fewest are looked for in the zones of one of the OR-ed terms only",
  },
];
