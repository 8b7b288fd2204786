import { expect } from "vitest";
import { node, nodePool, pod } from "../cluster-objects.ts";
import type { WatchNotice } from "../cluster-under-test.ts";
import { contractTest, type MakeCluster, stored } from "./cases.ts";

export function listCases(makeCluster: MakeCluster): void {
  pagingCases(makeCluster);
  selectorCases(makeCluster);
  watchCases(makeCluster);
}

function pagingCases(makeCluster: MakeCluster): void {
  contractTest(makeCluster, "the pages of a list show the revision of its first page", async ({ admin, prefix }) => {
    const query = { namespace: "default", labelSelector: `app=${prefix}`, limit: 2 };
    for (const name of ["a", "b", "c", "d", "e"])
      stored(await admin.create(pod(`${prefix}-${name}`, { app: prefix, cpu: "100" })));
    const first = stored(await admin.list("Pod", query));
    stored(await admin.delete("Pod", `${prefix}-e`, "default"));
    stored(await admin.create(pod(`${prefix}-f`, { app: prefix, cpu: "100" })));
    const names = first.items.map(({ metadata }) => metadata.name);
    let token = first.continue;
    for (let pages = 0; token !== undefined && pages < 5; pages++) {
      const page = stored(await admin.list("Pod", { ...query, continue: token }));
      expect(page.resourceVersion).toBe(first.resourceVersion);
      names.push(...page.items.map(({ metadata }) => metadata.name));
      token = page.continue;
    }
    expect(names).toEqual(["a", "b", "c", "d", "e"].map((name) => `${prefix}-${name}`));
  });

  contractTest(makeCluster, "an expired page says 410 and not half a list", async ({ admin, prefix, compact }) => {
    for (const name of ["a", "b"]) stored(await admin.create(nodePool(`${prefix}-${name}`)));
    const first = stored(await admin.list("NodePool", { limit: 1 }));
    if (compact === undefined || first.continue === undefined) return;
    await compact();
    const reply = await admin.list("NodePool", { limit: 1, continue: first.continue });
    expect(reply).toMatchObject({ kind: "refused", code: 410, reason: "Expired" });
  });
}

function selectorCases(makeCluster: MakeCluster): void {
  contractTest(makeCluster, "lists select by label and by field", async ({ admin, prefix }) => {
    stored(await admin.create(node(`${prefix}-n`, false)));
    stored(await admin.create(pod(`${prefix}-a`, { app: `${prefix}-x`, nodeName: `${prefix}-n` })));
    stored(await admin.create(pod(`${prefix}-b`, { app: `${prefix}-y`, nodeName: `${prefix}-n` })));
    stored(await admin.create(pod(`${prefix}-c`, { app: `${prefix}-x`, cpu: "100" })));
    const names = async (query: object): Promise<readonly string[]> =>
      stored(await admin.list("Pod", query)).items.map(({ metadata }) => metadata.name);
    expect(await names({ fieldSelector: `spec.nodeName=${prefix}-n` })).toEqual([`${prefix}-a`, `${prefix}-b`]);
    expect(await names({ labelSelector: `app in (${prefix}-x)` })).toEqual([`${prefix}-a`, `${prefix}-c`]);
    expect(await names({ labelSelector: `app=${prefix}-x`, fieldSelector: `spec.nodeName!=${prefix}-n` })).toEqual([
      `${prefix}-c`,
    ]);
    expect(await names({ fieldSelector: `metadata.name=${prefix}-b` })).toEqual([`${prefix}-b`]);
  });

  contractTest(
    makeCluster,
    "a field that cannot be selected by, and an unreadable selector, are bad requests",
    async ({ admin }) => {
      expect(await admin.list("Pod", { fieldSelector: "spec.priority=1" })).toMatchObject({ code: 400 });
      expect(await admin.list("Pod", { labelSelector: "a in b" })).toMatchObject({ code: 400 });
    },
  );
}

function watchCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a watch tells of every change after its revision, in order",
    async ({ admin, prefix, eventually }) => {
      const name = `${prefix}-p`;
      const { resourceVersion } = stored(await admin.list("NodePool"));
      stored(await admin.create(nodePool(name)));
      const heard: WatchNotice[] = [];
      const stop = await admin.watch("NodePool", resourceVersion, {}, (notice) => heard.push(notice));
      stored(await admin.patch("NodePool", name, undefined, { spec: { weight: 2 } }));
      stored(await admin.delete("NodePool", name));
      const ours = () => heard.filter(({ object }) => object.metadata.name === name).map(({ type }) => type);
      await eventually("three notices", async () => ours().length >= 3);
      stop();
      expect(ours()).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    },
  );

  contractTest(
    makeCluster,
    "an object that leaves a watch's selection is deleted for it",
    async ({ admin, prefix, eventually }) => {
      const { resourceVersion } = stored(await admin.list("Node"));
      const heard: WatchNotice[] = [];
      const query = { labelSelector: `team=${prefix}` };
      const stop = await admin.watch("Node", resourceVersion, query, (notice) => heard.push(notice));
      stored(await admin.create(node(`${prefix}-n`, false)));
      stored(await admin.patch("Node", `${prefix}-n`, undefined, { metadata: { labels: { team: prefix } } }));
      stored(await admin.patch("Node", `${prefix}-n`, undefined, { metadata: { labels: { team: null } } }));
      await eventually("it is gone", async () => heard.some(({ type }) => type === "DELETED"));
      stop();
      // The cluster's own controllers may change it while it is selected.
      expect(heard.map(({ type }) => type).filter((type) => type !== "MODIFIED")).toEqual(["ADDED", "DELETED"]);
    },
  );
}
