import { expect, test } from "vitest";
import { lookedAt, nodeClass, pod, pool } from "../support/looked-at.ts";

const state = (pause: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: outrigger, namespace: kube-system}\ndata: {pause: ${pause}}\n---\n`;
const manifests = (pause: string): string => state(pause) + pod("web", "1") + pool("mine") + nodeClass;

test.each(["voluntary", "all"])(
  "of a cluster that is paused (%s) plan and explain say so first, and then what will come",
  async (pause) => {
    const { code, out } = await lookedAt(manifests(pause), "plan");
    expect(code).toBe(0);
    expect(out).toMatch(
      /^note: Outrigger is paused: .*; outrigger resume ends it, and what is said here is what comes then\n/,
    );
    expect(out).toMatch(/^New NodeClaim mine-\w+ of NodePool mine for pod default\/web$/m);
    const { out: explained } = await lookedAt(manifests(pause), "explain", "pod", "web");
    expect(explained).toMatch(/^note: Outrigger is paused: .*\n\nPod default\/web: should schedule on a new node/);
  },
);

test("doctor counts a pause as a finding, and one that is over as none", async () => {
  const found = /^ConfigMap\/outrigger: data[.]pause: is voluntary; outrigger resume, unless it is meant$/m;
  expect((await lookedAt(manifests("voluntary"), "doctor", "--cluster-config")).out).toMatch(found);
  const over = await lookedAt(manifests("voluntary until 2020-01-01T00:00:00Z"), "doctor", "--cluster-config");
  expect(over.out).not.toMatch(/paused|data[.]pause/);
});
