import type { CloudCommand, ClusterCommand, Command, PatchState } from "#core/command.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";
import { writtenObject } from "./written-object.ts";

/** For those who write to the cluster only: a command for the cloud would be a defect. */
export const noCloud: Writers["cloud"] = {
  apply: (command): never => {
    throw new Error(`${command.kind} was decided where only the cluster is written to`);
  },
};

/** How many objects are written at once. */
const objectsMax = 16;

interface Writers {
  readonly cluster: Pick<Cluster, "apply">;
  readonly cloud: Pick<Cloud<never, unknown>, "apply">;
}

/**
 * Carries the commands out and answers what became of each, in the commands' order. Commands on one object keep their
 * order; one that fails stops the later ones on it, which were decided on the assumption that it would succeed: they
 * are not answered. All patches of the state are one.
 */
export async function act(stage: string, decided: readonly Command[], writers: Writers): Promise<readonly Step[]> {
  const commands = sentCommands(decided);
  const byObject = new Map<string, { readonly command: Command; readonly index: number }[]>();
  commands.forEach((command, index) => {
    const object = writtenObject(command);
    const others = byObject.get(object);
    if (others === undefined) byObject.set(object, [{ command, index }]);
    else others.push({ command, index });
  });
  const outcomes = new Map<number, Outcome>();
  const waiting = [...byObject.values()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const { command, index } of next) {
        const outcome = await applyOne(command, writers);
        outcomes.set(index, outcome);
        if (outcome.kind === "failed") break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(objectsMax, waiting.length) }, worker));
  return commands.flatMap((command, index) => {
    const outcome = outcomes.get(index);
    return outcome === undefined ? [] : [{ stage, command, outcome }];
  });
}

/** What is sent of a decision: all patches of the state are one. */
export function sentCommands(commands: readonly Command[]): readonly Command[] {
  const patches = commands.filter((command): command is PatchState => command.kind === "patch-state");
  const [first] = patches;
  if (first === undefined || patches.length === 1) return commands;
  const merged: PatchState = { kind: "patch-state", data: Object.assign({}, ...patches.map(({ data }) => data)) };
  return commands
    .filter((command) => command.kind !== "patch-state" || command === first)
    .map((command) => (command === first ? merged : command));
}

function applyOne(command: Command, writers: Writers): Promise<Outcome> {
  return isCloudCommand(command) ? writers.cloud.apply(command) : writers.cluster.apply(command);
}

function isCloudCommand(command: Command): command is CloudCommand {
  switch (command.kind) {
    case "ensure-launch-template":
    case "launch-instance":
    case "terminate-instance":
    case "tag-instance":
    case "ensure-cloud-resource":
    case "delete-cloud-resource":
      return true;
    default:
      command satisfies ClusterCommand;
      return false;
  }
}
