import type { Series } from "../metrics/series-book.ts";

/**
 * Prometheus' remote write 1.0, a protobuf message: series (1) of labels (1: name 1, value 2) and samples (2: value 1,
 * time 2). Labels are sorted by name, as it demands. A counter that is new has stood at 0 when the tick began.
 */
export function writeRequest(
  series: readonly Series[],
  more: Readonly<Record<string, string>>,
  beganMs: number,
  nowMs: number,
): Uint8Array {
  return concat(
    series.map(({ name, metric, labels, value, isNew }) => {
      const all = Object.entries({ ...labels, ...more, __name__: name }).sort(([a], [b]) => (a < b ? -1 : 1));
      const isCounted = name !== metric || metric.endsWith("_total");
      const start = isNew && isCounted && value !== 0 ? [sampleOf(0, Math.min(beganMs, nowMs - 1))] : [];
      return field(
        1,
        concat([
          ...all.map(([label, text]) => field(1, concat([field(1, utf8(label)), field(2, utf8(text))]))),
          ...[...start, sampleOf(value, nowMs)].map((sample) => field(2, sample)),
        ]),
      );
    }),
  );
}

function sampleOf(value: number, atMs: number): Uint8Array {
  const bytes = new Uint8Array(9);
  bytes[0] = (1 << 3) | 1;
  new DataView(bytes.buffer).setFloat64(1, value, true);
  return concat([bytes, Uint8Array.of(2 << 3), varint(atMs)]);
}

function field(number: number, content: Uint8Array): Uint8Array {
  return concat([Uint8Array.of((number << 3) | 2), varint(content.length), content]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      bytes.push(rest);
      return Uint8Array.from(bytes);
    }
    bytes.push((rest % 128) + 128);
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
