import { fieldManager, stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { Fault } from "#core/fault.ts";
import { clusterRoles } from "./cluster-roles.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import { leaseResource, pathOf, type Resource, resourceOf } from "./resource.ts";
import { statusOf } from "./status.ts";
import type { ApiCall, Transport } from "./transport.ts";

const callMsMax = 30_000;

const apiVersion = "rbac.authorization.k8s.io/v1";
const resources: Readonly<Record<string, Resource>> = {
  ClusterRole: { kind: "ClusterRole", apiVersion, plural: "clusterroles", namespaced: false },
  ClusterRoleBinding: { kind: "ClusterRoleBinding", apiVersion, plural: "clusterrolebindings", namespaced: false },
  Role: { kind: "Role", apiVersion, plural: "roles", namespaced: true },
  RoleBinding: { kind: "RoleBinding", apiVersion, plural: "rolebindings", namespaced: true },
};

interface RoleObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Makes the roles of the functions and their bindings what the table of rights says; answers the first refusal. */
export async function applyRoles(transport: Transport): Promise<Fault | undefined> {
  const query = new URLSearchParams({ fieldManager, force: "true" });
  for (const object of clusterRoles() as readonly RoleObject[]) {
    const fault = await send(transport, {
      method: "PATCH",
      path: `${pathOfRole(object)}?${query}`,
      contentType: "application/apply-patch+yaml",
      body: object,
    });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/**
 * Takes away what Outrigger alone uses in the cluster: first the roles, so that a tick that is still running writes
 * nothing any more and cannot renew its Lease; when that is over (`leaseIsOver`), so that it starts nothing in the cloud
 * either, the state, which says that all is being removed, and the Lease. CRDs stay, as all that users wrote. Answers the
 * first refusal.
 */
export async function removeOwnObjects(
  transport: Transport,
  leaseIsOver: () => Promise<void>,
): Promise<Fault | undefined> {
  const roles = (clusterRoles() as readonly RoleObject[]).map(pathOfRole).reverse();
  const own = [resourceOf("ConfigMap"), leaseResource].map((resource) => pathOf(resource, stateNamespace, stateName));
  const refused = await removeAll(transport, roles);
  if (refused !== undefined) return refused;
  await leaseIsOver();
  return removeAll(transport, own);
}

async function removeAll(transport: Transport, paths: readonly string[]): Promise<Fault | undefined> {
  for (const path of paths) {
    const fault = await send(transport, { method: "DELETE", path });
    if (fault !== undefined && fault.kind !== "not-found") return fault;
  }
  return undefined;
}

/** The first refusal of a read that every administrator may make; undefined: the caller is one. */
export async function accessFault(transport: Transport): Promise<Fault | undefined> {
  return send(transport, {
    method: "GET",
    path: pathOf(resources.ClusterRole as Resource, undefined, "cluster-admin"),
  });
}

function pathOfRole({ kind, metadata: { name, namespace } }: RoleObject): string {
  const resource = resources[kind];
  if (resource === undefined) throw new Error(`no role is a ${kind}`);
  return pathOf(resource, namespace, name);
}

async function send(transport: Transport, call: Omit<ApiCall, "timeoutMs">): Promise<Fault | undefined> {
  const answer = await transport.call({ ...call, timeoutMs: callMsMax });
  if (answer.kind === "broken") return faultOfBroken(answer);
  return answer.status < 200 || answer.status > 299 ? faultOf(statusOf(answer)) : undefined;
}
