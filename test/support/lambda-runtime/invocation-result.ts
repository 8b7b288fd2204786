/** What became of one invocation, and what it cost. */
export interface InvocationResult {
  readonly ended:
    | { readonly kind: "answered"; readonly answer: unknown }
    | { readonly kind: "failed"; readonly errorType: string; readonly message: string; readonly trace?: string }
    /** Its time was over, and its process was ended. */
    | { readonly kind: "timed-out" };
  /** A new process was started for it: then init is part of `cpuMs`. */
  readonly isCold: boolean;
  /** From the call to the answer, ms; a cold one's init too. */
  readonly durationMs: number;
  /** CPU time of the process for this invocation, Node's own start included for a cold one, ms. */
  readonly cpuMs: number;
  /** The most memory that the process ever held, MB (10^6). */
  readonly peakRssMB: number;
  /** What it wrote to its output meanwhile, by line. */
  readonly log: readonly string[];
}
