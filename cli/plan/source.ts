import type { Command } from "commander";
import type { Budget } from "#core/scheduling/improvement/budget.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { timedBudget } from "../improve-budget.ts";
import { problemText } from "../manifests/problem.ts";
import { readRecordingFile } from "../recording/recording-file.ts";
import { readInput } from "../simulate/input.ts";
import { lookAtView } from "./cluster-copy.ts";
import type { ClusterFacts } from "./cluster-source.ts";
import type { Look } from "./decide.ts";
import { foreignImageNotes } from "./foreign-images.ts";
import { lookAt } from "./look.ts";
import { pauseNotes } from "./pause-notes.ts";

export interface SourceOptions {
  readonly filename?: readonly string[];
  readonly snapshot?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly eksCluster?: string;
  readonly region?: string;
  readonly json?: boolean;
  /** Of the search for a cheaper plan; absent: what a tick spends. */
  readonly improveMs?: number;
}

export interface Sighted {
  readonly kind: "sighted";
  readonly look: Look;
  readonly notes: readonly string[];
  /** Of a running cluster. */
  readonly facts?: ClusterFacts;
}

/** Bad input or no access, and what to say of it. */
export interface Blind {
  readonly kind: "blind";
  readonly code: ExitCode;
  readonly messages: readonly string[];
}

const nothingNamed =
  "nothing to look at: name manifests with -f PATH (- for stdin), a running cluster with --kubeconfig FILE, or what was seen of one with --snapshot FILE";

/** Options of every command that looks without acting. */
export function withSource(command: Command): Command {
  return command
    .option("-f, --filename <path...>", "manifests: files, directories, - for stdin")
    .option("--snapshot <file>", "what was seen before: of `outrigger snapshot`, or a recording; - for stdin")
    .option("--kubeconfig <file>", "a running cluster, and the AWS account of the SDK's credentials")
    .option("--context <name>", "a context of the kubeconfig; default: its current one")
    .option("--eks-cluster <name>", "the cluster's name in EKS, where the kubeconfig does not say it")
    .option("--region <region>", "the cluster's region, where the kubeconfig does not say it");
}

export async function lookAtSource({ filename = [], ...options }: SourceOptions): Promise<Sighted | Blind> {
  const { kubeconfig, snapshot, json: _, improveMs, ...others } = options;
  const budget = improveMs === undefined ? undefined : timedBudget(improveMs);
  const sources = [
    ...(filename.length === 0 ? [] : ["-f"]),
    ...(kubeconfig === undefined ? [] : ["--kubeconfig"]),
    ...(snapshot === undefined ? [] : ["--snapshot"]),
  ];
  if (sources.length > 1) return blind(exitCode.badInput, [`${sources.join(" and ")} name two sources: give one`]);
  if (kubeconfig !== undefined) {
    // Its packages take half a second to load, which manifests need not pay.
    const { lookAtCluster } = await import("./cluster-source.ts");
    const answer = await lookAtCluster({ kubeconfig, ...others }, budget);
    return answer.kind === "unseen"
      ? blind(answer.code, [answer.message])
      : {
          kind: "sighted",
          look: answer.look,
          notes: [...pauseNotes(answer.look), ...answer.notes],
          facts: answer.facts,
        };
  }
  const [stray] = Object.keys(others);
  if (stray !== undefined) return blind(exitCode.badInput, [`--${dashed(stray)} is of use with --kubeconfig only`]);
  if (snapshot !== undefined) return lookAtRecording(snapshot, budget);
  if (filename.length === 0) return blind(exitCode.badInput, [nothingNamed]);
  const input = readInput(filename, "running");
  if (input.kind === "problems") return blind(exitCode.badInput, input.problems.map(problemText));
  const look = await lookAt(input.objects, budget);
  return look.kind === "refused"
    ? blind(exitCode.badInput, look.messages)
    : { kind: "sighted", look, notes: [...pauseNotes(look), ...input.notes, ...foreignImageNotes(look.observed)] };
}

async function lookAtRecording(file: string, budget: Budget | undefined): Promise<Sighted | Blind> {
  const read = readRecordingFile(file);
  if (read.kind === "problems") return blind(exitCode.badInput, read.problems);
  const { cluster, cloud, settings, nowMs } = read.recording.snapshot;
  const look = await lookAtView(cluster, async () => cloud, settings, nowMs, budget);
  return { kind: "sighted", look: { ...look, account: "recorded" }, notes: pauseNotes(look) };
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function blind(code: ExitCode, messages: readonly string[]): Blind {
  return { kind: "blind", code, messages };
}
