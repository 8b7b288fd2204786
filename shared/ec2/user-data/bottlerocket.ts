/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/{bottlerocket,bottlerocketsettings}.go. It differs: TOML that
 * is none is refused with its line; a key below settings.kubernetes that is dropped is told.
 */

import { kubernetesKeys } from "./bottlerocket-keys.ts";
import { clusterDnsAddress } from "./cluster-dns.ts";
import type { UserDataInput } from "./input.ts";
import { refused, type UserDataAnswer } from "./problem.ts";
import { parseToml } from "./toml/parse-toml.ts";
import { isTable, type TomlRaw, type TomlTable, type TomlValue } from "./toml/toml-value.ts";
import { tomlText } from "./toml/write-toml.ts";

/** Karpenter: from here on the image binds its directories by itself. */
const ownDirectoriesSince = [1, 46] as const;
const directories = ["/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods"];
const storageCommand = "000-mount-instance-storage";

/** The user's settings, with ours over them: what joins the node is always ours, labels are merged. */
export function bottlerocketUserData(input: UserDataInput): UserDataAnswer {
  const text = input.custom.replaceAll("\r\n", "\n");
  const answer = parseToml(text);
  if (answer.kind === "problem") return refused(`not TOML: ${answer.message}`, answer.line);
  const settings = tableIn(answer.table, "settings");
  const kubernetes = settings === undefined ? undefined : tableIn(settings, "kubernetes");
  if (settings === undefined || kubernetes === undefined) return refused("settings and settings.kubernetes are tables");
  const dropped = [...kubernetes.keys()].filter((key) => !kubernetesKeys.includes(key)).sort();
  for (const key of dropped) kubernetes.delete(key);
  join(kubernetes, input);
  configure(kubernetes, input);
  if (input.bootstrap.instanceStorePolicy === "RAID0") mountStores(settings, input.imageVersion);
  const notes = dropped.map((key) => `settings.kubernetes.${key}`);
  return { kind: "text", text: tomlText(answer.table), ...(notes.length === 0 ? {} : { notes }) };
}

function join(kubernetes: TomlTable, { bootstrap, cluster }: UserDataInput): void {
  kubernetes.set("cluster-name", bootstrap.clusterName);
  kubernetes.set("api-server", cluster.endpoint);
  kubernetes.set("cluster-certificate", cluster.certificateAuthority);
  const labels = kubernetes.get("node-labels");
  kubernetes.set("node-labels", new Map([...(isTable(labels) ? labels : []), ...Object.entries(bootstrap.labels)]));
  const taints: TomlTable = new Map();
  for (const { key, value = "", effect } of bootstrap.taints) {
    const others = taints.get(key);
    taints.set(key, [...(Array.isArray(others) ? others : []), `${value}:${effect}`]);
  }
  kubernetes.set("node-taints", taints);
}

/** podsPerCore has no setting there. */
function configure(kubernetes: TomlTable, { bootstrap, cluster, kubelet }: UserDataInput): void {
  const dns =
    kubelet.clusterDNS?.[0] ?? (kubernetes.has("cluster-dns-ip") ? undefined : clusterDnsAddress(cluster.serviceCidr));
  const values: Readonly<Record<string, TomlValue | undefined>> = {
    "max-pods": raw(bootstrap.maxPods),
    "cluster-dns-ip": dns,
    "system-reserved": texts(kubelet.systemReserved),
    "kube-reserved": texts(kubelet.kubeReserved),
    "eviction-hard": texts(kubelet.evictionHard),
    "eviction-soft": texts(kubelet.evictionSoft),
    "eviction-soft-grace-period": texts(kubelet.evictionSoftGracePeriod),
    "eviction-max-pod-grace-period": raw(kubelet.evictionMaxPodGracePeriod),
    // Bottlerocket wants these two as texts.
    "image-gc-high-threshold-percent": text(kubelet.imageGCHighThresholdPercent),
    "image-gc-low-threshold-percent": text(kubelet.imageGCLowThresholdPercent),
    "cpu-cfs-quota-enforced": raw(kubelet.cpuCFSQuota),
  };
  for (const [key, value] of Object.entries(values)) if (value !== undefined) kubernetes.set(key, value);
}

/** Karpenter: instance stores are one volume from Bottlerocket 1.22 on. The user's other commands stay. */
function mountStores(settings: TomlTable, version: string | undefined): void {
  const commands = tableIn(settings, "bootstrap-commands") ?? new Map<string, TomlValue>();
  const bind = [
    "apiclient",
    "ephemeral-storage",
    "bind",
    ...(bindsByItself(version) ? [] : ["--dirs", ...directories]),
  ];
  commands.set(
    storageCommand,
    new Map<string, TomlValue>([
      ["commands", [["apiclient", "ephemeral-storage", "init"], bind]],
      ["mode", "always"],
      ["essential", { raw: "true" }],
    ]),
  );
  settings.set("bootstrap-commands", commands);
}

/** "latest" is new; what is not known is taken for old, which works on both. */
function bindsByItself(version: string | undefined): boolean {
  if (version === "latest") return true;
  const match = /^v?(\d+)\.(\d+)\./.exec(version ?? "");
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > ownDirectoriesSince[0] || (major === ownDirectoriesSince[0] && minor >= ownDirectoriesSince[1]);
}

/** The table under the key, made when absent; undefined where something else is. */
function tableIn(table: TomlTable, key: string): TomlTable | undefined {
  const found = table.get(key);
  if (found !== undefined) return isTable(found) ? found : undefined;
  const made: TomlTable = new Map();
  table.set(key, made);
  return made;
}

function raw(value: number | boolean | undefined): TomlRaw | undefined {
  return value === undefined ? undefined : { raw: String(value) };
}

function text(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function texts(values: Readonly<Record<string, string>> | undefined): TomlTable | undefined {
  return values === undefined || Object.keys(values).length === 0 ? undefined : new Map(Object.entries(values));
}
