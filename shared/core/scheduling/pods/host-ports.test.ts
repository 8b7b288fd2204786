import { describe, expect, test } from "vitest";
import type { ContainerPort } from "#api/core-v1/pod.ts";
import { firstPortConflict, hostPortsOf } from "./host-ports.ts";

const ports = (...list: Partial<ContainerPort>[]) =>
  hostPortsOf({ containers: [{ name: "c", ports: list.map((port) => ({ containerPort: 1, ...port })) }] });

describe("two host ports", () => {
  test.each<[string, Partial<ContainerPort>, Partial<ContainerPort>, boolean]>([
    ["of one number collide", { hostPort: 80 }, { hostPort: 80 }, true],
    ["of two numbers do not", { hostPort: 80 }, { hostPort: 81 }, false],
    ["of two protocols do not", { hostPort: 80 }, { hostPort: 80, protocol: "UDP" }, false],
    ["on two addresses do not", { hostPort: 80, hostIP: "10.0.0.1" }, { hostPort: 80, hostIP: "10.0.0.2" }, false],
    [
      "collide when one is on all addresses",
      { hostPort: 80, hostIP: "10.0.0.1" },
      { hostPort: 80, hostIP: "0.0.0.0" },
      true,
    ],
    [
      "collide when one is on all IPv6 addresses",
      { hostPort: 80, hostIP: "10.0.0.1" },
      { hostPort: 80, hostIP: "::" },
      true,
    ],
  ])("%s", (_, a, b, collide) => {
    expect(firstPortConflict(ports(a), ports(b)) !== undefined).toBe(collide);
  });
});

test("ports that are not on the host do not count, nor do init containers' ports", () => {
  const web = { containerPort: 80 };
  const spec = {
    containers: [{ name: "c", ports: [web] }],
    initContainers: [{ name: "i", ports: [{ ...web, hostPort: 80 }] }],
  };
  expect(hostPortsOf(spec)).toEqual([]);
});
