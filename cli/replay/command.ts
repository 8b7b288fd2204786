import { Command } from "commander";
import type { Json } from "#api/core-v1/meta.ts";
import { type Replay, replay } from "#controllers/recording/replay.ts";
import type { Recording } from "#core/recording/recording.ts";
import { ec2Provider } from "#ec2/provider.ts";
import packageFile from "../../package.json" with { type: "json" };
import { type ExitCode, exitCode } from "../exit-code.ts";
import { readRecordingFile } from "../recording/recording-file.ts";
import type { Terminal } from "../terminal.ts";

const details = `
Example:
  outrigger replay recording.json.gz

Runs the stages on what a tick saw. Each command meets the outcome that was recorded for it, and nothing is carried out.

Exit codes: 0 the same is decided; 1 something else is, and the first difference is printed; 2 bad input.`;

/** `outrigger replay`; `answer` is told the exit code. */
export function replayCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("replay")
    .description("Decide again on a recorded tick and say whether the same comes of it.")
    .argument("<file>", "a recording, as JSON or compressed by gzip; - for stdin")
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action((file: string, { json }: { json: boolean }) => answer(replayFile(file, json, terminal)));
}

function replayFile(file: string, json: boolean, terminal: Terminal): ExitCode {
  const read = readRecordingFile(file);
  if (read.kind === "problems") {
    terminal.error(`${read.problems.join("\n")}\n`);
    return exitCode.badInput;
  }
  const answer = replay(read.recording, ec2Provider);
  if (answer.kind === "no-steps") {
    const way = `outrigger plan --snapshot ${file} says what would be done`;
    terminal.error(`${file}: is a snapshot, of which nothing was made; ${way}\n`);
    return exitCode.badInput;
  }
  const text = json ? JSON.stringify(answer, null, 2) : lines(answer, read.recording).join("\n");
  terminal.out(`${text}\n`);
  return answer.kind === "same" ? exitCode.done : exitCode.found;
}

function lines(answer: Exclude<Replay, { kind: "no-steps" }>, { release }: Recording): readonly string[] {
  if (answer.kind === "same") {
    const count = answer.commands === 1 ? "1 command" : `${answer.commands} commands`;
    return [`the same is decided: ${count}`, ...(answer.note === undefined ? [] : [answer.note])];
  }
  const { version } = packageFile;
  const field = answer.field === "" ? "" : `, ${answer.field}`;
  return [
    `something else is decided: stage ${answer.stage}, ${answer.command}${field}`,
    `  recorded: ${shown(answer.recorded)}`,
    `  decided:  ${shown(answer.decided)}`,
    ...(release === version ? [] : [`the recording is of release ${release}, this is ${version}`]),
  ];
}

/** Characters of a value that are printed; --json prints all. */
const shownMax = 500;

function shown(value: Json | undefined): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length <= shownMax ? text : `${text.slice(0, shownMax)}…`;
}
