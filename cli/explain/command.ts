import { Argument, Command } from "commander";
import { objectName } from "#core/object-ref.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Look } from "../plan/decide.ts";
import { lookAtSource, type SourceOptions, withSource } from "../plan/source.ts";
import { noteLines } from "../plan/text.ts";
import type { Terminal } from "../terminal.ts";
import { type Explanation, explanationLines } from "./explanation.ts";
import { explainNode } from "./node.ts";
import { explainClaim, explainPlannedClaim } from "./node-claim.ts";
import { explainNodePool } from "./node-pool.ts";
import { explainPod } from "./pod.ts";

const kinds = ["pod", "node", "nodepool", "nodeclaim"] as const;
type Kind = (typeof kinds)[number];

const examples = `
Examples:
  outrigger explain pod default/web-0 -f my.yaml      where it would go and why, or why nowhere
  outrigger explain nodepool default -f my.yaml       limits, instance types, budgets now
  outrigger explain node NAME --kubeconfig FILE       of a running cluster

NAME of a pod is NAMESPACE/NAME, or NAME alone where only one namespace has it.

Exit codes: 0 all is well; 1 the pod has no place, the NodePool is not ready; 2 bad input, no such object;
3 no access to the cluster or to AWS.`;

/** `outrigger explain`; `answer` is told the exit code. */
export function explainCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withSource(new Command("explain"))
    .description("Say of one object what one tick would decide about it, and why.")
    .addArgument(new Argument("<kind>", "what it is").choices(kinds))
    .argument("<name>", "its name")
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", examples)
    .action(async (kind: Kind, name: string, options: SourceOptions) =>
      answer(await explain(kind, name, options, terminal)),
    );
}

async function explain(kind: Kind, name: string, options: SourceOptions, terminal: Terminal): Promise<ExitCode> {
  const source = await lookAtSource(options);
  if (source.kind === "blind") {
    terminal.error(`${source.messages.join("\n")}\n`);
    return source.code;
  }
  const explanations = explanationsOf(source.look, kind);
  const named = explanations.filter((one) => one.name === name || (kind === "pod" && one.name.endsWith(`/${name}`)));
  const [found] = named;
  if (found === undefined || named.length > 1) {
    terminal.error(
      `${notOne(
        kind,
        name,
        (named.length > 1 ? named : explanations).map((one) => one.name),
      )}\n`,
    );
    return exitCode.badInput;
  }
  const explanation = found.explain();
  const { notes } = source;
  const lines = [...noteLines(notes), ...explanationLines(explanation)];
  terminal.out(`${options.json === true ? JSON.stringify({ ...explanation, notes }, null, 2) : lines.join("\n")}\n`);
  return explanation.found ? exitCode.found : exitCode.done;
}

interface Explainable {
  readonly name: string;
  readonly explain: () => Explanation;
}

function explanationsOf(look: Look, kind: Kind): readonly Explainable[] {
  const { cluster } = look.snapshot;
  switch (kind) {
    case "pod":
      return cluster.pods.map((pod) => ({ name: objectName(pod.metadata), explain: () => explainPod(look, pod) }));
    case "node":
      return cluster.nodes.map((node) => ({ name: node.metadata.name, explain: () => explainNode(look, node) }));
    case "nodepool":
      return cluster.nodePools.map((one) => ({ name: one.metadata.name, explain: () => explainNodePool(look, one) }));
    default:
      return [
        ...cluster.nodeClaims.map((one) => ({ name: one.metadata.name, explain: () => explainClaim(look, one) })),
        ...look.plan.claims.map((one) => ({
          name: one.nodeClaim.metadata.name,
          explain: () => explainPlannedClaim(one),
        })),
      ];
  }
}

/** Names that are offered instead. */
const offeredMax = 10;

function notOne(kind: Kind, name: string, others: readonly string[]): string {
  const more = others.length > offeredMax ? ` and ${others.length - offeredMax} more` : "";
  const list =
    others.length === 0 ? "there is none at all" : `there are ${others.slice(0, offeredMax).join(", ")}${more}`;
  const several = kind === "pod" && others.every((other) => other.endsWith(`/${name}`)) && others.length > 1;
  return several ? `pod ${name} is in several namespaces: ${list}` : `no ${kind} is called ${name}; ${list}`;
}
