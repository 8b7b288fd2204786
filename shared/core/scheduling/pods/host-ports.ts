/**
 * Karpenter counterpart: pkg/scheduling/hostportusage.go. No difference: two ports collide when protocol and number are
 * equal and the addresses are equal or one of them means all. Init containers' ports do not count.
 */
import type { PodSpec } from "#api/core-v1/pod.ts";

export interface HostPort {
  readonly port: number;
  readonly protocol: string;
  readonly ip: string;
}

const anyAddress = "0.0.0.0";

/** Sorted by port, protocol, address. */
export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  const ports: HostPort[] = [];
  for (const container of spec.containers) {
    for (const { hostPort, hostIP, protocol } of container.ports ?? []) {
      if (hostPort === undefined || hostPort === 0) continue;
      ports.push({
        port: hostPort,
        protocol: protocol ?? "TCP",
        ip: hostIP === undefined || hostIP === "" ? anyAddress : hostIP,
      });
    }
  }
  return ports.sort((a, b) => a.port - b.port || compare(a.protocol, b.protocol) || compare(a.ip, b.ip));
}

/** The first of `wanted` that collides with one of `taken`. */
export function firstPortConflict(taken: readonly HostPort[], wanted: readonly HostPort[]): HostPort | undefined {
  if (taken.length === 0) return undefined;
  return wanted.find((port) => taken.some((other) => collide(port, other)));
}

function collide(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || isAny(a.ip) || isAny(b.ip);
}

function isAny(ip: string): boolean {
  return ip === anyAddress || ip === "::";
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
