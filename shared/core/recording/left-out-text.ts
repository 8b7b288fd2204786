/** Karpenter counterpart: none; nothing of a reconcile is kept there. */
import { stableHash } from "../stable-hash.ts";

const prefix = "# left out of the recording: ";
const digestLength = 12;
const form = /^# left out of the recording: [0-9a-z]{12}$/;

/** Stands for a text that may hold secrets, and says which one by a digest from which it cannot be told. */
export function leftOutText(text: string): string {
  return isLeftOut(text) ? text : `${prefix}${stableHash(text, digestLength)}`;
}

export function isLeftOut(text: string): boolean {
  return form.test(text);
}

/** The same for a text and for what stands for it in a recording: what is named by it keeps its name. */
export function digestOf(text: string): string {
  return isLeftOut(text) ? text.slice(prefix.length) : stableHash(text, digestLength);
}
