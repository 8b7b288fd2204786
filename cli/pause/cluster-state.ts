import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import type { PatchState } from "#core/command.ts";
import { readKubeconfig } from "../../shared/adapters/kubernetes/kubeconfig.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { RawObjectClient } from "../../shared/adapters/kubernetes/raw-object-client.ts";
import { resourceOf } from "../../shared/adapters/kubernetes/resource.ts";
import { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { unreachable } from "../plan/reach.ts";

type OpenedState =
  | {
      readonly kind: "open";
      readonly state: Readonly<Record<string, string>>;
      /** Why it was refused; undefined: it is written. */
      readonly write: (data: PatchState["data"]) => Promise<string | undefined>;
      readonly close: () => void;
    }
  | { readonly kind: "closed"; readonly code: ExitCode; readonly message: string };

/** The state of the cluster of a kubeconfig, and nothing else of it: who may pause need not read pods. */
export async function openState(kubeconfig: string, context?: string): Promise<OpenedState> {
  const file = await readKubeconfig(kubeconfig, context);
  if (file.kind === "unusable") return { kind: "closed", code: exitCode.badInput, message: file.message };
  const transport = new Transport(file.endpoint, file.credentials);
  const silence = await unreachable(transport, file.endpoint.url);
  if (silence !== undefined) {
    transport.close();
    return { kind: "closed", code: exitCode.noAccess, message: silence };
  }
  const listed = await new RawObjectClient(transport).list(resourceOf("ConfigMap"), {
    namespace: stateNamespace,
    fieldSelector: `metadata.name=${stateName}`,
  });
  if (listed.kind !== "listed") {
    transport.close();
    const why = listed.kind === "failed" ? listed.fault.message : "the API server does not serve ConfigMaps";
    const message = `cannot read the ConfigMap ${stateNamespace}/${stateName}: ${why}`;
    return { kind: "closed", code: exitCode.noAccess, message };
  }
  const [stored] = listed.items;
  const data = isJsonObject(stored?.data) ? stored.data : {};
  const cluster = new KubernetesCluster(transport);
  return {
    kind: "open",
    state: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, String(value)])),
    write: async (changes) => {
      const outcome = await cluster.apply({ kind: "patch-state", data: changes });
      if (outcome.kind === "done") return undefined;
      return `cannot write the ConfigMap ${stateNamespace}/${stateName}: ${outcome.fault.message}`;
    },
    close: () => {
      cluster.close();
      transport.close();
    },
  };
}
