import { describe, expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { conditionOf } from "#core/condition.ts";
import type { Decision } from "#core/decision.ts";
import type { Fault } from "#core/fault.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { nodeClassOf, snapshotOf } from "../../../test/support/ec2-world.ts";
import type { Ec2View } from "../view.ts";
import { nodeClassOutcome } from "./node-class-outcome.ts";
import { nodeClasses } from "./node-classes.ts";

const noProfiles = { instanceProfiles: {}, ownProfiles: [] };
const denied: Fault = { kind: "forbidden", code: "AccessDenied", message: "not you" };

function after(nodeClass: EC2NodeClass, { commands }: Decision): EC2NodeClass {
  const patch = commands.find((command) => command.kind === "patch-status");
  return patch === undefined ? nodeClass : { ...nodeClass, status: { ...nodeClass.status, ...patch.status } };
}

/** A tick in which the profile is to be made and making it answers `fault`. */
function tick(nodeClass: EC2NodeClass, fault: Fault | undefined, view: Partial<Ec2View> = noProfiles) {
  const snapshot = snapshotOf({ nodeClasses: [nodeClass] }, view);
  const first = nodeClasses(snapshot);
  const made = first.commands.filter((command) => command.kind === "ensure-cloud-resource");
  const outcome = fault === undefined ? ({ kind: "done" } as const) : ({ kind: "failed", fault } as const);
  const steps = made.map((command) => ({ stage: "node-classes", command, outcome }));
  const between = after(nodeClass, first);
  const seen: Snapshot<Ec2View> = { ...snapshotOf({ nodeClasses: [between] }, view), steps };
  const second = nodeClassOutcome(seen);
  return { first, second, made, nodeClass: after(between, second) };
}

function profileReady(nodeClass: EC2NodeClass): string {
  const { status, message } = conditionOf(nodeClass, "InstanceProfileReady") ?? {};
  return `${status}: ${message}`;
}

test("a profile that is being made is nothing to warn of", () => {
  const { first, second, made } = tick(nodeClassOf(), undefined);
  expect(made).toHaveLength(1);
  expect(first.reasons).toMatchObject([{ code: "node-class-not-ready" }]);
  expect(first.reasons[0]).not.toHaveProperty("event");
  expect(second).toEqual({ commands: [], reasons: [] });
});

test("other causes are still warned of, under their own word", () => {
  const { first } = tick(nodeClassOf({ placementGroupSelector: { name: "x" } }), undefined);
  expect(first.reasons).toMatchObject([{ event: { type: "Warning", reason: "PlacementGroupNotFound" } }]);
  expect(first.reasons[0]?.message).not.toContain("profile");
});

test("one that cannot be made is told on the class, once, until it is there", () => {
  const failed = tick(nodeClassOf(), denied);
  const told = 'Unknown: no instance profile holds role "node-role", and none can be made: AccessDenied: not you';
  expect(profileReady(failed.nodeClass)).toBe(told);
  expect(failed.second.reasons).toMatchObject([{ event: { type: "Warning", reason: "InstanceProfileNotFound" } }]);
  const again = tick(failed.nodeClass, denied);
  expect(again.made).toHaveLength(1);
  expect([...again.first.commands, ...again.second.commands].filter(({ kind }) => kind === "patch-status")).toEqual([]);
  const mended = tick(again.nodeClass, undefined, {});
  expect(profileReady(mended.nodeClass)).toMatch(/^True/);
});

test("a role that IAM does not know is told so, and another role is another question", () => {
  const missing: Fault = { kind: "not-found", code: "NoSuchEntity", message: "Role x not found" };
  const { nodeClass } = tick(nodeClassOf({ role: "x" }), missing);
  expect(profileReady(nodeClass)).toContain("IAM has no such role");
  const changed = { ...nodeClass, spec: { ...nodeClass.spec, role: "y" } };
  expect(profileReady(tick(changed, undefined).nodeClass)).toBe('Unknown: no instance profile holds role "y" yet');
});

test("reads that AWS refuses are told with what does not happen without them", () => {
  const refusals = { statuses: "UnauthorizedOperation: no" };
  const { reasons } = nodeClasses(snapshotOf({ nodeClasses: [nodeClassOf()] }, { refusals }));
  expect(reasons).toMatchObject([
    { code: "read-refused", message: expect.stringMatching(/UnauthorizedOperation.*status checks/) },
  ]);
});

describe("row 69: a node role that cannot get into the cluster", () => {
  const validation = (entryType: string | undefined, authenticationMode: string, spec = {}) => {
    const nodeRoles = { "node-role": entryType === undefined ? {} : { entryType } };
    const facts = { endpoint: "https://demo", certificateAuthority: "Q0E=", serviceCidr: "10.100.0.0/16" };
    const view = { nodeRoles, clusterFacts: { ...facts, authenticationMode } };
    const nodeClass = nodeClassOf(spec);
    const { status, reason, message } =
      conditionOf(
        after(nodeClass, nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view))),
        "ValidationSucceeded",
      ) ?? {};
    return `${status} ${reason} ${message}`;
  };

  test("an entry of type STANDARD is refused, with what to run", () => {
    expect(validation("STANDARD", "API_AND_CONFIG_MAP")).toMatch(
      /^False NodeRoleNotAuthorized .*STANDARD.*create-access-entry --cluster-name demo .*--type EC2_LINUX$/,
    );
    expect(validation("STANDARD", "API", { amiSelectorTerms: [{ alias: "windows2022@latest" }] })).toMatch(
      /EC2_WINDOWS$/,
    );
  });

  test("no entry is refused only where the cluster takes nothing else", () => {
    expect(validation(undefined, "API")).toMatch(/^False NodeRoleNotAuthorized role "node-role" has no access entry/);
    expect(validation(undefined, "API_AND_CONFIG_MAP")).toMatch(/^True/);
    expect(validation("EC2_LINUX", "API")).toMatch(/^True/);
    expect(validation("STANDARD", "API", { role: "another" })).toMatch(/^True/);
  });
});

test("a selector's read that was refused says so where its result is missing", () => {
  const { view } = snapshotOf({ nodeClasses: [nodeClassOf()] }).cloud;
  const keys = [...Object.keys(view.subnets), ...Object.keys(view.securityGroups)];
  const refusals = Object.fromEntries(keys.map((key) => [key, "UnauthorizedOperation: no"]));
  const none = (answers: object) => Object.fromEntries(Object.keys(answers).map((key) => [key, []]));
  const empty = { subnets: none(view.subnets), securityGroups: none(view.securityGroups), refusals };
  const nodeClass = after(nodeClassOf(), nodeClasses(snapshotOf({ nodeClasses: [nodeClassOf()] }, empty)));
  for (const type of ["SubnetsReady", "SecurityGroupsReady"]) {
    expect(conditionOf(nodeClass, type)?.message).toMatch(/ \(UnauthorizedOperation: no\)$/);
  }
});
