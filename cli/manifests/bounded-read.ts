import { closeSync, openSync, readSync } from "node:fs";

/** The most that is read of one file or pipe. */
export const bytesMax = 128 * 1024 * 1024;
const chunkBytes = 256 * 1024;
/** A pipe that has nothing yet is asked again so soon, ms. */
const retryMs = 10;

export type Bytes =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "not-text" }
  | { readonly kind: "too-large" };

/** "binary": zero bytes are read too. */
export type Content = "text" | "binary";

/** Reads a file, a pipe or a device to its end. A zero byte ends a text early: none holds one, and /dev/zero has no end. */
export function readBounded(path: string, content: Content = "text"): Bytes {
  const descriptor = openSync(path, "r");
  try {
    return readDescriptor(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

export function readDescriptor(descriptor: number, content: Content = "text"): Bytes {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= bytesMax; ) {
    const chunk = Buffer.allocUnsafe(chunkBytes);
    const count = readChunk(descriptor, chunk);
    if (count === 0) return { kind: "bytes", bytes: Buffer.concat(chunks) };
    const read = chunk.subarray(0, count);
    if (content === "text" && read.includes(0)) return { kind: "not-text" };
    chunks.push(read);
    length += count;
  }
  return { kind: "too-large" };
}

/** Waits for a pipe whose writer is not ready, as a blocking read would; it ends with the writer. */
function readChunk(descriptor: number, chunk: Buffer): number {
  for (;;) {
    try {
      return readSync(descriptor, chunk);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
    }
  }
}
