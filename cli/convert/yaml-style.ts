/** How a text writes YAML where there is a choice, in the terms of YAML's writer. */
export interface YamlStyle {
  /** Lists stand further in than the field that holds them. */
  readonly indentSeq: boolean;
  /** `{ a: 1 }`, not `{a: 1}`. */
  readonly flowCollectionPadding: boolean;
}

/** A field that opens a list on a later line, with only comments between. */
const openedList = /^( *)(?:- +)*[^\s#-][^\n]*:[^\S\n]*(?:#[^\n]*)?\n(?:[^\S\n]*(?:#[^\n]*)?\n)*( *)- /m;

export function yamlStyle(text: string): YamlStyle {
  const list = openedList.exec(text);
  return {
    indentSeq: list === null || (list[2]?.length ?? 0) > (list[1]?.length ?? 0),
    flowCollectionPadding: !/[[{][^\s[\]{}]/.test(text),
  };
}
