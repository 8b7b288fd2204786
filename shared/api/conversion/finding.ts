/** What a person should know, or must decide, about an object that was converted. */
export interface Finding {
  /** `spec.template.spec.kubelet` of the object as it was written. */
  readonly field: string;
  /** What it is and the way on. */
  readonly message: string;
  /** The converted object is not right, or not whole, before a person has looked at it. */
  readonly mustDecide: boolean;
}

export function toDecide(field: string, message: string): Finding {
  return { field, message, mustDecide: true };
}

export function toKnow(field: string, message: string): Finding {
  return { field, message, mustDecide: false };
}
