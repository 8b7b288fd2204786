/** The macros that a budget's schedule may begin with. */
const macro = /^@(annually|yearly|monthly|weekly|daily|midnight|hourly)/;
const fields = 5;

/**
 * Whether a text has the form that the CRD asks of a budget's schedule; whether cron can read it is checked where it is
 * used. The CRD's pattern, which the API server matches in linear time, would keep JavaScript's engine busy for hours on
 * a line of blanks; this is the same automaton, with one bit for each field.
 */
export function hasScheduleForm(text: string): boolean {
  return macro.test(text) || endsInFiveFields(text);
}

/** Some end of the text is five runs without newline, a blank between each two. */
function endsInFiveFields(text: string): boolean {
  /** Bit n: the text so far may end inside field n. */
  let inside = 0;
  /** Bit n: field n may begin here; the first one anywhere. */
  let before = 1;
  for (const char of text) {
    const next = char === "\n" ? 0 : inside | before;
    before = 1 | (" \t\n\f\r".includes(char) ? inside << 1 : 0);
    inside = next & (2 ** fields - 1);
  }
  return (inside & (2 ** (fields - 1))) !== 0;
}
