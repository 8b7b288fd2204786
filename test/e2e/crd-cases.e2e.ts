/**
 * Our CRDs as the API server itself takes them: every case of test/golden/crd-cases, accepted, refused or defaulted as
 * shared/api does it.
 */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { parseObject } from "#api/parse.ts";
import { formatProblem } from "#api/problem.ts";
import { sameJson } from "#api/same-json.ts";
import type { Reply } from "../contract/cluster-under-test.ts";
import {
  type CrdCase,
  type CrdCases,
  neighbours,
  objectOf,
  objectOf as objectOfChanges,
  storedObjectOf,
} from "../support/crd-case.ts";
import { kubectl } from "./support/kubectl.ts";
import { type RealCluster, startRealCluster } from "./support/real-cluster.ts";

const files = [
  { kind: "NodePool", plural: "nodepools", group: "karpenter.sh", file: "nodepool.yaml" },
  { kind: "NodeClaim", plural: "nodeclaims", group: "karpenter.sh", file: "nodeclaim.yaml" },
  { kind: "EC2NodeClass", plural: "ec2nodeclasses", group: "karpenter.k8s.aws", file: "ec2nodeclass.yaml" },
];
const casesAt = (name: string): CrdCases =>
  parse(readFileSync(new URL(`../golden/crd-cases/${name}`, import.meta.url), "utf8"));

let real: RealCluster;

beforeAll(async () => {
  real = await startRealCluster();
});
afterAll(() => real.stop());

interface Verdict {
  readonly valid: boolean;
  readonly message: string;
  readonly object?: unknown;
}

describe.each(files)("$kind", ({ plural, group, file }) => {
  const path = `/apis/${group}/v1/${plural}`;
  const { base, full, cases } = casesAt(file);

  test.each(cases as CrdCase[])("$name", async (given) => {
    const before = storedObjectOf(base, given);
    const verdict =
      before === undefined
        ? await creation(path, objectOf(base, given))
        : await update(path, before, objectOf(base, given));
    expect(verdict.valid, verdict.message).toBe(given.valid);
    if (given.valid && before === undefined) expect(verdict.object).toEqual(ours(objectOf(base, given)).object);
  });

  test("whatever one value of the full object is replaced by, the API server and shared/api say the same", async () => {
    const differences: string[] = [];
    let asked = 0;
    const all = neighbours(full).filter(({ what }) => !differsByDesign(what));
    const worker = async (): Promise<void> => {
      for (let next = all.pop(); next !== undefined; next = all.pop()) {
        const theirs = await creation(path, next.object);
        const mine = ours(next.object);
        asked++;
        const same = theirs.valid === mine.valid && (!mine.valid || sameJson(theirs.object, mine.object));
        if (!same) differences.push(`${next.what}: theirs ${shown(theirs)} ours ${shown(mine)}`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(differences).toEqual([]);
    expect(asked).toBeGreaterThan(1_000);
  });
});

test("the scale subresource is that of static pools: kubectl scales them, and no other", async () => {
  const { base } = casesAt("nodepool.yaml");
  const named = (name: string, spec: object): object => {
    const pool = base as unknown as { readonly spec: object };
    return { ...pool, metadata: { name }, spec: { ...pool.spec, ...spec } };
  };
  const path = "/apis/karpenter.sh/v1/nodepools";
  for (const pool of [named("static", { replicas: 2 }), named("dynamic", {})]) {
    expect(await send("POST", path, pool)).toMatchObject({ kind: "ok" });
  }
  const run = (...words: readonly string[]): Promise<string> => kubectl(real.controlPlane.kubeconfig, ...words);
  await run("scale", "nodepool/static", "--replicas=5");
  expect(await run("get", "nodepool/static", "-o", "jsonpath={.spec.replicas}")).toBe("5");
  await expect(run("scale", "nodepool/dynamic", "--replicas=5")).rejects.toThrow(/replicas/);
});

/**
 * Probes on which the two differ without harm: Kubernetes takes a list where a text with a format must be; it drops
 * unknown fields of a status, which shared/api keeps; its scale subresource bounds the count of nodes.
 */
function differsByDesign(what: string): boolean {
  return /(Time|timeAdded) \[/.test(what) || /^(\/status {|{"entries":{"\/status":|\/status\/nodes -?\d)/.test(what);
}

/** What shared/api makes of it, without what the API server adds to metadata. */
function ours(raw: unknown): Verdict {
  const parsed = parseObject(raw);
  if (parsed.kind === "problems") return { valid: false, message: parsed.problems.map(formatProblem).join("; ") };
  if (parsed.kind === "unknown") throw new Error(`${parsed.objectKind} is unknown`);
  const pruned = objectOfChanges(parsed.object, { remove: parsed.warnings.map(({ path }) => `/${path.join("/")}`) });
  return { valid: true, message: "", object: contentOf(pruned as object) };
}

/** A creation that leaves nothing behind; a status, which no creation can set, is written to the object once more. */
async function creation(path: string, raw: unknown): Promise<Verdict> {
  const { status, ...plain } = raw as { readonly status?: unknown };
  const created = await send("POST", `${path}?dryRun=All`, plain);
  if (created.kind === "refused" || status === undefined) return verdictOf(created);
  const stored = await storedFor(path, raw);
  const written = await send("PUT", `${path}/${stored.metadata.name}/status?dryRun=All`, { ...stored, status });
  if (written.kind === "refused") return verdictOf(written);
  return { valid: true, message: "", object: contentOf({ ...created.object, status: statusIn(written.object) }) };
}

function statusIn(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** An object to which statuses are written without effect; one a kind is enough. */
const holders = new Map<string, Promise<KubeObject>>();
function storedFor(path: string, raw: unknown): Promise<KubeObject> {
  const known = holders.get(path);
  if (known !== undefined) return known;
  const { apiVersion, kind, spec } = raw as KubeObject & { readonly spec: unknown };
  const made = send("POST", path, { apiVersion, kind, spec, metadata: { name: "holder" } }).then((reply) => {
    if (reply.kind === "refused") throw new Error(reply.message);
    return reply.object;
  });
  holders.set(path, made);
  return made;
}

let updates = 0;
async function update(path: string, before: unknown, after: unknown): Promise<Verdict> {
  const name = `updated-${++updates}`;
  const named = (object: unknown): KubeObject => {
    const { metadata, ...rest } = object as KubeObject;
    return { ...rest, metadata: { ...metadata, name } } as KubeObject;
  };
  const stored = await send("POST", path, named(before));
  if (stored.kind === "refused") throw new Error(`the stored object of a case must be valid: ${stored.message}`);
  const { resourceVersion = "" } = stored.object.metadata;
  const next = named(after);
  return verdictOf(
    await send("PUT", `${path}/${name}?dryRun=All`, { ...next, metadata: { ...next.metadata, resourceVersion } }),
  );
}

function send(method: "POST" | "PUT", path: string, body: object): Promise<Reply> {
  return real.admin.call({ method, path, body }) as Promise<Reply>;
}

function verdictOf(reply: Reply): Verdict {
  if (reply.kind === "refused") return { valid: false, message: `${reply.code} ${reply.message}` };
  return { valid: true, message: "", object: contentOf(reply.object) };
}

/** Numbers where quantities may be texts are stored as they come; whoever reads them reads texts. */
function readAgain(object: object): object {
  const parsed = parseObject(object);
  if (parsed.kind !== "object")
    throw new Error(`what the API server stores must be readable: ${JSON.stringify(parsed)}`);
  return parsed.object;
}

function contentOf(object: object): object {
  const { apiVersion, kind, metadata, spec, status } = readAgain(object) as unknown as Record<string, unknown> & {
    metadata: KubeObject["metadata"];
  };
  const { name, labels, annotations } = metadata;
  return {
    ...{ apiVersion, kind, spec },
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    // The API server drops fields it does not know, and with the last one the status.
    ...(status === undefined || sameJson(status, {}) ? {} : { status }),
  };
}

function shown({ valid, message, object }: Verdict): string {
  return valid ? JSON.stringify(object) : message;
}
