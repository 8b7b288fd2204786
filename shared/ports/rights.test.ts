import { describe, expect, test } from "vitest";
import { cloudRights, clusterObservation, clusterRights } from "./rights.ts";
import { viewKinds } from "./view-kinds.ts";

const names = clusterObservation.map(({ apiGroup, resource }) => `${resource}.${apiGroup}`);

describe("the table of rights", () => {
  test("every list of a view can be listed and watched, and so can the state and the kinds that are not supported yet", () => {
    expect(clusterObservation.every(({ verbs }) => verbs.includes("list") && verbs.includes("watch"))).toBe(true);
    expect(names).toHaveLength(Object.keys(viewKinds).length + 4);
    expect(names).toEqual(
      expect.arrayContaining([
        "configmaps.",
        "ec2nodeclasses.karpenter.k8s.aws",
        "nodeoverlays.karpenter.sh",
        "capacitybuffers.autoscaling.x-k8s.io",
      ]),
    );
  });

  test("every command asks for a right somewhere, and none in both worlds", () => {
    for (const [kind, rights] of Object.entries(clusterRights)) {
      const aws = cloudRights[kind as keyof typeof cloudRights];
      expect([kind, rights.length > 0 !== aws.length > 0]).toEqual([kind, true]);
    }
  });

  test("what changes or ends an instance is restricted to our own", () => {
    const changing = Object.values(cloudRights)
      .flat()
      .filter(({ actions }) => actions.some((action) => !/:(Describe|Get|List)/.test(action)));
    expect(changing.length).toBeGreaterThan(3);
    expect(changing.every(({ onlyOurs }) => onlyOurs)).toBe(true);
  });

  test("no wildcard", () => {
    const all = [...clusterObservation, ...Object.values(clusterRights).flat()];
    expect(all.filter(({ resource, apiGroup }) => `${resource}${apiGroup}`.includes("*"))).toEqual([]);
    expect(
      Object.values(cloudRights)
        .flat()
        .flatMap(({ actions }) => actions)
        .filter((a) => a.includes("*")),
    ).toEqual([]);
  });
});
