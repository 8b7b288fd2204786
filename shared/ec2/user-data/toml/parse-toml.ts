/** Karpenter counterpart: none, because it reads TOML with a library. Here a problem is an answer with its line. */
import { Scanner } from "./scanner.ts";
import { put } from "./table-keys.ts";
import { TomlProblem } from "./toml-problem.ts";
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";

export type TomlAnswer =
  | { readonly kind: "table"; readonly table: TomlTable }
  | { readonly kind: "problem"; readonly line: number; readonly message: string };

/** Reads TOML 1.0; line ends are plain. The first thing that is wrong is the problem. */
export function parseToml(text: string): TomlAnswer {
  try {
    return { kind: "table", table: documentOf(new Scanner(text)) };
  } catch (problem) {
    if (!(problem instanceof TomlProblem)) throw problem;
    return { kind: "problem", line: problem.line, message: problem.message };
  }
}

function documentOf(scanner: Scanner): TomlTable {
  const root: TomlTable = new Map();
  /** Tables that had their header: a second one would be a slip of the pen. */
  const headed = new Set<TomlTable>();
  let current = root;
  for (scanner.skipLines(); scanner.peek() !== undefined; scanner.skipLines()) {
    if (scanner.take("[[")) {
      const keys = scanner.keys();
      scanner.expect("]]");
      current = newItem(root, keys, scanner);
      headed.add(current);
    } else if (scanner.take("[")) {
      const keys = scanner.keys();
      scanner.expect("]");
      current = tableAt(root, keys, scanner);
      if (headed.has(current) || scanner.dotted.has(current)) scanner.fail(`[${keys.join(".")}] is there twice`);
      headed.add(current);
    } else {
      const keys = scanner.keys();
      scanner.expect("=");
      scanner.skipBlanks();
      put(current, keys, scanner.value(), scanner, headed);
    }
    scanner.endLine();
  }
  return root;
}

/** The table under the keys, made when absent; the last of a list of tables. */
function tableAt(root: TomlTable, keys: readonly string[], scanner: Scanner): TomlTable {
  let at = root;
  for (const key of keys) {
    const found = at.get(key);
    const next = Array.isArray(found) ? found.at(-1) : found;
    if (found !== undefined && scanner.closed.has(found)) scanner.fail(`[${keys.join(".")}]: ${key} is whole already`);
    if (next !== undefined && !isTable(next)) scanner.fail(`[${keys.join(".")}]: ${key} is a value, not a table`);
    const table = isTable(next) ? next : new Map<string, TomlValue>();
    if (found === undefined) at.set(key, table);
    at = table;
  }
  return at;
}

function newItem(root: TomlTable, keys: readonly string[], scanner: Scanner): TomlTable {
  const owner = tableAt(root, keys.slice(0, -1), scanner);
  const last = keys.at(-1) ?? "";
  const list = owner.get(last) ?? [];
  if (!Array.isArray(list)) scanner.fail(`[[${keys.join(".")}]]: ${last} is no list of tables`);
  if (scanner.closed.has(list)) scanner.fail(`[[${keys.join(".")}]]: ${last} is whole already`);
  const item: TomlTable = new Map();
  list.push(item);
  owner.set(last, list);
  return item;
}
