import type { PodSpec } from "#api/core-v1/pod.ts";

interface Port {
  readonly address: string;
  readonly port: number;
  readonly protocol: string;
}

/** The first port of the host that one of the pods wants and another pod, or one of the others, has; undefined for none. */
export function sharedPort(pods: readonly PodSpec[], others: readonly PodSpec[]): string | undefined {
  const taken = others.flatMap(hostPorts);
  for (const pod of pods) {
    const own = hostPorts(pod);
    const clash = own.find((wanted) => taken.some((other) => collide(wanted, other)));
    if (clash !== undefined) return `${clash.protocol} ${clash.address}:${clash.port}`;
    taken.push(...own);
  }
  return undefined;
}

function hostPorts({ containers, hostNetwork }: PodSpec): readonly Port[] {
  return containers
    .flatMap(({ ports = [] }) => ports)
    .flatMap(({ hostPort, containerPort, hostIP = "", protocol = "TCP" }) => {
      const port = hostPort ?? (hostNetwork === true ? containerPort : 0);
      return port === 0 ? [] : [{ address: hostIP === "" ? "0.0.0.0" : hostIP, port, protocol }];
    });
}

/** Kubernetes: the unspecified address is every address. */
function collide(a: Port, b: Port): boolean {
  const everywhere = ["0.0.0.0", "::"];
  const sameAddress = a.address === b.address || everywhere.includes(a.address) || everywhere.includes(b.address);
  return a.port === b.port && a.protocol === b.protocol && sameAddress;
}
