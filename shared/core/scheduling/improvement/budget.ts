/** How long a search for a cheaper plan goes on: counted in steps, since the core knows no clock. Karpenter counterpart: none; it keeps the packing that it finds first. */

export interface Budget {
  /** How many steps more; 0: no more. Asked again after so many. */
  readonly more: () => number;
  /** Share of the cost beyond what the pods are worth on the best machines: with less no further step is made. */
  readonly wasteMost: number;
  /** Classes a pod: with more, nothing is done. */
  readonly classesMost: number;
}

export const noBudget: Budget = { more: () => 0, wasteMost: 1, classesMost: 0 };

/** Steps between two looks at the waste. */
const slice = 250;
/** What is left of it then is mostly due to whole machines and to rules between pods. */
const usualWaste = 0.05;
/** Pods of all sizes fill claims well from the start; it is many pods alike that leave the same room on each. */
const usualClasses = 0.25;

/** At most so many steps, as long as there is much to be won. */
export function quickBudget(steps: number): Budget {
  let left = steps;
  const more = (): number => {
    const next = Math.min(left, slice);
    left -= next;
    return next;
  };
  return { more, wasteMost: usualWaste, classesMost: usualClasses };
}
