/** Our command beside Karpenter's: is it feasible, and does it save at least as much? */
import { type DisruptionMode, disruptProblem } from "../../../cli/solve/disrupt.ts";
import type { AnswerCommand, Problem } from "../../../cli/solve/problem.ts";
import type { Violation } from "../checker/answer.ts";
import { checkAnswer } from "../checker/check.ts";

/** What is kept of a command of Karpenter's. */
export interface RecordedCommand {
  readonly candidates: readonly string[];
  /** Of the replacement; 0 for none. */
  readonly pricePerHour: number;
}

export interface ClusterFinding {
  readonly rule: "feasible" | "saves";
  readonly message: string;
}

const tolerance = 1e-6;

/** `theirs`: of several runs of Karpenter, each different command once; undefined: it did nothing. */
export function compareCluster(
  problem: Problem,
  mode: DisruptionMode,
  theirs: readonly (RecordedCommand | undefined)[],
): readonly ClusterFinding[] {
  const { commands, kept } = disruptProblem(problem, mode);
  const [command] = commands;
  const findings: ClusterFinding[] = [];
  if (command !== undefined) {
    for (const { rule, where, message } of violationsOf(problem, command)) {
      findings.push({ rule: "feasible", message: `${mode}: ${rule} at ${where}: ${message}` });
    }
  }
  const saved = command === undefined ? -1 : savingsOf(problem, command.candidates, priceOfReplacement(command));
  const best = Math.max(
    ...theirs.map((one) => (one === undefined ? -1 : savingsOf(problem, one.candidates, one.pricePerHour))),
  );
  if (saved < best - tolerance) {
    const their = theirs.find(
      (one) => one !== undefined && savingsOf(problem, one.candidates, one.pricePerHour) === best,
    );
    const why = (their?.candidates ?? []).map((name) => `${name}: ${kept[name] ?? "?"}`).slice(0, 3);
    findings.push({
      rule: "saves",
      message: `${mode}: ours saves ${saved.toFixed(5)}, Karpenter's ${best.toFixed(5)} by ${their?.candidates.join(" ")} -> ${their?.pricePerHour}; ours ${command?.candidates.join(" ") ?? "nothing"}; ${why.join("; ")}`,
    });
  }
  return findings;
}

function priceOfReplacement({ replacements = [] }: AnswerCommand): number {
  return replacements.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? Number.POSITIVE_INFINITY), 0);
}

function savingsOf(problem: Problem, names: readonly string[], after: number): number {
  return names.reduce((sum, name) => sum + priceOfNode(problem, name), 0) - after;
}

function priceOfNode({ nodes, instanceTypes }: Problem, name: string): number {
  const node = nodes.find((one) => one.name === name);
  const type = instanceTypes.find((one) => one.name === node?.instanceType);
  const offering = type?.offerings.find(
    ({ zone, capacityType }) => zone === node?.zone && capacityType === node?.capacityType,
  );
  return offering?.price ?? 0;
}

/** The cluster without the nodes of the command, their pods where it says. */
export function violationsOf(
  problem: Problem,
  { candidates, replacements = [], existingNodes = [] }: AnswerCommand,
): readonly Violation[] {
  const gone = new Set(candidates);
  const after: Problem = {
    ...problem,
    nodes: problem.nodes.filter(({ name }) => !gone.has(name)),
    pods: problem.pods.map((pod) => {
      if (!gone.has(pod.spec.nodeName ?? "")) return pod;
      const { nodeName: _, ...spec } = pod.spec;
      return { ...pod, spec };
    }),
  };
  return checkAnswer(after, { nodeClaims: replacements, existingNodes, podErrors: {} }).violations;
}
