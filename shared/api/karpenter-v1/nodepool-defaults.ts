/**
 * What an absent field of a NodePool means. Karpenter: the defaults of its CRD; there is no other defaulting.
 * `defaultDisruption` is for a NodePool without any disruption; one with some must say consolidateAfter itself.
 */
export const defaultDisruption = { consolidateAfter: "0s" };
export const defaultConsolidationPolicy = "WhenEmptyOrUnderutilized";
export const defaultBudgetNodes = "10%";
export const defaultBudgets = [{ nodes: defaultBudgetNodes }];
