import { describe, expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Command, EnsureCloudResource } from "#core/command.ts";
import { conditionOf } from "#core/condition.ts";
import { nodeClassOf, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import type { Ec2View, OwnProfile } from "../view.ts";
import { nodeClasses } from "./node-classes.ts";

function profile(name: string, role: string, createdAtMs = 0): OwnProfile {
  return { name, role, createdAtMs };
}

function commandsOf(nodeClass: EC2NodeClass, view: Partial<Ec2View>): readonly Command[] {
  return nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view)).commands;
}

function ensured(nodeClass: EC2NodeClass, view: Partial<Ec2View> = {}): EnsureCloudResource | undefined {
  const commands = commandsOf(nodeClass, { instanceProfiles: {}, ownProfiles: [], ...view });
  return commands.find((command) => command.kind === "ensure-cloud-resource");
}

function statusOf(nodeClass: EC2NodeClass, view: Partial<Ec2View>): EC2NodeClass {
  const patch = commandsOf(nodeClass, view).find((command) => command.kind === "patch-status");
  return patch === undefined ? nodeClass : { ...nodeClass, status: { ...nodeClass.status, ...patch.status } };
}

describe("a role without a profile", () => {
  test("gets one, named by class and role, below the class's path, with Karpenter's tags", () => {
    expect(ensured(nodeClassOf({ tags: { team: "a" } }))).toEqual({
      kind: "ensure-cloud-resource",
      type: "instance-profile",
      name: expect.stringMatching(/^demo_[0-9a-z]{12}$/),
      content: { role: "node-role", path: "/karpenter/us-east-1/demo/uid-default/" },
      tags: {
        team: "a",
        "kubernetes.io/cluster/demo": "owned",
        "eks:eks-cluster-name": "demo",
        "karpenter.k8s.aws/ec2nodeclass": "default",
        "topology.kubernetes.io/region": "us-east-1",
      },
    });
  });

  test("asks for the same one again, and for another one when its role is another", () => {
    const name = ensured(nodeClassOf())?.name;
    expect(ensured(nodeClassOf())?.name).toBe(name);
    expect(ensured(nodeClassOf({ role: "other" }))?.name).not.toBe(name);
  });

  test("may be named with its path", () => {
    expect(ensured(nodeClassOf({ role: "team/a/node-role" }))?.content.role).toBe("node-role");
  });

  test("waits while the list of profiles is not known", () => {
    const whole = snapshotOf({ nodeClasses: [nodeClassOf()] }, { instanceProfiles: {} });
    const { ownProfiles: _, ...view } = whole.cloud.view;
    const { commands } = nodeClasses({ ...whole, cloud: { ...whole.cloud, view } });
    expect(commands.map(({ kind }) => kind)).toEqual(["patch-status"]);
  });
});

describe("a profile that is there", () => {
  test("and holds the role is adopted", () => {
    const view = { ownProfiles: [profile("made-by-karpenter", "node-role")] };
    const both = { ...view, instanceProfiles: { "node-role": "made-by-karpenter" } };
    expect(ensured(nodeClassOf(), both)).toBeUndefined();
    expect(statusOf(nodeClassOf(), both).status?.instanceProfile).toBe("made-by-karpenter");
  });

  test("is kept while it holds the role, whatever others there are", () => {
    const nodeClass = { ...resolvedClass(), status: { ...resolvedClass().status, instanceProfile: "second" } };
    const ownProfiles = [profile("first", "node-role"), profile("second", "node-role")];
    const view = { ownProfiles, instanceProfiles: { "node-role": "first" } };
    expect(statusOf(nodeClass, view).status?.instanceProfile).toBe("second");
  });

  test("is left for another one when the class's role changes, and is not changed", () => {
    const nodeClass = { ...nodeClassOf({ role: "new-role" }), status: { instanceProfile: "old" } };
    const view = { ownProfiles: [profile("old", "node-role")], instanceProfiles: {} };
    expect(ensured(nodeClass, view)?.content.role).toBe("new-role");
    expect(conditionOf(statusOf(nodeClass, view), "InstanceProfileReady")?.status).toBe("Unknown");
  });
});

test("where IAM cannot be reached the class is told to name its profile itself", () => {
  const view = { instanceProfiles: {}, refusals: { instanceProfiles: "IAM could not be reached" } };
  const condition = conditionOf(statusOf(nodeClassOf(), view), "InstanceProfileReady");
  expect(condition?.status).toBe("Unknown");
  expect(condition?.message).toContain("set spec.instanceProfile in place of spec.role");
  expect(ensured(nodeClassOf(), { ...view, ownProfiles: [] })).toBeUndefined();
});
