import type { Terminal } from "../terminal.ts";
import { type PodCounts, podCountsText } from "./pod-counts.ts";
import type { TimelineEntry } from "./timeline-entry.ts";
import { clockText, entryLines } from "./timeline-text.ts";

/** What the status line tells. */
export interface Status {
  readonly second: number;
  /** 0 to 1: how much of the run is over. */
  readonly progress: number;
  readonly nodes: number;
  readonly pods: PodCounts;
  readonly perHour: number;
}

const eraseLine = "\r\u001b[2K";
const barWidth = 20;

/** Prints a run: on a terminal the timeline above a status line that is drawn anew, elsewhere plain lines. */
export class Screen {
  readonly #terminal: Terminal;
  #status = "";

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  line(text: string): void {
    this.#terminal.out(`${this.#erased()}${text}\n${this.#status}`);
  }

  entry(entry: TimelineEntry): void {
    const { live, colors, columns } = this.#terminal;
    for (const text of entryLines(entry, colors, live ? columns() : undefined)) this.line(text);
  }

  /** Does nothing where nobody watches. */
  status(status: Status): void {
    if (!this.#terminal.live) return;
    const erased = this.#erased();
    this.#status = statusText(status, this.#terminal);
    this.#terminal.out(`${erased}${this.#status}`);
  }

  /** Takes the status line away; what is printed after stands alone. */
  end(): void {
    this.#terminal.out(this.#erased());
    this.#status = "";
  }

  #erased(): string {
    return this.#status === "" ? "" : eraseLine;
  }
}

/** One line that fits the terminal, with shorter facts where it is narrow: a line that wraps could not be drawn anew. */
function statusText({ second, progress, nodes, pods, perHour }: Status, { colors, columns }: Terminal): string {
  const width = Math.max(columns() - 1, 10);
  const head = `${clockText(second)}  nodes ${nodes}  pods`;
  const cost = `$${perHour.toFixed(4)}/h`;
  const short = `${head} ${pods.running}/${pods.pending + pods.starting + pods.running + pods.ending}  ${cost}`;
  const texts = [`${head} ${podCountsText(pods)}  ${cost}`, short].map((facts) => `${barOf(progress)} ${facts}`);
  return colors.bold(texts.find((text) => text.length <= width) ?? short.slice(0, width));
}

function barOf(progress: number): string {
  const filled = Math.round(Math.min(Math.max(progress, 0), 1) * barWidth);
  return `${"█".repeat(filled)}${"░".repeat(barWidth - filled)}`;
}
