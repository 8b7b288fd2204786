import type { Fault } from "#core/fault.ts";
import { faultOf, lacksCredentials } from "./fault-table.ts";

/** What one look lacks: parts that failed for now, and questions that were refused for good. */
export class Gaps {
  readonly incomplete = new Set<string>();
  readonly refusals: Record<string, string> = {};

  /** `ask()`, or undefined with the gap written down. A refusal for good is no gap: it is answered in words. */
  async of<Answer>(part: string, question: string, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await ask();
    } catch (error) {
      const fault = faultOf(error);
      if (lacksCredentials(fault)) this.refusals.credentials = `there are no AWS credentials: ${fault.message}`;
      if (isPassing(fault)) this.incomplete.add(part);
      else this.refusals[question] = `${fault.code}: ${fault.message}`;
      return undefined;
    }
  }
}

export function isPassing({ kind }: Fault): boolean {
  return kind === "throttled" || kind === "unavailable";
}
