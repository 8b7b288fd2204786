import { type ObjectRef, objectName } from "#core/object-ref.ts";
import type { Look } from "../plan/decide.ts";

/** What the tick said of an object: each message once, in the order of the stages. */
export function tickReasons({ reasons }: Look, kind: ObjectRef["kind"], name: string): readonly string[] {
  const own = reasons.filter(({ about }) => about.kind === kind && objectName(about) === name);
  return [...new Set(own.map(({ message }) => message))];
}
