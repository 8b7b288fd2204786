import type { RealAdmin } from "./admin-client.ts";

const namespace = "kube-system";
const rbac = "rbac.authorization.k8s.io";

/** A person with a token, who has the rules, until they are dismissed. */
export class TokenHolder {
  readonly token: string;
  readonly #admin: RealAdmin;
  readonly #path: string;

  private constructor(admin: RealAdmin, path: string, token: string) {
    this.#admin = admin;
    this.#path = path;
    this.token = token;
  }

  static async start(admin: RealAdmin, name: string, rules: readonly object[]): Promise<TokenHolder> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await admin.call({ method: "POST", path: accounts, body: { metadata: { name } } });
    const apis = `/apis/${rbac}/v1`;
    const role = { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules };
    await admin.call({ method: "POST", path: `${apis}/clusterroles`, body: role });
    const binding = {
      ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata: { name } },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    };
    await admin.call({ method: "POST", path: `${apis}/clusterrolebindings`, body: binding });
    const path = `${accounts}/${name}`;
    const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const answer = await admin.call({ method: "POST", path: `${path}/token`, body });
    if (answer.kind === "refused") throw new Error(answer.message);
    const { status } = answer.object as { readonly status: { readonly token: string } };
    return new TokenHolder(admin, path, status.token);
  }

  /** Its token is worth nothing from now on, as one that ran out. */
  async dismiss(): Promise<void> {
    await this.#admin.call({ method: "DELETE", path: this.#path, body: {} });
  }
}
