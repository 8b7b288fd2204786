/**
 * Karpenter counterpart: pkg/controllers/providers/instancetype/capacity and the discovered capacity cache (60 days,
 * memory only). It differs: the facts are keys of the state ConfigMap, so that every invocation knows them, and what a
 * node reports of its ephemeral storage counts too, since that estimate errs as well.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { stableHash } from "#core/stable-hash.ts";
import { keyFamilies } from "#core/state/key-families.ts";

export interface LearnedCapacity {
  readonly memoryBytes: number;
  readonly storageBytes: number;
}

/** Karpenter: DiscoveredCapacityCacheTTL. */
const keptMs = 60 * 24 * 60 * 60_000;
const { prefix } = keyFamilies.learned;

/** A fact, as `bytes bytes ms` of memory, ephemeral storage and the end of its time. */
export function learnedKey(instanceType: string, nodeClass: EC2NodeClass): string {
  return `${prefix}${instanceType}.${scopeOf(nodeClass)}`;
}

export function learnedText(capacity: LearnedCapacity, nowMs: number): string {
  return `${capacity.memoryBytes} ${capacity.storageBytes} ${nowMs + keptMs}`;
}

export function readLearned(text: string | undefined, nowMs: number): LearnedCapacity | undefined {
  const match = /^(\d+) (\d+) (\d+)$/.exec(text ?? "");
  if (match === null || Number(match[3]) <= nowMs) return undefined;
  return { memoryBytes: Number(match[1]), storageBytes: Number(match[2]) };
}

/** What is known of the class's types, by type name. */
export function learnedCapacities(
  state: Readonly<Record<string, string>>,
  nodeClass: EC2NodeClass,
  nowMs: number,
): ReadonlyMap<string, LearnedCapacity> {
  const suffix = `.${scopeOf(nodeClass)}`;
  const byType = new Map<string, LearnedCapacity>();
  for (const key of Object.keys(state).sort()) {
    if (!key.startsWith(prefix) || !key.endsWith(suffix)) continue;
    const learned = readLearned(state[key], nowMs);
    if (learned !== undefined) byType.set(key.slice(prefix.length, -suffix.length), learned);
  }
  return byType;
}

/** Images and devices: when one of them changes, nodes must report anew. */
function scopeOf({ spec, status }: EC2NodeClass): string {
  const images = (status?.amis ?? []).map(({ id }) => id).sort();
  const devices = [spec.amiFamily ?? "", spec.blockDeviceMappings ?? [], spec.instanceStorePolicy ?? ""];
  return stableHash(JSON.stringify([images, devices]), 10);
}
