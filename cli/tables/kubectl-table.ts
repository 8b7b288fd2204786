/** kubectl's tab writer: cells at least 6 wide, 3 blanks between columns, none after the last. */
const cellWidthMin = 6;
const padding = 3;

/** Rows of cells under their headings, laid out as kubectl prints them; one text a line. An empty cell is blank. */
export function kubectlTable(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) =>
    Math.max(cellWidthMin, ...lines.map((cells) => (cells[column]?.length ?? 0) + padding)),
  );
  return lines.map((cells) =>
    headings
      .map((_, column) => {
        const cell = cells[column] ?? "";
        return column === headings.length - 1 ? cell : cell.padEnd(widths[column] ?? 0);
      })
      .join(""),
  );
}
