/**
 * Karpenter counterpart: instanceTypeScheme and its use in pkg/providers/instancetype/types.go, computeRequirements. No
 * difference in the labels that come of it.
 */

/** The parts of an instance type's name that Karpenter makes labels of. */
export interface TypeName {
  /** "m7i-flex" of m7i-flex.large. */
  readonly family: string;
  /** "large", "metal-24xl". */
  readonly size: string;
  /** "m", "im", "hpc"; absent for names that do not follow the scheme. */
  readonly category?: string;
  /** "7". */
  readonly generation?: string;
}

export function readTypeName(name: string): TypeName {
  const dot = name.indexOf(".");
  const family = dot < 0 ? name : name.slice(0, dot);
  const size = dot < 0 ? "" : name.slice(dot + 1);
  // u-6tb1 has its memory between category and generation.
  const match = /^([a-z]+)(?:-\d+tb)?(\d+)/.exec(name);
  const [, category, generation] = match ?? [];
  return {
    family,
    size,
    ...(category === undefined || generation === undefined ? {} : { category, generation }),
  };
}
