/** Run as a process of its own, bundled as a function is: lists a cluster, follows it, and prints what that took. */
import { readFileSync } from "node:fs";
import { KubernetesCluster } from "../../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { Transport } from "../../../shared/adapters/kubernetes/transport.ts";

export interface ProbeInput {
  readonly url: string;
  readonly caPem: string;
  readonly certPem: string;
  readonly keyPem: string;
}

export interface ProbeResult {
  readonly pods: number;
  readonly nodes: number;
  readonly listMs: number;
  readonly listCpuMs: number;
  readonly rssMb: number;
  /** Each look at the store while pods change. */
  readonly observeMs: readonly number[];
  /** Changes that woke it. */
  readonly changes: number;
}

const [, , inputFile = ""] = process.argv;
const input = JSON.parse(readFileSync(inputFile, "utf8")) as ProbeInput;
const certificate = { certPem: input.certPem, keyPem: input.keyPem };
const credentials = { authorization: async () => undefined, certificate, remedy: "" };
const transport = new Transport({ url: input.url, caPem: input.caPem }, credentials);
const cluster = new KubernetesCluster(transport);

const beganMs = performance.now();
const beganCpu = process.cpuUsage();
const view = await cluster.observe("everything");
const listMs = performance.now() - beganMs;
const cpu = process.cpuUsage(beganCpu);
const rssMb = process.memoryUsage().rss / 1e6;

const observeMs: number[] = [];
let changes = 0;
for (let looks = 0; looks < 10; looks++) {
  if ((await cluster.nextChange(Date.now() + 2_000)) === "changed") changes++;
  const lookMs = performance.now();
  await cluster.observe("everything");
  observeMs.push(performance.now() - lookMs);
  await new Promise((resolve) => setTimeout(resolve, 200));
}
cluster.close();
transport.close();
const result: ProbeResult = {
  ...{ pods: view.pods.length, nodes: view.nodes.length, listMs, rssMb, observeMs, changes },
  listCpuMs: (cpu.user + cpu.system) / 1000,
};
process.stdout.write(`${JSON.stringify(result)}\n`);
