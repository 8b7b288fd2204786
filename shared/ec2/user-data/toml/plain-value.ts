/** Karpenter counterpart: none, because it reads TOML with a library. */
const digits = String.raw`\d(_?\d)*`;
const integer = String.raw`[+-]?(0|[1-9](_?\d)*)`;
const number = new RegExp(
  [
    `^${integer}(\\.${digits})?([eE][+-]?${digits})?$`,
    "^0x[0-9A-Fa-f](_?[0-9A-Fa-f])*$",
    "^0o[0-7](_?[0-7])*$",
    "^0b[01](_?[01])*$",
    "^[+-]?(inf|nan)$",
  ].join("|"),
);
const clock = String.raw`(?<hour>\d{2}):(?<minute>\d{2}):(?<second>\d{2})(\.\d+)?`;
const zone = String.raw`([Zz]|[+-](?<zoneHour>\d{2}):(?<zoneMinute>\d{2}))?`;
const dateTime = new RegExp(`^(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})([Tt ]${clock}${zone})?$`);
const time = new RegExp(`^${clock}$`);
const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A number as TOML 1.0 writes it: no zero in front, an underscore only between digits. */
export function isNumber(raw: string): boolean {
  return number.test(raw);
}

/** A date, a time or both, that exist. */
export function isTime(raw: string): boolean {
  const parts = (dateTime.exec(raw) ?? time.exec(raw))?.groups;
  if (parts === undefined) return false;
  const within = (name: string, most: number): boolean => Number(parts[name] ?? 0) <= most;
  const isClock = within("hour", 23) && within("minute", 59) && within("second", 59);
  const isZone = within("zoneHour", 23) && within("zoneMinute", 59);
  return isClock && isZone && (parts.year === undefined || isDay(parts));
}

function isDay({ year, month, day }: Readonly<Record<string, string | undefined>>): boolean {
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = month === "02" && isLeap ? 29 : daysOfMonth[Number(month) - 1];
  return days !== undefined && Number(day) >= 1 && Number(day) <= days;
}
