import { readFileSync } from "node:fs";
import { isJsonObject } from "#api/problem.ts";
import { partName } from "#aws/part-name.ts";
import type { MigrationPorts, StepNews } from "#controllers/migration/migration-ports.ts";
import type { MigrationView } from "#controllers/migration/view.ts";
import { readFunctionVariables } from "../../shared/adapters/aws/deployed-function.ts";
import { readKubeconfig } from "../../shared/adapters/kubernetes/kubeconfig.ts";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../shared/adapters/kubernetes/lease-store.ts";
import { RawObjectClient } from "../../shared/adapters/kubernetes/raw-object-client.ts";
import { Transport } from "../../shared/adapters/kubernetes/transport.ts";
import { realClock } from "../../shared/adapters/system/real-clock.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { type ClusterOptions, eksOf } from "../plan/cluster-source.ts";
import { ExportFile } from "./export-file.ts";
import { firstTick } from "./first-tick.ts";

export interface MigrateSource extends ClusterOptions {
  readonly export: string;
  readonly variables?: string;
}

type Opened =
  | { readonly kind: "open"; readonly ports: MigrationPorts; readonly close: () => void }
  | { readonly kind: "closed"; readonly code: ExitCode; readonly message: string };

type Deployed = MigrationView["deployed"];

/** The cluster of a kubeconfig, its account, and the file of the export. */
export async function openMigration(
  source: MigrateSource,
  tell: (news: StepNews) => void,
  isStopped: () => boolean,
): Promise<Opened> {
  const file = await readKubeconfig(source.kubeconfig, source.context);
  if (file.kind === "unusable") return closed(file.message);
  const eks = eksOf(source, file.eks);
  if (eks.kind === "unknown") return closed(eks.message);
  const variables = source.variables === undefined ? undefined : readVariables(source.variables);
  if (variables?.kind === "unknown") return closed(variables.message);
  const transport = new Transport(file.endpoint, file.credentials);
  const cluster = new KubernetesCluster(transport);
  const exported = new ExportFile(source.export);
  let known: Deployed | undefined = variables;
  const deployed = async (): Promise<Deployed> => {
    known ??= await readFunctionVariables({ region: eks.region }, source.function ?? partName(eks.name, "reconcile"));
    return known;
  };
  const ports: MigrationPorts = {
    raw: new RawObjectClient(transport),
    leases: new LeaseStore(transport),
    clock: realClock,
    cluster,
    deployed,
    holds: (objects) => exported.holds(objects),
    save: (objects) => exported.save(objects),
    plan: () => firstTick(source),
    tell,
    isStopped,
  };
  const close = (): void => {
    cluster.close();
    transport.close();
  };
  return { kind: "open", ports, close };
}

/** As `aws lambda get-function-configuration --query Environment.Variables` prints them. */
function readVariables(path: string): Deployed {
  try {
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    const entries = isJsonObject(read) ? Object.entries(read) : [];
    return { kind: "known", variables: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "unknown", message: `--variables ${path}: cannot be read (${message})` };
  }
}

function closed(message: string): Opened {
  return { kind: "closed", code: exitCode.badInput, message };
}
