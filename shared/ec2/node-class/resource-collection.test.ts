import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { DeleteCloudResource } from "#core/command.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { claimOf, nodeClassOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { instanceProfileAnnotation } from "../labels.ts";
import type { Ec2View, OwnProfile, OwnTemplate } from "../view.ts";
import { nodeClasses } from "./node-classes.ts";

const hourMs = 3_600_000;
const old = nowMs - 2 * hourMs;

function profile(name: string, createdAtMs = old): OwnProfile {
  return { name, role: "node-role", createdAtMs };
}

function template(name: string, change: Partial<OwnTemplate> = {}): OwnTemplate {
  return { name, createdAtMs: old, nodeClass: "default", clusterIdentity: "arn:demo@1", ...change };
}

function deleted(snapshot: Snapshot<Ec2View>): readonly string[] {
  return nodeClasses(snapshot)
    .commands.filter((command): command is DeleteCloudResource => command.kind === "delete-cloud-resource")
    .map(({ type, name }) => `${type} ${name}`);
}

function world(view: Partial<Ec2View>, claims: readonly NodeClaim[] = []): Snapshot<Ec2View> {
  const nodeClass = resolvedClass();
  return snapshotOf({ nodeClasses: [nodeClass], nodeClaims: claims }, view);
}

describe("profiles", () => {
  test("one that no class and no claim names goes an hour after it was made", () => {
    const used = resolvedClass().status?.instanceProfile ?? "";
    const held = {
      ...claimOf(),
      metadata: { ...claimOf().metadata, annotations: { [instanceProfileAnnotation]: "held" } },
    };
    const ownProfiles = [profile("free"), profile("held"), profile("young", nowMs - hourMs), profile(used)];
    expect(deleted(world({ ownProfiles }, [held]))).toEqual(["instance-profile free"]);
  });

  test("nothing goes while a read is missing", () => {
    const snapshot = world({ ownProfiles: [profile("free")] });
    expect(deleted({ ...snapshot, cloud: { ...snapshot.cloud, incomplete: ["instances"] } })).toEqual([]);
  });
});

describe("launch templates", () => {
  test("an old one of this very cluster goes when nothing of its class is being launched", () => {
    const ownTemplates = [
      template("old"),
      template("young", { createdAtMs: nowMs - hourMs }),
      template("of-a-cluster-before", { clusterIdentity: "arn:demo@0" }),
      template("of-nobody-known", { clusterIdentity: undefined as never }),
    ];
    expect(deleted(world({ ownTemplates }))).toEqual(["launch-template old"]);
    expect(deleted(world({ ownTemplates }, [claimOf()]))).toEqual([]);
  });

  test("few go in one tick", () => {
    const ownTemplates = Array.from({ length: 9 }, (_, i) => template(`t${i}`));
    expect(deleted(world({ ownTemplates }))).toHaveLength(5);
  });
});

describe("a class that is deleted", () => {
  const leaving = {
    ...nodeClassOf(),
    metadata: { ...nodeClassOf().metadata, deletionTimestamp: "2026-11-30T12:00:00Z" },
    status: { instanceProfile: "own" },
  };

  test("takes its templates and its profile with it, and its finalizer when they are gone", () => {
    const ownTemplates = [template("a"), template("other", { nodeClass: "other", createdAtMs: nowMs })];
    const view = { ownProfiles: [profile("own")], ownTemplates };
    const first = nodeClasses(snapshotOf({ nodeClasses: [leaving] }, view));
    expect(first.commands.map((command) => ("name" in command ? command.name : command.kind)).slice(0, 2)).toEqual([
      "own",
      "a",
    ]);
    const second = nodeClasses(snapshotOf({ nodeClasses: [leaving] }, { ownProfiles: [], ownTemplates: [] }));
    expect(second.commands).toMatchObject([{ kind: "patch-metadata", finalizers: [] }]);
  });

  test.each(["ownTemplates", "ownProfiles"])("stays, with its finalizer, while %s cannot be read", (field) => {
    const whole = snapshotOf({ nodeClasses: [leaving] });
    const view = Object.fromEntries(Object.entries(whole.cloud.view).filter(([name]) => name !== field));
    const { commands, reasons } = nodeClasses({
      ...whole,
      cloud: { ...whole.cloud, view: view as unknown as Ec2View },
    });
    expect(commands).toEqual([]);
    expect(reasons[0]?.message).toBe(
      "EC2NodeClass default stays: its launch templates and instance profile could not be listed",
    );
  });

  test("needs no list of profiles where it runs under one of the user's own", () => {
    const own = { ...leaving, spec: nodeClassOf({ instanceProfile: "own" }).spec };
    const { ownProfiles: _, ...view } = snapshotOf({ nodeClasses: [own] }).cloud.view;
    const whole = snapshotOf({ nodeClasses: [own] });
    expect(nodeClasses({ ...whole, cloud: { ...whole.cloud, view } }).commands).toMatchObject([{ finalizers: [] }]);
  });

  test("leaves a profile that another class runs under, and one that is not ours", () => {
    const other = { ...nodeClassOf({}, "other"), status: { instanceProfile: "own" } };
    const shared = snapshotOf({ nodeClasses: [leaving, other] }, { ownProfiles: [profile("own")] });
    expect(deleted(shared)).toEqual([]);
    expect(deleted(snapshotOf({ nodeClasses: [leaving] }, { ownProfiles: [] }))).toEqual([]);
  });

  test("waits for its claims first", () => {
    const view = { ownProfiles: [profile("own")] };
    expect(deleted(snapshotOf({ nodeClasses: [leaving], nodeClaims: [claimOf()] }, view))).toEqual([]);
  });
});
