import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { TickReport } from "#ports/telemetry.ts";
import { nowMs, poolOf } from "../../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../../test/support/small-world.ts";
import { SeriesBook } from "../metrics/series-book.ts";
import { RemoteWrite } from "./remote-write.ts";
import { snappyCompressed } from "./snappy.ts";
import { prometheusText } from "./text.ts";
import { writeRequest } from "./write-request.ts";

/** Snappy's block format, read by its description: a length, then literals and copies. */
class SnappyReader {
  readonly #bytes: Uint8Array;
  readonly #out: number[] = [];
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  restored(): Uint8Array {
    const length = this.#varint();
    while (this.#at < this.#bytes.length) {
      const tag = this.#next();
      if ((tag & 3) === 0) this.#literal(tag >> 2);
      else this.#copy(tag);
    }
    expect(this.#out).toHaveLength(length);
    return Uint8Array.from(this.#out);
  }

  #next(): number {
    return this.#bytes[this.#at++] ?? 0;
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#next();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  #literal(code: number): void {
    const low = code < 60 ? code : this.#next();
    const size = code === 61 ? low + 256 * this.#next() : low;
    for (let i = 0; i <= size; i++) this.#out.push(this.#next());
  }

  #copy(tag: number): void {
    expect(tag & 3).toBe(2);
    const offset = this.#next() + 256 * this.#next();
    expect(offset).toBeGreaterThan(0);
    for (let i = 0; i <= tag >> 2; i++) this.#out.push(this.#out[this.#out.length - offset] ?? 0);
  }
}

function snappyRestored(bytes: Uint8Array): Uint8Array {
  return new SnappyReader(bytes).restored();
}

type Field = { readonly number: number; readonly content: Uint8Array | number };

/** A protobuf message's fields: lengths, varints and doubles. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let [value, factor] = [0, 1];
    for (; ; factor *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    if ((tag & 7) === 2) {
      const length = varint();
      fields.push({ number: tag >> 3, content: bytes.subarray(at, at + length) });
      at += length;
    } else if ((tag & 7) === 1) {
      fields.push({ number: tag >> 3, content: new DataView(bytes.buffer, bytes.byteOffset + at).getFloat64(0, true) });
      at += 8;
    } else fields.push({ number: tag >> 3, content: varint() });
  }
  return fields;
}

function readRequest(bytes: Uint8Array) {
  const text = (content: Uint8Array | number | undefined) => Buffer.from(content as Uint8Array).toString("utf8");
  return fieldsOf(bytes).map(({ content }) => {
    const fields = fieldsOf(content as Uint8Array);
    const of = (number: number) => fields.filter((field) => field.number === number);
    const labels = of(1).map((label) => fieldsOf(label.content as Uint8Array).map((part) => text(part.content)));
    const samples = of(2).map((one) => fieldsOf(one.content as Uint8Array).map((part) => part.content));
    return { labels: labels.map(([name, value]) => `${name}=${value}`), samples };
  });
}

describe("snappy", () => {
  test.each([
    ["nothing", ""],
    ["a word", "karpenter"],
    ["repetitions", "karpenter_nodes_total ".repeat(500)],
    ["more than a block", Array.from({ length: 40_000 }, (_, i) => `${(i * 7_919) % 10_007} `).join("")],
    ["noise", Array.from({ length: 9_000 }, (_, i) => String.fromCharCode((i * i * 31) % 251)).join("")],
  ])("%s comes back as it was", (_, text) => {
    const bytes = new TextEncoder().encode(text);
    expect(Buffer.from(snappyRestored(snappyCompressed(bytes))).equals(Buffer.from(bytes))).toBe(true);
  });

  test("repetitions become small", () => {
    const bytes = new TextEncoder().encode("karpenter_nodes_total ".repeat(500));
    expect(snappyCompressed(bytes).length).toBeLessThan(bytes.length / 10);
  });
});

describe("series", () => {
  const created = { name: "karpenter_nodeclaims_created_total", labels: { reason: "provisioned", nodepool: 'a"b' } };

  test("counters grow, gauges that are not named again are gone, histograms are buckets, sum and count", () => {
    const book = new SeriesBook();
    book.add([
      { ...created, value: 1 },
      { name: "karpenter_nodepools_cost_total", labels: { nodepool: "x" }, value: 3 },
      { name: "unheard_of", labels: {}, value: 1 },
    ]);
    book.add([
      { ...created, value: 2 },
      { name: "karpenter_scheduler_scheduling_duration_seconds", labels: { controller: "p" }, value: 0.2 },
    ]);
    const lines = prometheusText(book.series()).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "# HELP karpenter_nodeclaims_created_total NodeClaims created",
      "# TYPE karpenter_nodeclaims_created_total counter",
      'karpenter_nodeclaims_created_total{nodepool="a\\"b",reason="provisioned"} 3',
    ]);
    expect(lines).toContain('karpenter_scheduler_scheduling_duration_seconds_bucket{controller="p",le="0.1"} 0');
    expect(lines).toContain('karpenter_scheduler_scheduling_duration_seconds_bucket{controller="p",le="0.25"} 1');
    expect(lines).toContain('karpenter_scheduler_scheduling_duration_seconds_bucket{controller="p",le="+Inf"} 1');
    expect(lines).toContain('karpenter_scheduler_scheduling_duration_seconds_sum{controller="p"} 0.2');
    expect(lines.some((line) => line.includes("cost_total") || line.includes("unheard_of"))).toBe(false);
  });

  test("summaries are quantiles of what was observed, sum and count", () => {
    const book = new SeriesBook();
    const name = "karpenter_pods_startup_duration_seconds";
    book.add([4, 1, 3, 2].map((value) => ({ name, labels: {}, value })));
    book.add([{ name, labels: {}, value: 10 }]);
    expect(prometheusText(book.series()).split("\n")).toEqual([
      `# HELP ${name} From a pod's creation to its being ready`,
      `# TYPE ${name} summary`,
      ...[
        ["0", 1],
        ["0.5", 3],
        ["0.9", 10],
        ["0.99", 10],
        ["1", 10],
      ].map(([quantile, value]) => `${name}{quantile="${quantile}"} ${value}`),
      `${name}_count 5`,
      `${name}_sum 20`,
      "",
    ]);
  });

  test("a new counter is sent with the 0 from which it began, and then no more", () => {
    const book = new SeriesBook();
    book.add([{ ...created, value: 2 }]);
    expect(readRequest(writeRequest(book.series(), { cluster: "blue" }, 1_000, 2_000))).toEqual([
      {
        labels: ["__name__=karpenter_nodeclaims_created_total", "cluster=blue", 'nodepool=a"b', "reason=provisioned"],
        samples: [
          [0, 1_000],
          [2, 2_000],
        ],
      },
    ]);
    book.add([{ ...created, value: 1 }]);
    expect(readRequest(writeRequest(book.series(), {}, 3_000, 4_000))[0]?.samples).toEqual([[3, 4_000]]);
  });
});

test("a tick is sent to an endpoint, and a refusal is said in words", async () => {
  const world = new SmallWorld(nowMs, { nodePools: [poolOf()] });
  const snapshot = await world.snapshot();
  const report: TickReport = { snapshot, decisions: [], steps: [], changed: false, phases: [] };
  const bodies: Buffer[] = [];
  const headers: unknown[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks));
      headers.push(request.headers["content-encoding"]);
      response.writeHead(status).end(status === 204 ? "" : "out of order sample");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write`;
  const options = { url, clusterName: "blue", version: "1", objectGauges: true, instance: "i" };
  const remote = new RemoteWrite(options);
  expect(await remote.send(report)).toBeUndefined();
  status = 400;
  expect(await remote.send(report)).toBe("400: out of order sample");
  await new RemoteWrite({ ...options, objectGauges: false }).send(report);
  server.close();
  server.closeAllConnections();
  const namesIn = (body: Uint8Array = new Uint8Array()) =>
    readRequest(snappyRestored(body)).map(({ labels }) => labels[0]);
  expect(namesIn(bodies[0])).toContain("__name__=karpenter_nodepools_cost_total");
  expect(namesIn(bodies[2])).not.toContain("__name__=karpenter_nodepools_cost_total");
  expect(namesIn(bodies[2])).toContain("__name__=karpenter_build_info");
  expect(headers).toEqual(["snappy", "snappy", "snappy"]);
});
