import { Command } from "commander";
import { ec2NodeClassesOf } from "#ec2/node-class/node-class.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Look } from "../plan/decide.ts";
import { lookAtSource, type SourceOptions, withSource } from "../plan/source.ts";
import type { Terminal } from "../terminal.ts";
import { type Advice, adviceText, sortedAdvice } from "./advice.ts";
import { nodeClassAdvice } from "./node-class-advice.ts";
import { nodePoolAdvice } from "./node-pool-advice.ts";
import { workloadAdvice } from "./workload-advice.ts";

interface DoctorOptions extends SourceOptions {
  readonly clusterConfig: boolean;
}

const details = `
Examples:
  outrigger doctor --cluster-config -f my.yaml
  outrigger doctor --cluster-config --kubeconfig ~/.kube/config

--cluster-config looks for: images that move by themselves, pools without limits, without budgets of their own, with fewer
than 15 spot types, or that overlap at one weight; pods without requests, budgets that never allow, pods that hold nodes
for ever, pods that need the instance metadata and do not reach it.

Exit codes: 0 nothing found; 1 something found; 2 bad input; 3 no access.`;

/** `outrigger doctor`; `answer` is told the exit code. */
export function doctorCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withSource(new Command("doctor"))
    .description("Check a cluster's objects against the practices that keep it cheap and calm.")
    .requiredOption("--cluster-config", "check NodePools, node classes and workloads")
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action(async (options: DoctorOptions) => answer(await doctor(options, terminal)));
}

async function doctor({ clusterConfig: _, ...options }: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const source = await lookAtSource(options);
  if (source.kind === "blind") {
    terminal.error(`${source.messages.join("\n")}\n`);
    return source.code;
  }
  const advice = adviceOn(source.look);
  const lines = advice.length === 0 ? ["nothing found"] : advice.map(adviceText);
  terminal.out(options.json === true ? `${JSON.stringify({ advice }, null, 2)}\n` : `${lines.join("\n")}\n`);
  return advice.length === 0 ? exitCode.done : exitCode.found;
}

function adviceOn({ snapshot }: Look): readonly Advice[] {
  const { pods, podDisruptionBudgets } = snapshot.cluster;
  return sortedAdvice([
    ...ec2NodeClassesOf(snapshot.cluster).flatMap((nodeClass) => nodeClassAdvice(nodeClass, pods)),
    ...nodePoolAdvice(snapshot),
    ...workloadAdvice(pods, podDisruptionBudgets),
  ]);
}
