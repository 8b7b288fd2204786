import * as generated from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import type { KnownKind } from "#api/kinds.ts";
import { kinds } from "#api/kinds.ts";
import { parseObject } from "#api/parse.ts";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
}

/** Every field that the generated client knows for a type, with what its own fields are. */
function attributesOf(type: string): readonly Attribute[] {
  const model: unknown = Reflect.get(generated, type);
  if (typeof model !== "function" || !("getAttributeTypeMap" in model)) return [];
  return (model.getAttributeTypeMap as () => readonly Attribute[])();
}

/** An object of a type with every field that it can have, down to scalars. */
function fullOf(type: string, depth: number): unknown {
  const element = /^Array<(.*)>$/.exec(type)?.[1];
  if (element !== undefined) return [fullOf(element, depth)];
  const attributes = attributesOf(type);
  if (attributes.length === 0) return type.startsWith("{") ? {} : "x";
  if (depth === 0) return {};
  return Object.fromEntries(
    attributes
      .filter(({ baseName }) => baseName !== "status")
      .map(({ baseName, type: inner }) => [baseName, fullOf(inner, depth - 1)]),
  );
}

const deepest = 9;
const core = Object.entries(kinds).filter(([, { apiVersion }]) => !apiVersion.startsWith("karpenter"));

describe("fields of Kubernetes' own kinds", () => {
  test.each(core.map(([kind]) => kind as KnownKind))(
    "%s: none that a generated client has is called unknown",
    (kind) => {
      const full = fullOf(`V1${kind}`, deepest) as Readonly<Record<string, unknown>>;
      expect(Object.keys(full).length).toBeGreaterThan(2);
      const object = { ...full, apiVersion: kinds[kind].apiVersion, kind };
      const unknown = unknownFieldsIn(object);
      expect(unknown).toEqual([]);
      expect(unknownFieldsIn({ ...object, metadata: { name: "x", lables: {} } })).toEqual(["metadata.lables"]);
    },
  );
});

/** Values do not matter: unknown fields are noted beside every problem. */
function unknownFieldsIn(object: object): readonly string[] {
  const parsed = parseObject(object);
  return parsed.kind === "unknown" ? ["all"] : (parsed.warnings ?? []).map(({ field }) => field);
}
