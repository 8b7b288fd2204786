import type { NodeRoleEntry } from "#ec2/setup/node-role-entries.ts";

/** Of the two resources of a stack: `preflight` comes before the access entries, `setup` after them. */
export const preflightType = "Custom::OutriggerPreflight";

/** What the stack says; CloudFormation makes texts of everything. */
export interface SetupProperties {
  readonly onDelete: "keep" | "drain" | "force";
  readonly drainMinutes: number;
  readonly adoptCrds: boolean;
  /** The conversion function is in the stack: what is still stored in v1beta1 may stay until it is migrated. */
  readonly migrating: boolean;
  readonly nodeRoles: readonly NodeRoleEntry[];
}

/** An event of CDK's provider framework: the first of a request, or one of the looks whether it is over. */
export interface SetupEvent {
  readonly RequestType: "Create" | "Update" | "Delete";
  readonly ResourceType: string;
  readonly StackId: string;
  readonly PhysicalResourceId?: string;
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  /** Set by the first answer. */
  readonly Begun?: { readonly atMs: number; readonly manner: SetupProperties["onDelete"] };
}

export function propertiesOf({ ResourceProperties }: Pick<SetupEvent, "ResourceProperties">): SetupProperties {
  const { OnDelete, DrainMinutes, AdoptCrds, ConversionWebhook, LinuxNodeRoles, WindowsNodeRoles } = ResourceProperties;
  const entries = (arns: unknown, type: NodeRoleEntry["type"]): readonly NodeRoleEntry[] =>
    Array.isArray(arns) ? arns.map((arn) => ({ principalArn: String(arn), type })) : [];
  return {
    onDelete: OnDelete === "drain" || OnDelete === "force" ? OnDelete : "keep",
    drainMinutes: Number(DrainMinutes) > 0 ? Number(DrainMinutes) : 30,
    adoptCrds: AdoptCrds === true || AdoptCrds === "true",
    migrating: ConversionWebhook === true || ConversionWebhook === "true",
    nodeRoles: [...entries(LinuxNodeRoles, "EC2_LINUX"), ...entries(WindowsNodeRoles, "EC2_WINDOWS")],
  };
}
