import { exitCode } from "../exit-code.ts";
import { problemText } from "../manifests/problem.ts";
import { readInput } from "../simulate/input.ts";
import { type Look, lookAt } from "./look.ts";

export interface SourceOptions {
  readonly filename?: readonly string[];
  readonly json?: boolean;
}

export interface Sighted {
  readonly kind: "sighted";
  readonly look: Look;
  readonly notes: readonly string[];
}

/** Bad input, and what to say of it. */
export interface Blind {
  readonly kind: "blind";
  readonly code: typeof exitCode.badInput;
  readonly messages: readonly string[];
}

/** Options of every command that looks without acting. */
export const sourceHelp = {
  flags: "-f, --filename <path...>",
  text: "manifests: files, directories, - for stdin",
  none: "nothing to look at: name manifests with -f PATH (- for stdin)",
} as const;

export async function lookAtSource({ filename = [] }: SourceOptions): Promise<Sighted | Blind> {
  if (filename.length === 0) return blind([sourceHelp.none]);
  const input = readInput(filename, "running");
  if (input.kind === "problems") return blind(input.problems.map(problemText));
  const look = await lookAt(input.objects);
  return look.kind === "refused" ? blind(look.messages) : { kind: "sighted", look, notes: input.notes };
}

function blind(messages: readonly string[]): Blind {
  return { kind: "blind", code: exitCode.badInput, messages };
}
