import { accessSync, constants, writeFileSync } from "node:fs";
import { Command } from "commander";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { problemText, sortedProblems } from "../manifests/problem.ts";
import { type Input, processInput, readSources } from "../manifests/source.ts";
import { type Terminal, writingProblem } from "../terminal.ts";
import { type Converted, type ConvertedFile, convertSources, joined, type PlacedFinding } from "./conversion.ts";

interface ConvertOptions {
  readonly filename: readonly string[];
  readonly check: boolean;
  readonly write: boolean;
  readonly json: boolean;
}

const details = `
Reads Provisioner and AWSNodeTemplate (v1alpha5, v1alpha1), NodePool, NodeClaim and EC2NodeClass (v1beta1), the
ConfigMap karpenter-global-settings, and everything else for names that Karpenter dropped. Order and comments stay.

Examples:
  outrigger convert -f karpenter/ --check          what a person must decide, object by object
  outrigger convert -f old.yaml > new.yaml
  kubectl get nodepools.v1beta1.karpenter.sh -o yaml | outrigger convert -f -

Exit codes: 0 done; 1 done, and something is to be decided; 2 bad input.`;

/** `outrigger convert`; `answer` is told the exit code. */
export function convertCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("convert")
    .description("Rewrite manifests of Karpenter 0.2x and 0.3x as karpenter.sh/v1 and karpenter.k8s.aws/v1.")
    .requiredOption("-f, --filename <path...>", "files, directories, or - for stdin")
    .option("--check", "change nothing; list what a person must decide", false)
    .option("--write", "write each file in its place instead of printing", false)
    .option("--json", "with --check: print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action((options: ConvertOptions) => answer(convert(options, terminal)));
}

export function convert(options: ConvertOptions, terminal: Terminal, input: Input = processInput): ExitCode {
  if (options.check && options.write) return refused("--check changes nothing; leave out --check or --write", terminal);
  if (options.json && !options.check) return refused("--json tells what --check finds; add --check", terminal);
  const { sources, problems } = readSources(options.filename, input);
  if (options.write && sources.some(({ file }) => file === "stdin")) {
    return refused("--write needs files; what comes by stdin has none", terminal);
  }
  const converted: Converted = problems.length > 0 ? { kind: "problems", problems } : convertSources(sources);
  if (converted.kind === "problems") {
    return refused(sortedProblems(converted.problems).map(problemText).join("\n"), terminal);
  }
  const failure = output(converted, options, terminal);
  if (failure !== undefined) return refused(failure, terminal);
  return converted.findings.some(({ mustDecide }) => mustDecide) ? exitCode.found : exitCode.done;
}

/** What went wrong in writing. Files are written only once everything is converted. */
function output(
  { files, findings }: Converted & { kind: "converted" },
  options: ConvertOptions,
  terminal: Terminal,
): string | undefined {
  if (options.check) {
    terminal.out(options.json ? `${JSON.stringify({ findings }, null, 2)}\n` : checkText(findings));
    return undefined;
  }
  terminal.error(findings.map((finding) => `${findingText(finding)}\n`).join(""));
  if (!options.write) {
    terminal.out(joined(files.map(({ text }) => text).filter((text) => text.trim() !== "")));
    return undefined;
  }
  return writeFiles(
    files.filter(({ isChanged }) => isChanged),
    terminal,
  );
}

/** All are tried before the first is written, so that a folder is not left half converted. */
function writeFiles(files: readonly ConvertedFile[], terminal: Terminal): string | undefined {
  for (const write of [
    ({ file }: ConvertedFile): void => accessSync(file, constants.W_OK),
    ({ file, text }: ConvertedFile): void => {
      writeFileSync(file, text);
      terminal.error(`${file}: converted\n`);
    },
  ]) {
    for (const one of files) {
      try {
        write(one);
      } catch (error) {
        return `${one.file}: cannot be written: ${writingProblem(error)}`;
      }
    }
  }
  return undefined;
}

function checkText(findings: readonly PlacedFinding[]): string {
  const decisions = findings.filter(({ mustDecide }) => mustDecide);
  const rest = findings.length - decisions.length;
  const known = `${rest} more ${rest === 1 ? "thing is" : "things are"} changed and need no decision (convert tells them)`;
  const head = decisions.length === 0 ? "nothing to decide" : `${decisions.length} to decide`;
  return [...decisions.map(findingText), rest === 0 ? head : `${head}; ${known}`, ""].join("\n");
}

function findingText({ mustDecide, ...place }: PlacedFinding): string {
  return `${mustDecide ? "decide: " : "note:   "}${problemText(place)}`;
}

function refused(message: string, terminal: Terminal): ExitCode {
  terminal.error(`${message}\n`);
  return exitCode.badInput;
}
