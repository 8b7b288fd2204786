const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Up to `belowMs` (exclusive), an age is told in `large` units, and in `small` ones beside where that is not 0. */
interface Step {
  readonly belowMs: number;
  readonly large: readonly [unitMs: number, letter: string];
  readonly small?: readonly [unitMs: number, letter: string];
}

const steps: readonly Step[] = [
  { belowMs: 2 * minute, large: [second, "s"] },
  { belowMs: 10 * minute, large: [minute, "m"], small: [second, "s"] },
  { belowMs: 3 * hour, large: [minute, "m"] },
  { belowMs: 8 * hour, large: [hour, "h"], small: [minute, "m"] },
  { belowMs: 2 * day, large: [hour, "h"] },
  { belowMs: 8 * day, large: [day, "d"], small: [hour, "h"] },
  { belowMs: 2 * year, large: [day, "d"] },
  { belowMs: 8 * year, large: [year, "y"], small: [day, "d"] },
  { belowMs: Number.POSITIVE_INFINITY, large: [year, "y"] },
];

/** An age as kubectl's AGE column tells it (k8s.io/apimachinery pkg/util/duration: HumanDuration): 90s, 5m10s, 2d3h. */
export function ageText(ageMs: number): string {
  if (ageMs <= -2 * second) return "<invalid>";
  const wholeMs = Math.max(0, Math.floor(ageMs / second) * second);
  const { large, small } = steps.find(({ belowMs }) => wholeMs < belowMs) ?? { large: [second, "s"] as const };
  const first = Math.floor(wholeMs / large[0]);
  const rest = small === undefined ? 0 : Math.floor((wholeMs % large[0]) / small[0]);
  return `${first}${large[1]}${small === undefined || rest === 0 ? "" : `${rest}${small[1]}`}`;
}
