import { Command } from "commander";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { improveOption } from "../improve-budget.ts";
import type { Terminal } from "../terminal.ts";
import { hasFindings, planDocument } from "./document.ts";
import { lookAtSource, type SourceOptions, withSource } from "./source.ts";
import { planLines } from "./text.ts";

const examples = `
Examples:
  outrigger plan -f my.yaml -f dir/
  kubectl get nodepools,ec2nodeclasses,nodeclaims,nodes,pods,daemonsets -A -o yaml | outrigger plan -f -
  outrigger plan --kubeconfig ~/.kube/config --context production

One tick's decision, not carried out: workload controllers make the pods, kube-scheduler tries each once on the nodes that
are among the manifests, and what Outrigger would do about the rest is printed. A running cluster is read as it is, with
its EKS cluster, networks, images, types and prices; nothing is written anywhere.

Exit codes: 0 every pod has a place; 1 one has none; 2 bad input; 3 no access to the cluster or to AWS.`;

/** `outrigger plan`; `answer` is told the exit code. */
export function planCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withSource(new Command("plan"))
    .description("Say what one tick would decide on these manifests or on a running cluster, and do nothing.")
    .option("--json", "print one JSON document and nothing else", false)
    .addOption(improveOption())
    .addHelpText("after", examples)
    .action(async (options: SourceOptions) => answer(await plan(options, terminal)));
}

async function plan(options: SourceOptions, terminal: Terminal): Promise<ExitCode> {
  const source = await lookAtSource(options);
  if (source.kind === "blind") {
    terminal.error(`${source.messages.join("\n")}\n`);
    return source.code;
  }
  const document = planDocument(source.look, source.notes);
  terminal.out(
    options.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${planLines(document).join("\n")}\n`,
  );
  return hasFindings(document) ? exitCode.found : exitCode.done;
}
