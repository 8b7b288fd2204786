import type { RawInstanceType } from "./raw-problem.ts";

/** What pods and pools of a problem can ask of its machines. */
export interface Offer {
  readonly types: readonly RawInstanceType[];
  readonly wellKnownLabels: readonly string[];
  readonly zones: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly archs: readonly string[];
  /** Labels of types with their values; each is well-known. */
  readonly labels: Readonly<Record<string, readonly string[]>>;
  /** A label whose values are whole numbers. */
  readonly numberLabel: string;
  readonly deviceResource: string;
  readonly reservationIDLabel: string;
}
