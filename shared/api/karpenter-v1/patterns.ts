/** Texts that the CRDs of karpenter.sh check by a pattern: the same expressions stand in `crds/`. */
import { type TextLimits, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";

/** An optional DNS domain and a slash, then a name; lengths are checked at run time. */
export const qualifiedNamePattern =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
export const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

export const durationPattern = /^([0-9]+(s|m|h))+$/;
export const nillableDurationPattern = /^(([0-9]+(s|m|h))+|Never)$/;

export const duration: Shape<string> = text({
  pattern: durationPattern,
  expects: "a duration in whole hours, minutes and seconds such as 720h, 1h30m or 90s",
});

/** A duration, or "Never". */
export const nillableDuration: Shape<string> = text({
  pattern: nillableDurationPattern,
  expects: 'a duration in whole hours, minutes and seconds such as 720h, 1h30m or 90s, or "Never"',
});

export function qualifiedName(limits: Pick<TextLimits, "max" | "min"> = {}): Shape<string> {
  return text({ ...limits, pattern: qualifiedNamePattern, expects: "a name such as team or example.com/team" });
}
