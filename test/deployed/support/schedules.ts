import type { Deployed, StandIn } from "../../support/aws/stand-in.ts";
import type { DeployedFunctions } from "./deployed-functions.ts";

/** Of a hundred ticks so many come twice, and so many not at all: EventBridge delivers at least once, as a rule in time. */
const twicePercent = 20;
const notPercent = 10;
const unitMinutes: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440 };

/**
 * EventBridge Scheduler: each schedule that is deployed runs its function once in its span, at a moment that nobody chose,
 * sometimes twice, sometimes not. `minuteMs`: how long a minute lasts.
 */
export class Scheduler {
  readonly #standIn: StandIn;
  readonly #functions: DeployedFunctions;
  readonly #random: () => number;
  readonly #minuteMs: number;
  readonly #timers = new Set<NodeJS.Timeout>();
  #minute = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Ticks by how often they were delivered. */
  readonly delivered = { once: 0, twice: 0, never: 0 };

  constructor(standIn: StandIn, functions: DeployedFunctions, minuteMs: number, random: () => number) {
    this.#standIn = standIn;
    this.#functions = functions;
    this.#minuteMs = minuteMs;
    this.#random = random;
  }

  start(): void {
    const next = (): void => {
      void this.#beginMinute();
      this.#timer = setTimeout(next, this.#minuteMs);
    };
    next();
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #beginMinute(): Promise<void> {
    const minute = this.#minute++;
    const { schedules } = await this.#standIn.deployed().catch(() => ({ schedules: [] }));
    for (const schedule of schedules) {
      if (minute % spanMinutes(schedule.ScheduleExpression) === 0) this.#deliver(schedule);
    }
  }

  #deliver({ Target }: Deployed["schedules"][number]): void {
    const draw = this.#random() * 100;
    const times = draw < notPercent ? 0 : draw < notPercent + twicePercent ? 2 : 1;
    this.delivered[(["never", "once", "twice"] as const)[times] ?? "once"]++;
    for (let time = 0; time < times; time++) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        // A function that is gone meanwhile, or fails, is the log's to tell: nobody tries again.
        this.#functions.invoke(Target.Arn, JSON.parse(Target.Input ?? "{}")).catch(() => undefined);
      }, this.#random() * this.#minuteMs);
      this.#timers.add(timer);
    }
  }
}

function spanMinutes(expression: string): number {
  const [, count = "1", unit = "minute"] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return Number(count) * (unitMinutes[unit] ?? 1);
}
