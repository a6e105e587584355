/** One line of a result: what was measured, beside its limit of the same run. */
export interface Row {
  what: string;
  value: string;
  limit?: string;
  ratio?: number;
  note?: string;
}

export function printTable(title: string, rows: readonly Row[]): void {
  console.log(`\n${title}\n${tableText(rows)}`);
}

/** As Markdown, which is also readable on a terminal. */
function tableText(rows: readonly Row[]): string {
  const cells = rows.map((r) => [
    r.what,
    r.value,
    r.limit ?? '',
    r.ratio === undefined ? '' : r.ratio.toFixed(2),
    r.note ?? '',
  ]);
  const all = [['measured', 'value', 'limit in the same run', 'ratio', ''], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(all[0] ?? []), line(widths.map((w) => '-'.repeat(w))), ...all.slice(1).map(line)].join('\n');
}
