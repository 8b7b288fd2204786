import { gunzipSync } from "node:zlib";
import { type RecordingAnswer, readRecording } from "#controllers/recording/read-recording.ts";
import { readEc2View } from "#ec2/read-view.ts";
import type { Ec2View } from "#ec2/view.ts";
import { bytesMax, readBounded, readDescriptor } from "../manifests/bounded-read.ts";
import { readingProblem } from "../manifests/source.ts";

/** The most that a compressed file may hold; what JSON.parse takes at once ends a little above. */
const unpackedBytesMax = 384 * 1024 * 1024;

type Text = { readonly kind: "text"; readonly text: string } | { readonly kind: "problem"; readonly message: string };

/** A recording or a snapshot, as JSON or compressed by gzip; `-` for stdin. Every problem begins with the file's name. */
export function readRecordingFile(file: string): RecordingAnswer<Ec2View> {
  const name = file === "-" ? "stdin" : file;
  const text = textOf(file);
  if (text.kind === "problem") return { kind: "problems", problems: [`${name}: ${text.message}`] };
  const parsed = parsedOf(text.text);
  if (parsed.kind === "problem") return { kind: "problems", problems: [`${name}: ${parsed.message}`] };
  const answer = readRecording(parsed.value, readEc2View);
  if (answer.kind === "recording") return answer;
  return { kind: "problems", problems: answer.problems.map((problem) => `${name}: ${problem}`) };
}

function textOf(file: string): Text {
  try {
    const read = file === "-" ? readDescriptor(0, "binary") : readBounded(file, "binary");
    if (read.kind !== "bytes") return tooLarge(bytesMax);
    const bytes = isGzip(read.bytes) ? gunzipSync(read.bytes, { maxOutputLength: unpackedBytesMax }) : read.bytes;
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(unpackedBytesMax);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { kind: "problem", message: "is not UTF-8 text" };
    const isDamaged = code.startsWith("Z_");
    return { kind: "problem", message: isDamaged ? "is compressed and damaged" : readingProblem(error) };
  }
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function tooLarge(bytes: number): Text {
  return { kind: "problem", message: `more than ${bytes / 1024 / 1024} MiB, the most that is read` };
}

function parsedOf(
  text: string,
): { readonly kind: "value"; readonly value: unknown } | { readonly kind: "problem"; readonly message: string } {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "problem", message: `is not JSON (${why})` };
  }
}
