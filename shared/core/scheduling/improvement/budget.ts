/** How long a search for a cheaper plan goes on: counted in steps, since the core knows no clock. Karpenter counterpart: none; it keeps the packing that it finds first. */

export interface Budget {
  /**
   * How many steps more; 0: no more. Asked again after so many. `waste`: share of the cost beyond what the pods are worth on
   * the best machines.
   */
  readonly more: (waste: number) => number;
  /** Classes a pod: with more, nothing is done. */
  readonly classesMost: number;
}

export const noBudget: Budget = { more: () => 0, classesMost: 0 };

/** Steps between two looks at the waste. */
const slice = 250;
/** What is left of it then is mostly due to whole machines and to rules between pods. */
const usualWaste = 0.05;
/** Of the cost, by a slice: with less the slices that follow win next to nothing. */
const gainLeast = 0.001;
/** Pods of all sizes fill claims well from the start; it is many pods alike that leave the same room on each. */
const usualClasses = 0.1;

/** At most so many steps, as long as there is much to be won. */
export function quickBudget(steps: number): Budget {
  if (steps === 0) return noBudget;
  let left = steps;
  let wasteBefore = Infinity;
  const more = (waste: number): number => {
    const isSlow = wasteBefore - waste < gainLeast;
    wasteBefore = waste;
    if (isSlow || waste <= usualWaste) return 0;
    const next = Math.min(left, slice);
    left -= next;
    return next;
  };
  return { more, classesMost: usualClasses };
}
