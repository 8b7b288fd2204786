import type { CloudCommand, ClusterCommand, Command } from "#core/command.ts";
import { objectName } from "#core/object-ref.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";

/** How many objects are written at once; commands on one object keep their order. */
const lanesMax = 16;

interface Doers {
  readonly cluster: Pick<Cluster, "apply">;
  readonly cloud: Pick<Cloud<never, unknown>, "apply">;
}

/**
 * Carries the commands out and answers what became of each, in the commands' order. A command that fails stops later
 * ones on the same object, which were decided on the assumption that it would succeed; they are not answered.
 */
export async function act(stage: string, commands: readonly Command[], doers: Doers): Promise<readonly Step[]> {
  const lanes = new Map<string, { readonly command: Command; readonly index: number }[]>();
  commands.forEach((command, index) => {
    const lane = laneOf(command);
    const others = lanes.get(lane);
    if (others === undefined) lanes.set(lane, [{ command, index }]);
    else others.push({ command, index });
  });
  const outcomes = new Map<number, Outcome>();
  const waiting = [...lanes.values()];
  const worker = async (): Promise<void> => {
    for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift()) {
      for (const { command, index } of lane) {
        const outcome = await applyOne(command, doers);
        outcomes.set(index, outcome);
        if (outcome.kind === "failed") break;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanesMax, waiting.length) }, worker));
  return commands.flatMap((command, index) => {
    const outcome = outcomes.get(index);
    return outcome === undefined ? [] : [{ stage, command, outcome }];
  });
}

function applyOne(command: Command, doers: Doers): Promise<Outcome> {
  return isCloudCommand(command) ? doers.cloud.apply(command) : doers.cluster.apply(command);
}

function isCloudCommand(command: Command): command is CloudCommand {
  switch (command.kind) {
    case "ensure-launch-template":
    case "launch-instance":
    case "terminate-instance":
    case "tag-instance":
      return true;
    default:
      command satisfies ClusterCommand;
      return false;
  }
}

/** Commands with the same lane keep their order. */
function laneOf(command: Command): string {
  switch (command.kind) {
    case "create-node-claim":
      return `NodeClaim ${command.nodeClaim.metadata.name}`;
    case "launch-instance":
      return `launch ${command.nodeClaim}`;
    case "ensure-launch-template":
      return `template ${command.name}`;
    case "terminate-instance":
    case "tag-instance":
      return `instance ${command.instanceId}`;
    case "patch-state":
      return `state ${command.key}`;
    case "record-event":
      return `event ${command.name}`;
    default:
      return `${command.target.kind} ${objectName(command.target)}`;
  }
}
