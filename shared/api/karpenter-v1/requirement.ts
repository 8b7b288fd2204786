export const requirementOperators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"] as const;
export type RequirementOperator = (typeof requirementOperators)[number];

/** One item of `requirements` on a NodePool's template, a NodeClaim, an instance type or an AMI. */
export interface RequirementSpec {
  readonly key: string;
  readonly operator: RequirementOperator;
  readonly values?: readonly string[];
  /** Karpenter (alpha): at least so many distinct values must stay possible; 1..50. */
  readonly minValues?: number;
}
