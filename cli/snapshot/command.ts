import { Command } from "commander";
import { recordingOf } from "#core/recording/recording.ts";
import packageFile from "../../package.json" with { type: "json" };
import { type ExitCode, exitCode } from "../exit-code.ts";
import { lookAtSource, type SourceOptions, withSource } from "../plan/source.ts";
import type { Terminal } from "../terminal.ts";

const details = `
Examples:
  outrigger snapshot --kubeconfig ~/.kube/config | gzip > seen.json.gz
  outrigger plan --snapshot seen.json.gz

User data, environment, commands and annotations of pods are left out: see docs/recordings.md.

Exit codes: 0 done; 2 bad input; 3 no access to the cluster or to AWS.`;

/** `outrigger snapshot`; `answer` is told the exit code. */
export function snapshotCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withSource(new Command("snapshot"))
    .description("Print all that a decision may know of a cluster and its account, to be looked at elsewhere.")
    .addHelpText("after", details)
    .action(async (options: SourceOptions) => answer(await snapshot(options, terminal)));
}

async function snapshot(options: SourceOptions, terminal: Terminal): Promise<ExitCode> {
  const source = await lookAtSource(options);
  if (source.kind === "blind") {
    terminal.error(`${source.messages.join("\n")}\n`);
    return source.code;
  }
  // Not in the file: they are of these manifests, and the file holds what was made of them.
  for (const note of source.notes) terminal.error(`note: ${note}\n`);
  const recording = recordingOf({ snapshot: source.look.observed }, packageFile.version);
  terminal.out(`${JSON.stringify(recording)}\n`);
  return exitCode.done;
}
