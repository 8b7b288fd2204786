import type { EnsureLaunchTemplate } from "#core/command.ts";

/** What the simulator reads of a launch template's details, which are in EC2's field names. */
export function profileOf({ details }: EnsureLaunchTemplate): string | undefined {
  const name = fieldsOf(details.IamInstanceProfile).Name;
  return typeof name === "string" ? name : undefined;
}

/** The groups of the primary network interface. */
export function groupsOf({ details }: EnsureLaunchTemplate): readonly string[] {
  const interfaces: readonly unknown[] = Array.isArray(details.NetworkInterfaces) ? details.NetworkInterfaces : [];
  const primary = interfaces.map(fieldsOf).find(({ DeviceIndex: index }) => index === 0 || index === undefined);
  const groups: readonly unknown[] = Array.isArray(primary?.Groups) ? primary.Groups : [];
  return groups.filter((id) => typeof id === "string");
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
