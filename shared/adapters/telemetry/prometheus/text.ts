import { metricTable } from "../metrics/metric-table.ts";
import type { Series } from "../metrics/series-book.ts";

/** Prometheus' text format, version 0.0.4. */
export function prometheusText(series: readonly Series[]): string {
  const lines: string[] = [];
  let before = "";
  for (const { metric, name, labels, value } of series) {
    const known = metricTable[metric];
    if (metric !== before && known !== undefined) {
      lines.push(`# HELP ${metric} ${escaped(known.help)}`, `# TYPE ${metric} ${known.type}`);
      before = metric;
    }
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text).replaceAll('"', '\\"')}"`);
    lines.push(`${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`);
  }
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}
