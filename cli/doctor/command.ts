import { Command } from "commander";
import { parseDuration } from "#api/duration.ts";
import { ec2NodeClassesOf } from "#ec2/node-class/node-class.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { lookAtSource, type Sighted, type SourceOptions, withSource } from "../plan/source.ts";
import { noteLines } from "../plan/text.ts";
import type { Terminal } from "../terminal.ts";
import { type Advice, adviceText, sortedAdvice } from "./advice.ts";
import { checkText } from "./after-upgrade.ts";
import { egressAdvice } from "./egress-advice.ts";
import { nodeClassAdvice } from "./node-class-advice.ts";
import { nodePoolAdvice } from "./node-pool-advice.ts";
import { pauseAdvice } from "./pause-advice.ts";
import { queueAdvice } from "./queue-advice.ts";
import { usualTestImage } from "./test-pod.ts";
import { upgradeChecks } from "./upgrade-checks.ts";
import { workloadAdvice } from "./workload-advice.ts";

interface DoctorOptions extends SourceOptions {
  readonly clusterConfig: boolean;
  readonly afterUpgrade: boolean;
  readonly yes: boolean;
  readonly image: string;
  readonly wait: string;
}

const details = `
Examples:
  outrigger doctor --cluster-config -f my.yaml
  outrigger doctor --cluster-config --kubeconfig ~/.kube/config
  outrigger doctor --after-upgrade --kubeconfig ~/.kube/config
  outrigger doctor --after-upgrade --kubeconfig ~/.kube/config --yes

--cluster-config looks for: images that move by themselves, pools without limits, without budgets of their own, with fewer
than 15 spot types, or that overlap at one weight; pods without requests, budgets that never allow, pods that hold nodes
for ever, pods that need the instance metadata and do not reach it; with --kubeconfig also whether the queue of interruptions
loses messages, and those that failed.

--after-upgrade runs what is checked by hand after an upgrade or a handover: a workload runs, NodeClaims are whole, IMDSv2,
pinned images, interruptions handled, spot present, tags for costs, and how long nodes and pods take to start. Of each it
says that it passes, or how it will. With --yes it starts a pod on a new node, looks while it runs, and removes it
(the node goes when its NodePool consolidates); without, it says what it would start.

Exit codes: 0 nothing found; 1 something found; 2 bad input; 3 no access.`;

/** `outrigger doctor`; `answer` is told the exit code. */
export function doctorCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withSource(new Command("doctor"))
    .description("Check a cluster's objects against the practices that keep it cheap and calm.")
    .option("--cluster-config", "check NodePools, node classes and workloads", false)
    .option("--after-upgrade", "run the checks that an upgrade or a handover ends with", false)
    .option("--yes", "with --after-upgrade: start a test workload, and remove it", false)
    .option("--image <image>", "what the test workload runs", usualTestImage)
    .option("--wait <duration>", "how long the test workload may take to run", "10m")
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action(async (options: DoctorOptions) => answer(await doctor(options, terminal)));
}

async function doctor(given: DoctorOptions, terminal: Terminal): Promise<ExitCode> {
  const { clusterConfig, afterUpgrade: isAfterUpgrade, yes, image, wait, ...options } = given;
  const waitMs = parseDuration(wait) ?? 0;
  const problem = optionProblem(given, waitMs);
  if (problem !== undefined) {
    terminal.error(`${problem}\n`);
    return exitCode.badInput;
  }
  const source = await lookAtSource(options);
  if (source.kind === "blind") {
    terminal.error(`${source.messages.join("\n")}\n`);
    return source.code;
  }
  const advice = clusterConfig ? sortedAdvice([...adviceOn(source), ...(await queueAdvice(source.facts))]) : [];
  const checks = isAfterUpgrade
    ? await upgradeChecks(source, options, { yes, image, waitMs }, (line) => terminal.error(`${line}\n`))
    : [];
  const adviceLines = advice.length === 0 && clusterConfig ? ["nothing found"] : advice.map(adviceText);
  const { notes } = source;
  const lines = [...noteLines(notes), ...checks.map(checkText), ...adviceLines];
  const document = { ...(clusterConfig ? { advice } : {}), ...(isAfterUpgrade ? { checks } : {}), notes };
  terminal.out(options.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${lines.join("\n")}\n`);
  return advice.length === 0 && checks.every(({ passed }) => passed) ? exitCode.done : exitCode.found;
}

function optionProblem(given: DoctorOptions, waitMs: number): string | undefined {
  const { clusterConfig, afterUpgrade, yes, wait, kubeconfig } = given;
  if (!clusterConfig && !afterUpgrade) return "nothing to check: name --cluster-config, --after-upgrade or both";
  if (waitMs < 1_000) return `--wait ${wait}: must be a duration of a second or more, as 10m`;
  return yes && (!afterUpgrade || kubeconfig === undefined)
    ? "--yes goes with --after-upgrade and --kubeconfig"
    : undefined;
}

function adviceOn({ look, facts }: Sighted): readonly Advice[] {
  const { snapshot, short } = look;
  const { pods, podDisruptionBudgets } = snapshot.cluster;
  return [
    ...ec2NodeClassesOf(snapshot.cluster).flatMap((nodeClass) => nodeClassAdvice(nodeClass, pods)),
    ...nodePoolAdvice(snapshot),
    ...pauseAdvice(look),
    ...workloadAdvice(pods, podDisruptionBudgets, short),
    ...(facts === undefined ? [] : egressAdvice(facts)),
  ];
}
