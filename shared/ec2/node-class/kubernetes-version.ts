/**
 * Karpenter counterpart: pkg/providers/version, which also fetches the version. It differs: the version comes with the
 * snapshot; this only reads it.
 */

export interface MinorVersion {
  readonly major: number;
  readonly minor: number;
}

/** Reads "1.32", "v1.32.3" or "1.32+"; undefined when it is no version. */
export function readMinorVersion(text: string): MinorVersion | undefined {
  const match = /^v?(\d+)\.(\d+)/.exec(text);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2]) };
}

/** "1.32", as AMI paths and names spell it; the text itself when it is no version. */
export function minorVersionText(text: string): string {
  const version = readMinorVersion(text);
  return version === undefined ? text : `${version.major}.${version.minor}`;
}

export function isAtLeast(text: string, major: number, minor: number): boolean {
  const version = readMinorVersion(text);
  if (version === undefined) return false;
  return version.major > major || (version.major === major && version.minor >= minor);
}
