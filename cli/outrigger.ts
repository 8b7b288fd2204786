import { Command, CommanderError } from "commander";
import packageFile from "../package.json" with { type: "json" };
import { convertCommand } from "./convert/command.ts";
import { doctorCommand } from "./doctor/command.ts";
import { type ExitCode, exitCode } from "./exit-code.ts";
import { explainCommand } from "./explain/command.ts";
import { migrateCommand } from "./migrate/command.ts";
import { pauseCommand, resumeCommand } from "./pause/command.ts";
import { planCommand } from "./plan/command.ts";
import { redriveCommand } from "./redrive/command.ts";
import { replayCommand } from "./replay/command.ts";
import { simulateCommand } from "./simulate/command.ts";
import { snapshotCommand } from "./snapshot/command.ts";
import { solveCommand } from "./solve/command.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

const { version } = packageFile;

/** The program behind `outrigger`; answers the exit code. */
export async function main(words: readonly string[], terminal: Terminal = processTerminal()): Promise<ExitCode> {
  const code = await run(words, terminal);
  await terminal.flushed?.();
  const lost = terminal.lost?.();
  if (lost?.kind !== "failed") return code;
  terminal.error(`the output cannot be written: ${lost.message}\n`);
  return exitCode.badInput;
}

async function run(words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = new Command("outrigger")
    .description("Karpenter 1.x for EKS without a controller in the cluster.")
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
    .showHelpAfterError("(outrigger --help tells what there is)");
  const answer = (given: ExitCode): void => {
    code = given;
  };
  const commands = [
    simulateCommand,
    planCommand,
    explainCommand,
    solveCommand,
    convertCommand,
    doctorCommand,
    migrateCommand,
    pauseCommand,
    resumeCommand,
    snapshotCommand,
    replayCommand,
    redriveCommand,
  ].map((make) => make(terminal, answer));
  for (const command of commands) {
    // `npm start -- --version` reaches the command, not the program.
    const own = command.copyInheritedSettings(program).version(version);
    program.addCommand(own.showHelpAfterError(`(outrigger ${own.name()} --help tells what there is)`));
  }
  try {
    await program.parseAsync(words, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      terminal.error(
        `${text}\n\nThis is a defect of Outrigger. Please report it with the command line and the manifests.\n`,
      );
      return exitCode.defect;
    }
    // Commander has said it already; --help ends this way too, with 0.
    return error.exitCode === 0 ? exitCode.done : exitCode.badInput;
  }
  return code;
}
