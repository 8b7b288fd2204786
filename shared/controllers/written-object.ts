import type { Command } from "#core/command.ts";
import { objectName } from "#core/object-ref.ts";

/** Names what a command writes. Commands of one name keep their order, and one that fails stops the later ones. */
export function writtenObject(command: Command): string {
  switch (command.kind) {
    case "create-node-claim":
      return `NodeClaim ${command.nodeClaim.metadata.name}`;
    case "launch-instance":
      return `launch ${command.nodeClaim}`;
    case "terminate-instance":
    case "tag-instance":
      return `instance ${command.instanceId}`;
    case "patch-state":
      return "state";
    case "record-event":
      return `event ${command.name}`;
    case "ensure-launch-template":
      return `template ${command.name}`;
    case "ensure-cloud-resource":
    case "delete-cloud-resource":
      return `${command.type} ${command.name}`;
    default:
      return nameOf(command.target);
  }
}

/** The name under which commands write this object. */
export function nameOf(ref: { readonly kind: string; readonly name: string; readonly namespace?: string }): string {
  return `${ref.kind} ${objectName(ref)}`;
}
