/** Karpenter reads switches as Go does (strconv.ParseBool): `True` and `1` are true; undefined: neither. */
export function flagOf(text: string): boolean | undefined {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
}
