/** Something wrong with what the user gave, told so that it can be found and mended. */
export interface ManifestProblem {
  /** Path as the user wrote it, or "stdin". */
  readonly file: string;
  /** 1-based; absent when the file as a whole is meant. */
  readonly line?: number;
  /** `Deployment/karpenter-test`, when the document got as far as having a name. */
  readonly object?: string;
  /** `spec.template.spec.requirements[2].operator`. */
  readonly field?: string;
  /** What is wrong and the way out. */
  readonly message: string;
}

/** `file:line: Kind/name: field.path: what is wrong (way out)`, without the parts that are unknown. */
export function problemText({ file, line, object, field, message }: ManifestProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return [place, object, field, message].filter((part) => part !== undefined && part !== "").join(": ");
}

/** By file in the order given, then by line: the order in which a person mends them. */
export function sortedProblems(problems: readonly ManifestProblem[]): readonly ManifestProblem[] {
  const files = [...new Set(problems.map(({ file }) => file))];
  return [...problems].sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || (a.line ?? 0) - (b.line ?? 0));
}
