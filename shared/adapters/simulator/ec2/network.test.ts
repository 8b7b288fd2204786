import { describe, expect, test } from "vitest";
import type { Filter } from "#ec2/view.ts";
import { Addresses } from "./addresses.ts";
import { Network, zoneIdOf } from "./network.ts";

const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
const query = (...filters: readonly Filter[]) => ({ key: "q", filters });
const networkOf = (obliging: boolean): Network => new Network("us-east-1", zones, "demo", obliging);

describe("Network", () => {
  test("the discovery tag finds one private subnet a zone and the group for nodes, whatever its value", () => {
    for (const value of ["demo", "another", "*"]) {
      const network = networkOf(false);
      const subnets = network.describeSubnets(query({ name: "tag:karpenter.sh/discovery", values: [value] }));
      expect(subnets.map(({ zone }) => zone).sort()).toEqual(zones);
      const groups = network.describeSecurityGroups(query({ name: "tag:karpenter.sh/discovery", values: [value] }));
      expect(groups.map(({ name }) => name)).toEqual(["demo-node"]);
    }
  });

  test("a second condition beside the discovery tag still counts", () => {
    const network = networkOf(false);
    const discovery = { name: "tag:karpenter.sh/discovery", values: ["demo"] };
    const inZone = network.describeSubnets(query(discovery, { name: "tag:Name", values: ["*-us-east-1b"] }));
    expect(inZone.map(({ zone }) => zone)).toEqual(["us-east-1b"]);
    expect(network.describeSubnets(query(discovery, { name: "tag:Name", values: ["other"] }))).toEqual([]);
  });

  test("tags that exist decide, in an obliging account too", () => {
    const network = networkOf(true);
    const subnets = network.describeSubnets(query({ name: "tag:Name", values: ["*public*"] }));
    const privates = network.describeSubnets(query({ name: "tag:kubernetes.io/role/internal-elb", values: ["1"] }));
    expect(subnets).toHaveLength(3);
    expect(privates.some(({ id }) => subnets.some((subnet) => subnet.id === id))).toBe(false);
  });

  test("an obliging account has whatever tag, well-formed id or name is asked for", () => {
    const network = networkOf(true);
    expect(network.describeSubnets(query({ name: "tag:team", values: ["web"] }))).toHaveLength(3);
    const ids = ["subnet-0aaaaaaa1", "subnet-0aaaaaaa2", "subnet-0aaaaaaa3", "subnet-nonsense"];
    const byId = network.describeSubnets(query({ name: "subnet-id", values: ids }));
    expect(byId.map(({ id }) => id)).toEqual(ids.slice(0, 3));
    expect(byId.map(({ zone }) => zone).sort()).toEqual(zones);
    const groups = network.describeSecurityGroups(query({ name: "group-name", values: ["my-nodes", "demo-*"] }));
    expect(groups.map(({ name }) => name).sort()).toEqual(["demo-cluster", "demo-node", "my-nodes"]);
  });

  test("an account that does not oblige has none of these", () => {
    const network = networkOf(false);
    expect(network.describeSubnets(query({ name: "tag:team", values: ["web"] }))).toEqual([]);
    expect(network.describeSubnets(query({ name: "subnet-id", values: ["subnet-0aaaaaaa1"] }))).toEqual([]);
    expect(network.describeSecurityGroups(query({ name: "group-id", values: ["sg-0aaaaaaa1"] }))).toEqual([]);
  });

  test("zone ids are in AWS's spelling", () => {
    expect(zoneIdOf("us-east-1", zones, "us-east-1b")).toBe("use1-az2");
    expect(zoneIdOf("ap-southeast-2", ["ap-southeast-2a"], "ap-southeast-2a")).toBe("aps2-az1");
  });
});

describe("Addresses", () => {
  test("no two machines that run at once have the same address, over many times the subnet's size", () => {
    const addresses = new Addresses([0, 16]);
    const held: string[] = [];
    for (let i = 0; i < 10_000; i++) {
      const taken = addresses.take(1);
      expect(taken).toBeDefined();
      expect(held).not.toContain(taken);
      held.push(taken ?? "");
      if (held.length > 20) addresses.giveBack(held.shift() ?? "", 1);
    }
    expect(held.every((address) => /^10\.0\.(1[6-9]|2\d|3[01])\.\d{1,3}$/.test(address))).toBe(true);
  });

  test("a full subnet gives none until some come back", () => {
    const addresses = new Addresses([0, 0]);
    addresses.resize(25);
    const first = addresses.take(10);
    expect(addresses.take(10)).toBeDefined();
    expect(addresses.free).toBe(5);
    expect(addresses.take(10)).toBeUndefined();
    addresses.giveBack(first ?? "", 10);
    expect(addresses.take(10)).toBeDefined();
  });
});
