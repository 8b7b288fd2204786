/** What is said of one object: the document of `--json` and the material of the text. */
export interface Explanation {
  readonly kind: "Pod" | "Node" | "NodePool" | "NodeClaim";
  readonly name: string;
  /** One sentence. */
  readonly verdict: string;
  /** Somebody has to do something about it. */
  readonly found: boolean;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly title: string;
  /** At least one. */
  readonly rows: readonly string[];
}

/** Sections without rows are left out. */
export function sectionsOf(...sections: readonly Section[]): readonly Section[] {
  return sections.filter(({ rows }) => rows.length > 0);
}

export function explanationLines({ kind, name, verdict, sections }: Explanation): readonly string[] {
  return [
    `${kind} ${name}: ${verdict}`,
    ...sections.flatMap(({ title, rows }) => ["", `${title}:`, ...rows.map((row) => `  ${row}`)]),
  ];
}
