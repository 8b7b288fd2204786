import { Command, Option } from "commander";
import { parseDuration } from "#api/duration.ts";
import { formatTime, parseTime } from "#api/time.ts";
import { phaseOf } from "#controllers/migration/view.ts";
import { type Pause, pauseKey, pauseOf, pauseText, pauseValue } from "#core/state/pause.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

interface PauseOptions {
  readonly kubeconfig: string;
  readonly context?: string;
  readonly all: boolean;
  readonly for?: string;
  readonly until?: string;
  readonly json: boolean;
}
type ResumeOptions = Pick<PauseOptions, "kubeconfig" | "context" | "json">;

const pauseDetails = `
Examples:
  outrigger pause --kubeconfig ~/.kube/config --for 2h
  outrigger pause --kubeconfig ~/.kube/config --all
  outrigger resume --kubeconfig ~/.kube/config

No node is made for pods and none is taken by consolidation, drift, expiry, off-hours or repair, from the next tick on. Warnings of EC2
are acted on, nodes that are going go on, instances are adopted and launches that were decided are made. A pause is told by
events on NodePools and pods, by plan, explain and doctor.

--all stops everything: ticks look and do nothing, and messages of EC2 wait. Another pause takes the place of this one.

Exit codes: 0 done; 1 a migration holds the loop; 2 bad input; 3 no access.`;

const resumeDetails = `
Exit codes: 0 done, or it was not paused; 1 a migration holds the loop; 2 bad input; 3 no access.`;

/** `outrigger pause`; `answer` is told the exit code. */
export function pauseCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withCluster(new Command("pause"))
    .description("Let Outrigger rest: make no node and take none that works, or do nothing at all.")
    .option("--all", "stop everything: interruptions, drains and terminations too", false)
    .option("--for <duration>", "end by itself after so long: 30m, 2h")
    .addOption(new Option("--until <time>", "end by itself then, RFC 3339").conflicts("for"))
    .addHelpText("after", pauseDetails)
    .action(async (options: PauseOptions) => answer(await pause(options, Date.now(), terminal)));
}

/** `outrigger resume`; `answer` is told the exit code. */
export function resumeCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return withCluster(new Command("resume"))
    .description("End a pause.")
    .addHelpText("after", resumeDetails)
    .action(async (options: ResumeOptions) => answer(await write(options, undefined, Date.now(), terminal)));
}

function withCluster(command: Command): Command {
  return command
    .requiredOption("--kubeconfig <file>", "the running cluster")
    .option("--context <name>", "a context of the kubeconfig; default: its current one")
    .option("--json", "print one JSON document and nothing else", false);
}

async function pause(options: PauseOptions, nowMs: number, terminal: Terminal): Promise<ExitCode> {
  const end = endOf(options, nowMs);
  if (typeof end === "string") {
    terminal.error(`${end}\n`);
    return exitCode.badInput;
  }
  return write(options, { kind: options.all ? "all" : "voluntary", ...end }, nowMs, terminal);
}

/** When the pause ends by itself, or what is wrong with it. */
export function endOf(
  { for: duration, until }: Pick<PauseOptions, "for" | "until">,
  nowMs: number,
): Pick<Pause, "untilMs"> | string {
  if (duration !== undefined) {
    const ms = parseDuration(duration);
    const isUsable = ms !== undefined && ms >= 1_000;
    return isUsable
      ? { untilMs: nowMs + ms }
      : `--for ${duration}: must be a duration of a second or more, as 30m or 2h`;
  }
  if (until === undefined) return {};
  const untilMs = parseTime(until);
  if (untilMs === undefined) return `--until ${until}: must be a time, as ${formatTime(nowMs + 3_600_000)}`;
  return untilMs > nowMs ? { untilMs } : `--until ${until}: is over; it is ${formatTime(nowMs)}`;
}

/** Writes the one key; a migration's is left to the migration. */
async function write(
  { kubeconfig, context, json }: ResumeOptions,
  wanted: Pause | undefined,
  nowMs: number,
  terminal: Terminal,
): Promise<ExitCode> {
  // Its packages take half a second to load, which no other command need pay.
  const { openState } = await import("./cluster-state.ts");
  const opened = await openState(kubeconfig, context);
  if (opened.kind === "closed") {
    terminal.error(`${opened.message}\n`);
    return opened.code;
  }
  const { state } = opened;
  const before = pauseOf(state, nowMs);
  const phase = phaseOf({ state });
  if (before?.kind === "all" && phase !== "none" && phase !== "on") {
    opened.close();
    terminal.error(`${heldByMigration(phase)}\n`);
    return exitCode.found;
  }
  const problem = await opened.write({ [pauseKey]: wanted === undefined ? null : pauseValue(wanted) });
  opened.close();
  if (problem !== undefined) {
    terminal.error(`${problem}\n`);
    return exitCode.noAccess;
  }
  terminal.out(json ? `${JSON.stringify(documentOf(before, wanted), null, 2)}\n` : `${said(before, wanted)}\n`);
  return exitCode.done;
}

function heldByMigration(phase: string): string {
  const way = phase === "back" ? "the cluster was given back to Karpenter" : "outrigger migrate --yes goes on";
  return `a migration holds the loop (${phase}): ${way}; kubectl describe configmap outrigger -n kube-system shows it`;
}

function said(before: Pause | undefined, wanted: Pause | undefined): string {
  if (wanted !== undefined) return pauseText(wanted);
  if (before === undefined) return "Outrigger was not paused";
  const messages =
    "; messages of EC2 that came meanwhile come again within minutes, or wait among the failed: outrigger redrive --cluster NAME";
  return `Outrigger goes on with its next tick, within a minute${before.kind === "all" ? messages : ""}`;
}

function documentOf(before: Pause | undefined, now: Pause | undefined): object {
  const shown = (pause: Pause | undefined): object | null =>
    pause === undefined
      ? null
      : { kind: pause.kind, until: pause.untilMs === undefined ? null : formatTime(pause.untilMs) };
  return { before: shown(before), now: shown(now) };
}
