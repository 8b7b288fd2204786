import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, Tags } from "yaml";

/** YAML 1.1 as Kubernetes does not read it: dates and base-60 numbers stay text there. */
const foreignTags = new Set(["timestamp", "binary", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`));

/** Octal as YAML 1.2 writes it, which kubectl reads too. */
const octal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  format: "OCT",
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => (text.startsWith("-") ? -1 : 1) * Number.parseInt(text.replace(/^[-+]?0o/, ""), 8),
};

/**
 * Reads YAML as kubectl does (sigs.k8s.io/yaml: `yes` is true, 0644 is 420, a date is text): YAML 1.1 without the tags
 * that only YAML 1.1 has.
 */
export const kubernetesYaml: ParseOptions & DocumentOptions & SchemaOptions = {
  version: "1.1",
  merge: true,
  prettyErrors: false,
  customTags: (tags: Tags) => [
    octal,
    ...tags.filter((tag) => typeof tag === "string" || !(foreignTags.has(tag.tag) || tag.format === "TIME")),
  ],
};
