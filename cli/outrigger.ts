import { Command, CommanderError } from "commander";
import { type ExitCode, exitCode } from "./exit-code.ts";
import { simulateCommand } from "./simulate/command.ts";
import { solveCommand } from "./solve/command.ts";
import { processTerminal, type Terminal } from "./terminal.ts";

/** The program behind `outrigger`; answers the exit code. */
export async function main(words: readonly string[], terminal: Terminal = processTerminal()): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  const program = new Command("outrigger")
    .description("Karpenter 1.x for EKS without a controller in the cluster.")
    .exitOverride()
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.error })
    .showHelpAfterError("(outrigger --help tells what there is)");
  const answer = (given: ExitCode): void => {
    code = given;
  };
  for (const command of [simulateCommand(terminal, answer), solveCommand(terminal, answer)]) {
    program.addCommand(command.copyInheritedSettings(program));
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
