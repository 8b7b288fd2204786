import { formatProblem, type Notes, type Problem as Wrong } from "#api/problem.ts";
import { documentsOf } from "../manifests/document.ts";
import { type ManifestProblem, sortedProblems } from "../manifests/problem.ts";
import { type Input, processInput, readSources, type Source } from "../manifests/source.ts";
import type { Problem } from "./problem.ts";
import { problemShape } from "./problem-shapes.ts";

export type ReadProblem =
  | { readonly kind: "problem"; readonly problem: Problem }
  | { readonly kind: "problems"; readonly problems: readonly ManifestProblem[] };

/** The text of a file, `-` for stdin; read once, it can be parsed as often as one likes. */
export function readSource(
  path: string,
  input: Input = processInput,
):
  | { readonly kind: "source"; readonly source: Source }
  | { readonly kind: "problems"; readonly problems: readonly ManifestProblem[] } {
  const { sources, problems } = readSources([path], input);
  const [source, second] = sources;
  if (problems.length > 0) return { kind: "problems", problems };
  if (source === undefined || second !== undefined) {
    return { kind: "problems", problems: [{ file: path, message: "is not one file with one problem" }] };
  }
  return { kind: "source", source };
}

/** The problem in a text, JSON or YAML; or all that is wrong with it. */
export function problemIn(source: Source): ReadProblem {
  const { documents, problems } = documentsOf(source);
  if (problems.length > 0) return { kind: "problems", problems };
  const [first, second] = documents;
  const { file } = source;
  if (first === undefined) return { kind: "problems", problems: [{ file, message: "holds no problem" }] };
  if (second !== undefined) {
    const message = "a second document; a problem is one";
    return { kind: "problems", problems: [{ file, line: second.lineOf([]), message }] };
  }
  const { problem, wrong } = read(first.value);
  if (problem !== undefined && wrong.length === 0) return { kind: "problem", problem };
  const found = wrong.map(({ path, field, message }) => ({
    file,
    line: first.lineOf(path),
    ...(field === "" ? {} : { field }),
    message,
  }));
  return { kind: "problems", problems: sortedProblems(found) };
}

/** The problem that a parsed document is. Throws on any other document: for problems that programs wrote. */
export function problemOf(document: unknown): Problem {
  const { problem, wrong } = read(document);
  if (problem === undefined || wrong.length > 0)
    throw new Error(`not a problem: ${wrong.map(formatProblem).join("; ")}`);
  return problem;
}

function read(document: unknown): { readonly problem: Problem | undefined; readonly wrong: readonly Wrong[] } {
  const notes: Notes = { problems: [], warnings: [] };
  const problem = problemShape(document, undefined, notes);
  return { problem, wrong: [...notes.problems, ...notes.warnings.filter(isOfForm)] };
}

/** Unknown fields of the form are mistakes; those of Kubernetes objects in it may belong to a newer API. */
function isOfForm({ path }: Wrong): boolean {
  return !["nodePools", "pods", "daemonSets", "objects"].includes(String(path[0])) || path.length === 1;
}
