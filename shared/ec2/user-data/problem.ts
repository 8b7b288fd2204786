/** Karpenter counterpart: none, because its bootstrappers return errors. Here a problem names its line. */
/** Why user data cannot be used; `line` of the user's own text, from 1, where one can be named. */
export interface UserDataProblem {
  readonly line?: number;
  readonly message: string;
}

export type UserDataAnswer =
  /** `notes`: what of the user's own text was left out, for people. */
  | { readonly kind: "text"; readonly text: string; readonly notes?: readonly string[] }
  /** The image decides everything and the user gave nothing. */
  | { readonly kind: "none" }
  | { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] };

export function refused(
  message: string,
  line?: number,
): { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] } {
  return { kind: "problems", problems: [line === undefined ? { message } : { line, message }] };
}

/** "line 3: …" */
export function problemText({ line, message }: UserDataProblem): string {
  return line === undefined ? message : `line ${line}: ${message}`;
}
