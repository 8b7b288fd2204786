/**
 * Wall clocks. A local time is told as the milliseconds since the epoch at which a clock in UTC shows the same, so that a
 * cron schedule can be asked about it. The tables come with the runtime (Intl): data, the same for the same release.
 */

const dayMs = 24 * 60 * 60_000;
const parts = ["year", "month", "day", "hour", "minute", "second"] as const;

/** Whether it is an IANA name such as Europe/Berlin, or UTC. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** One zone's clock. The name must be one (isTimeZone), otherwise the constructor throws a RangeError. */
export class WallClock {
  readonly timeZone: string;
  readonly #format: ReturnType<typeof formatOf>;

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#format = formatOf(timeZone);
  }

  /** What the clock shows at an instant, to the second. */
  localMs(instantMs: number): number {
    const shown = new Map(this.#format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map((part) => shown.get(part));
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }

  /**
   * When the clock shows a local time. Of two instants, where clocks are put back, the first; where they are put forward
   * and it is never shown, as far after the change as it would have been: 02:30 is 03:30.
   */
  instantMs(localMs: number): number {
    const before = this.#offsetMs(localMs - dayMs);
    const after = this.#offsetMs(localMs + dayMs);
    const first = localMs - before;
    return this.#offsetMs(first) === before || this.#offsetMs(localMs - after) !== after ? first : localMs - after;
  }

  /** As `2026-12-02 07:00`. */
  text(instantMs: number): string {
    return new Date(this.localMs(instantMs)).toISOString().slice(0, 16).replace("T", " ");
  }

  #offsetMs(instantMs: number): number {
    return this.localMs(instantMs) - Math.floor(instantMs / 1_000) * 1_000;
  }
}

function formatOf(timeZone: string) {
  const digits = "2-digit";
  // biome-ignore lint/plugin: zone, calendar, digits and locale are all named: nothing of the machine's own comes in.
  return new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, calendar: "gregory", numberingSystem: "latn", hourCycle: "h23" },
    ...{ year: "numeric", month: digits, day: digits, hour: digits, minute: digits, second: digits },
  });
}
