import type { Filter, FilterQuery, SecurityGroup, Subnet } from "#ec2/view.ts";
import { Addresses } from "./addresses.ts";
import { type Filterable, passes } from "./filter.ts";
import { hexId } from "./seeded-draw.ts";

export interface SubnetRecord extends Filterable {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly addresses: Addresses;
  /** Nodes belong here: what a query by the discovery tag finds. */
  readonly isForNodes: boolean;
}

interface GroupRecord extends Filterable {
  readonly group: SecurityGroup;
  readonly isForNodes: boolean;
}

const discoveryKey = "karpenter.sh/discovery";

/**
 * One VPC: a private and a public subnet a zone, a security group for nodes and one for the control plane. Those for
 * nodes carry `karpenter.sh/discovery` with any value that is asked for. In an obliging account they carry every other
 * tag too, and well-formed ids and names exist, since only the user knows the real ones.
 */
export class Network {
  readonly #vpcId: string;
  readonly #zones: readonly string[];
  readonly #region: string;
  readonly #obliging: boolean;
  readonly #subnets = new Map<string, SubnetRecord>();
  readonly #groups = new Map<string, GroupRecord>();
  readonly #avoided = new Set<string>();

  constructor(region: string, zones: readonly string[], clusterName: string, obliging: boolean) {
    this.#vpcId = hexId("vpc", clusterName);
    this.#zones = zones;
    this.#region = region;
    this.#obliging = obliging;
    const owned = { [`kubernetes.io/cluster/${clusterName}`]: "owned" };
    for (const kind of ["private", "public"] as const) {
      const role = kind === "private" ? "kubernetes.io/role/internal-elb" : "kubernetes.io/role/elb";
      for (const zone of zones) {
        const tags = { Name: `${clusterName}-${kind}-${zone}`, [role]: "1", ...owned };
        this.#addSubnet(hexId("subnet", `${clusterName} ${kind} ${zone}`), zone, tags, kind === "private");
      }
    }
    for (const kind of ["node", "cluster"] as const) {
      const name = `${clusterName}-${kind}`;
      this.#addGroup(hexId("sg", name), name, { Name: name, ...owned }, kind === "node");
    }
  }

  describeSubnets(query: FilterQuery): readonly Subnet[] {
    if (this.#obliging) this.#obligeSubnets(query);
    return this.#find([...this.#subnets.values()], query)
      .map(({ id, zone, zoneId, addresses }) => ({ id, zone, zoneId, freeAddresses: addresses.free }))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  describeSecurityGroups(query: FilterQuery): readonly SecurityGroup[] {
    if (this.#obliging) this.#obligeGroups(query);
    return this.#find([...this.#groups.values()], query)
      .map(({ group }) => group)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** IPv4 addresses that no new machine gets: others have them. */
  avoid(addresses: readonly string[]): void {
    for (const address of addresses) this.#avoided.add(address);
  }

  subnet(id: string): SubnetRecord | undefined {
    return this.#subnets.get(id);
  }

  hasGroup(id: string): boolean {
    return this.#groups.has(id);
  }

  /** Where a launch that names no subnet lands: the zone's emptiest one for nodes. */
  usualSubnet(zone: string): SubnetRecord | undefined {
    return [...this.#subnets.values()]
      .filter((subnet) => subnet.zone === zone && subnet.isForNodes)
      .sort((a, b) => b.addresses.free - a.addresses.free || (a.id < b.id ? -1 : 1))[0];
  }

  #find<T extends Filterable & { readonly isForNodes: boolean }>(
    records: readonly T[],
    query: FilterQuery,
  ): readonly T[] {
    const others = query.filters.filter((filter) => !isDiscovery(filter));
    const isByDiscovery = others.length < query.filters.length;
    const found = records.filter((record) => (record.isForNodes || !isByDiscovery) && passes(record, others));
    const isByTagsAlone = others.every(({ name }) => name.startsWith("tag:") || name === "tag-key");
    return found.length === 0 && this.#obliging && isByTagsAlone
      ? records.filter((record) => record.isForNodes)
      : found;
  }

  #obligeSubnets(query: FilterQuery): void {
    for (const id of valuesOf(query, "subnet-id")) {
      if (!/^subnet-[0-9a-f]{8,17}$/.test(id) || this.#subnets.has(id)) continue;
      const zone = this.#zones[this.#subnets.size % this.#zones.length];
      if (zone !== undefined) this.#addSubnet(id, zone, {}, false);
    }
  }

  #obligeGroups(query: FilterQuery): void {
    for (const id of valuesOf(query, "group-id")) {
      if (/^sg-[0-9a-f]{8,17}$/.test(id) && !this.#groups.has(id)) this.#addGroup(id, id, {}, false);
    }
    for (const pattern of valuesOf(query, "group-name")) {
      const byName: readonly Filter[] = [{ name: "group-name", values: [pattern] }];
      if ([...this.#groups.values()].some((record) => passes(record, byName))) continue;
      const name = pattern.replaceAll("*", "any");
      this.#addGroup(hexId("sg", name), name, {}, false);
    }
  }

  #addSubnet(id: string, zone: string, tags: Readonly<Record<string, string>>, isForNodes: boolean): void {
    const number = this.#subnets.size;
    this.#subnets.set(id, {
      id,
      zone,
      zoneId: zoneIdOf(this.#region, this.#zones, zone),
      addresses: new Addresses([number >> 4, (number & 15) << 4], this.#avoided),
      isForNodes,
      tags,
      attributes: { "subnet-id": id, "availability-zone": zone, "vpc-id": this.#vpcId, state: "available" },
    });
  }

  #addGroup(id: string, name: string, tags: Readonly<Record<string, string>>, isForNodes: boolean): void {
    const attributes = { "group-id": id, "group-name": name, "vpc-id": this.#vpcId };
    this.#groups.set(id, { group: { id, name }, isForNodes, tags, attributes });
  }
}

function valuesOf(query: FilterQuery, name: string): readonly string[] {
  return query.filters.filter((filter) => filter.name === name).flatMap((filter) => filter.values);
}

/** Any value of the discovery tag, and its bare key. */
function isDiscovery({ name, values }: Filter): boolean {
  return name === `tag:${discoveryKey}` || (name === "tag-key" && values.includes(discoveryKey));
}

/** us-east-1b of three → use1-az2. */
export function zoneIdOf(region: string, zones: readonly string[], zone: string): string {
  const [first = "", ...rest] = region.split("-");
  return `${first}${rest.map((part) => part.slice(0, 1)).join("")}-az${zones.indexOf(zone) + 1}`;
}
