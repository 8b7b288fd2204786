import { lookAtSource, type Sighted, type SourceOptions } from "../plan/source.ts";
import { afterUpgrade, type Check, type TestedWorkload } from "./after-upgrade.ts";
import { interruptionsOf } from "./interruptions.ts";
import { testPod, testPodNamespace, testPool } from "./test-pod.ts";

export interface TestOptions {
  /** A test workload is started and removed. */
  readonly yes: boolean;
  readonly image: string;
  readonly waitMs: number;
}

/** The checks after an upgrade; with `yes` on a cluster in which a test workload runs while they look. */
export async function upgradeChecks(
  source: Sighted,
  options: SourceOptions,
  test: TestOptions,
  tell: (line: string) => void,
): Promise<readonly Check[]> {
  const interruptions = await interruptionsOf(source.facts);
  const { cluster } = source.look.observed;
  const pool = testPool(cluster);
  const { kubeconfig, context } = options;
  if (kubeconfig === undefined || pool === undefined || !test.yes) {
    const tested: TestedWorkload = { kind: "none", isLive: kubeconfig !== undefined, pool: pool?.metadata.name };
    return afterUpgrade(cluster, interruptions, tested);
  }
  const { openTransport, withTestPod } = await import("./test-workload.ts");
  const transport = await openTransport(kubeconfig, context);
  const name = `outrigger-test-${Date.now().toString(36)}`;
  const about = {
    ...{ name: `${testPodNamespace}/${name}`, pool: pool.metadata.name },
    nodesBefore: cluster.nodes.map(({ metadata }) => metadata.name),
  };
  if (typeof transport === "string") {
    return afterUpgrade(cluster, interruptions, { kind: "failed", found: transport, ...about });
  }
  const waitSeconds = test.waitMs / 1000;
  tell(
    `pod ${about.name} is started for a new node of NodePool ${about.pool}, and removed after ${waitSeconds} s at most`,
  );
  const manifest = testPod(name, pool, test.image);
  const { isStopped, release } = untilSignal();
  const run = { name, manifest, waitMs: test.waitMs, isStopped };
  const { outcome, seen } = await withTestPod(transport, run, () => lookAtSource(options)).finally(() => {
    release();
    transport.close();
  });
  return afterUpgrade(seen?.kind === "sighted" ? seen.look.observed.cluster : cluster, interruptions, {
    ...outcome,
    ...about,
  });
}

/** The pod is not left behind by somebody who has seen enough. */
function untilSignal(): { readonly isStopped: () => boolean; readonly release: () => void } {
  let stopped = false;
  const stop = (): void => {
    stopped = true;
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);
  return {
    isStopped: () => stopped,
    release: () => {
      process.off("SIGINT", stop);
      process.off("SIGTERM", stop);
    },
  };
}
