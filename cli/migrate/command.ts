import { Command } from "commander";
import { type MigrationEnd, migrate } from "#controllers/migration/migrate.ts";
import type { MigrationPorts, StepNews } from "#controllers/migration/migration-ports.ts";
import { observeMigration } from "#controllers/migration/observe-migration.ts";
import { standing } from "#controllers/migration/standing.ts";
import { type MigrationOptions, undoOf } from "#controllers/migration/step.ts";
import { stepsBack, stepsForth } from "#controllers/migration/steps.ts";

import { readCrds } from "../../shared/adapters/kubernetes/own-crds.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import type { MigrateSource } from "./connection.ts";
import { Interrupt } from "./interrupt.ts";
import { endLines, newsLines } from "./text.ts";

const crdFolder = new URL("../../shared/api/crds/", import.meta.url);

interface MigrateOptions extends MigrateSource {
  readonly yes: boolean;
  readonly back: boolean;
  readonly adoptCrds: boolean;
  readonly acceptPlan: boolean;
  readonly conversionUrl?: string;
  readonly json: boolean;
}

const details = `
Examples:
  outrigger migrate --kubeconfig ~/.kube/config                 what would be done, and how each step is taken back
  outrigger migrate --kubeconfig ~/.kube/config --yes           does it; run again, it goes on where it ended
  outrigger migrate --kubeconfig ~/.kube/config --back --yes    gives the cluster back to Karpenter

No node is replaced and no pod is evicted: objects are written again in v1, Karpenter is scaled to none, its hashes give way
to Outrigger's, one tick is shown without being carried out, and then the loop is on. Deploy Outrigger before.

Exit codes: 0 done, or what would be done is said; 1 something stands in the way; 2 bad input; 3 no access.`;

/** `outrigger migrate`; `answer` is told the exit code. */
export function migrateCommand(terminal: Terminal, answer: (code: ExitCode) => void): Command {
  return new Command("migrate")
    .description("Take a cluster over from Karpenter in place, or give it back.")
    .requiredOption("--kubeconfig <file>", "the running cluster")
    .option("--context <name>", "a context of the kubeconfig; default: its current one")
    .option("--eks-cluster <name>", "the cluster's name in EKS, where the kubeconfig does not say it")
    .option("--region <region>", "the cluster's region, where the kubeconfig does not say it")
    .option("--yes", "write; without it nothing is written", false)
    .option("--back", "give the cluster back to Karpenter", false)
    .option("--export <file>", "where all objects are written first", "outrigger-export.yaml")
    .option("--conversion-url <url>", "of the conversion function, where no webhook of Karpenter's answers any more")
    .option("--adopt-crds", "bring CRDs up to date that are too old", false)
    .option("--accept-plan", "go on although the first tick would end nodes", false)
    .option("--function <name>", "the deployed loop; default: outrigger-CLUSTER-reconcile")
    .option("--variables <file>", "the variables of the deployed loop as JSON, where its function cannot be read")
    .option("--json", "print one JSON document and nothing else", false)
    .addHelpText("after", details)
    .action(async (options: MigrateOptions) => answer(await run(options, terminal)));
}

async function run(given: MigrateOptions, terminal: Terminal): Promise<ExitCode> {
  const { yes, back, adoptCrds, acceptPlan, conversionUrl, json, ...source } = given;
  if (conversionUrl !== undefined && !/^https:\/\/\S+$/.test(conversionUrl)) {
    terminal.error("--conversion-url: must begin with https://\n");
    return exitCode.badInput;
  }
  const steps = back ? stepsBack : stepsForth;
  const options: MigrationOptions = {
    ...{ crds: readCrds(crdFolder), adoptCrds, acceptPlan },
    ...(conversionUrl === undefined ? {} : { conversionUrl }),
  };
  const all: StepNews[] = [];
  // Its packages take half a second to load, which no other command need pay.
  const { openMigration } = await import("./connection.ts");
  const tell = (news: StepNews): void => {
    all.push(news);
    if (!json) terminal.out(`${newsLines(news, yes).join("\n")}\n`);
  };
  const interrupt = new Interrupt();
  const opened = await openMigration(source, tell, interrupt.isHeard);
  if (opened.kind === "closed") {
    terminal.error(`${opened.message}\n`);
    return opened.code;
  }
  interrupt.listen();
  try {
    const end = await migrate(steps, opened.ports, options, yes);
    const now = await standingAfter(end, opened.ports, all);
    if (json) terminal.out(`${JSON.stringify(documentOf(end, all, now), null, 2)}\n`);
    else terminal.out(`${endLines(end, steps, back, now).join("\n")}\n`);
    return codeOf(end);
  } finally {
    interrupt.forget();
    opened.close();
  }
}

/** Of the cluster as it is when something stopped it, or as it was seen last. */
async function standingAfter(
  end: MigrationEnd,
  ports: MigrationPorts,
  all: readonly StepNews[],
): Promise<string | undefined> {
  if (end.kind === "done" || end.kind === "to-do") return undefined;
  const look = await observeMigration(ports);
  const view = look.kind === "seen" ? look.view : all.at(-1)?.view;
  return view === undefined ? undefined : standing(view);
}

function documentOf(end: MigrationEnd, all: readonly StepNews[], now: string | undefined): object {
  return {
    end,
    ...(now === undefined ? {} : { standing: now }),
    steps: all.map(({ step, state, view, lines }) => ({
      ...{ name: step.name, does: step.does, undo: undoOf(step, view), state: state.kind },
      ...(state.kind === "to-do" || state.kind === "wait" ? { what: state.what } : {}),
      ...(lines === undefined ? {} : { lines }),
    })),
  };
}

function codeOf(end: MigrationEnd): ExitCode {
  switch (end.kind) {
    case "done":
    case "to-do":
      return exitCode.done;
    case "stopped":
      return exitCode.found;
    case "unseen":
      return exitCode.noAccess;
  }
}
