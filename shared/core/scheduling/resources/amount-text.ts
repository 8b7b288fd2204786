/** Karpenter counterpart: none; its messages carry quantities as Go prints them. */
import { driverOfResource } from "../volumes/csi-driver.ts";

export function describeResource(name: string): string {
  const driver = driverOfResource(name);
  return driver === undefined ? name : `volumes of ${driver}`;
}

/** An amount as people say it, rounded to three digits after the point: 8.3 (CPU), 15.25Gi, 3. */
export function describeAmount(resource: string, amount: number): string {
  if (resource === "cpu") return trimmed(amount / 1000);
  if (resource === "memory" || resource === "ephemeral-storage" || resource.startsWith("hugepages-")) {
    const size = Math.abs(amount);
    if (size >= 2 ** 30) return `${trimmed(amount / 2 ** 30)}Gi`;
    if (size >= 2 ** 20) return `${trimmed(amount / 2 ** 20)}Mi`;
    return String(amount);
  }
  return String(amount);
}

function trimmed(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
