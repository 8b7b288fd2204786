import { describe, expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { conditionOf } from "#core/condition.ts";
import type { Settings } from "#core/settings.ts";
import { nodeClassOf, resolvedClass, settings, snapshotOf } from "../../../test/support/ec2-world.ts";
import { ec2Provider } from "../provider.ts";
import type { DryRun, DryRunAnswer, Ec2View } from "../view.ts";
import { dryRunTemplate } from "./dry-run.ts";
import { nodeClasses } from "./node-classes.ts";

function asked(nodeClass: EC2NodeClass, of: Settings = settings): readonly DryRun[] {
  return ec2Provider.query(snapshotOf({ nodeClasses: [nodeClass] }, {}, of).cluster, of).dryRuns ?? [];
}

function conditionAfter(nodeClass: EC2NodeClass, answer: DryRunAnswer) {
  const dryRuns = Object.fromEntries(asked(nodeClass).map(({ key }) => [key, answer]));
  const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, { dryRuns }));
  const patch = commands.find((command) => command.kind === "patch-status");
  return conditionOf(patch === undefined ? nodeClass : { ...nodeClass, status: patch.status }, "ValidationSucceeded");
}

describe("what is tried", () => {
  test("a launch with the class's own image, network and profile, once it has them", () => {
    expect(asked(nodeClassOf())).toEqual([]);
    expect(asked(resolvedClass())).toMatchObject([
      {
        instanceType: "m6g.large",
        subnetIds: ["subnet-0b", "subnet-1a", "subnet-0a"],
        securityGroupIds: ["sg-1", "sg-2"],
        instanceProfile: "profile-of-node-role",
        tags: { "karpenter.sh/nodepool": "", "kubernetes.io/cluster/demo": "owned" },
      },
    ]);
  });

  test("has the metadata options, disks and interface of the class, for accounts that make rules about them", () => {
    const spec = { metadataOptions: { httpPutResponseHopLimit: 2 }, associatePublicIPAddress: false };
    expect(asked(resolvedClass(spec))[0]?.details).toMatchObject({
      MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 2 },
      BlockDeviceMappings: [{ DeviceName: "/dev/xvda", Ebs: { Encrypted: true, VolumeSize: 20 } }],
      NetworkInterfaces: [{ DeviceIndex: 0, AssociatePublicIpAddress: false, Groups: ["sg-1", "sg-2"] }],
      Monitoring: { Enabled: false },
    });
  });

  test("tags the interfaces that a fleet would make, by its template: the policy lets none be made without", () => {
    const [dryRun] = asked(resolvedClass());
    if (dryRun === undefined) throw new Error("nothing is tried");
    const { details, tags } = dryRunTemplate(dryRun, "demo");
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    expect(details.TagSpecifications).toEqual([{ ResourceType: "network-interface", Tags }]);
    expect(tags).toMatchObject({ "kubernetes.io/cluster/demo": "owned", "karpenter.sh/nodepool": "" });
  });

  test("is asked again when an annotation changes, and not for those that are ours", () => {
    const annotated = (annotations: Readonly<Record<string, string>>): string | undefined => {
      const resolved = resolvedClass();
      return asked({ ...resolved, metadata: { ...resolved.metadata, annotations } })[0]?.key;
    };
    expect(annotated({ again: "1" })).not.toBe(annotated({ again: "2" }));
    expect(annotated({ "karpenter.k8s.aws/ec2nodeclass-hash": "x" })).toBe(annotated({}));
  });

  test("is nothing when dry runs are switched off", () => {
    expect(asked(resolvedClass(), { ...settings, provider: { disableDryRun: true } })).toEqual([]);
  });
});

describe("what the answers mean", () => {
  test.each([
    ["RunInstances", "RunInstancesAuthCheckFailed"],
    ["CreateLaunchTemplate", "CreateLaunchTemplateAuthCheckFailed"],
  ] as const)("%s that is not allowed fails the class and says which right it lacks", (call, reason) => {
    const condition = conditionAfter(resolvedClass(), { kind: "forbidden", call, message: "no" });
    expect(condition).toMatchObject({ status: "False", reason, message: `ec2:${call} is not allowed: no` });
  });

  test("a profile of the user's own that EC2 does not know fails the class; one just made is waited for", () => {
    const missing: DryRunAnswer = { kind: "profile-missing", message: "no such profile" };
    const { role: _, ...spec } = nodeClassOf({ instanceProfile: "own" }).spec;
    const own = { ...resolvedClass(), spec, status: { ...resolvedClass().status, instanceProfile: "own" } };
    expect(conditionAfter(own, missing)?.reason).toBe("InstanceProfileNotFound");
    expect(conditionAfter(resolvedClass(), missing)?.status).toBe("True");
  });

  test("an answer that is missing changes nothing", () => {
    const nodeClass = resolvedClass();
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, { dryRuns: {} }));
    expect(commands.filter(({ kind }) => kind !== "ensure-launch-template")).toEqual([]);
  });
});

describe("the template of the fleet's dry run", () => {
  const nodeClass = resolvedClass();
  const names = (view: Partial<Ec2View>) =>
    nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, view)).commands.flatMap((command) =>
      command.kind === "ensure-launch-template" ? [command.name] : [],
    );
  const own = asked(nodeClass)[0]?.launchTemplate ?? "";
  const row = { name: own, createdAtMs: 0, nodeClass: "default", clusterIdentity: settings.clusterIdentity };

  test("is made once, and where nothing is tried it is not made", () => {
    expect(names({ dryRuns: {} })).toEqual([own]);
    expect(names({ dryRuns: {}, ownTemplates: [row] })).toEqual([]);
    expect(names({})).toEqual([]);
  });

  test("is kept as long as the class is what it was made for", () => {
    const other = { ...row, name: "karpenter.k8s.aws/old" };
    const { commands } = nodeClasses(snapshotOf({ nodeClasses: [nodeClass] }, { ownTemplates: [other, row] }));
    const deleted = commands.flatMap((command) => (command.kind === "delete-cloud-resource" ? [command.name] : []));
    expect(deleted).toEqual(["karpenter.k8s.aws/old"]);
  });
});
