import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  type IAMClient,
  type InstanceProfile,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from "@aws-sdk/client-iam";
import type { EnsureCloudResource } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { OwnProfile } from "#ec2/view.ts";
import { faultOf } from "./fault-table.ts";
import { allPages } from "./pages.ts";

/** The profiles below the cluster's path, by name. */
export async function readOwnProfiles(iam: IAMClient, path: string): Promise<readonly OwnProfile[]> {
  const rows = await allPages(
    (Marker) => iam.send(new ListInstanceProfilesCommand({ PathPrefix: path, MaxItems: 1_000, Marker })),
    (page) => page.InstanceProfiles,
    (page) => (page.IsTruncated === true ? page.Marker : undefined),
  );
  return rows
    .flatMap((row: InstanceProfile): OwnProfile[] => {
      const { InstanceProfileName: name, Roles = [], CreateDate } = row;
      const role = Roles[0]?.RoleName;
      if (name === undefined) return [];
      return [{ name, createdAtMs: CreateDate?.getTime() ?? 0, ...(role === undefined ? {} : { role }) }];
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Makes the profile and puts its role into it. One that is there with this role is adopted; one with another role is
 * refused and left alone: instances run under it. A profile whose role could not be added is removed again.
 */
export async function ensureInstanceProfile(iam: IAMClient, command: EnsureCloudResource): Promise<Outcome> {
  const { name, content, tags } = command;
  const role = String(content.role ?? "");
  const created = await attempt(() =>
    iam.send(
      new CreateInstanceProfileCommand({
        InstanceProfileName: name,
        Path: String(content.path ?? "/"),
        Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
      }),
    ),
  );
  if (created !== undefined && created.kind !== "already-exists") return { kind: "failed", fault: created };
  const isOurs = created === undefined;
  const held = isOurs ? undefined : await roleOf(iam, name);
  if (held === role) return { kind: "done" };
  if (held !== undefined) return { kind: "failed", fault: otherRole(name, held, role) };
  const added = await attempt(() =>
    iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName: name, RoleName: role })),
  );
  if (added === undefined) return { kind: "done" };
  if (isOurs) await attempt(() => iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName: name })));
  return { kind: "failed", fault: added };
}

/** With the roles that are in it; gone is done. */
export async function deleteInstanceProfile(iam: IAMClient, name: string): Promise<Outcome> {
  const role = await roleOf(iam, name);
  if (role !== undefined) {
    const removed = await attempt(() =>
      iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName: name, RoleName: role })),
    );
    if (removed !== undefined && removed.kind !== "not-found") return { kind: "failed", fault: removed };
  }
  const deleted = await attempt(() => iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName: name })));
  return deleted === undefined || deleted.kind === "not-found" ? { kind: "done" } : { kind: "failed", fault: deleted };
}

async function roleOf(iam: IAMClient, name: string): Promise<string | undefined> {
  try {
    const { InstanceProfile: profile } = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: name }));
    return profile?.Roles?.[0]?.RoleName;
  } catch {
    return undefined;
  }
}

function otherRole(name: string, held: string, role: string): Fault {
  const message = `instance profile ${name} holds role ${held}, not ${role}; it is not changed`;
  return { kind: "invalid", code: "InstanceProfileRoleMismatch", message };
}

async function attempt(work: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return faultOf(error);
  }
}
