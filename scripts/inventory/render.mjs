// The inventory as a page.

export function render(sections) {
  const rows = sections.flatMap((section) => section.rows);
  const missing = rows.filter((row) => row.missing !== undefined);
  return `${[
    '# What is shown by which test',
    '',
    'Made by `npm run coverage` from the contract and the sources of the tests; `npm run coverage:check` holds it in CI. Do not edit.',
    '',
    `${rows.length} rows: ${rows.length - missing.length} shown, ${missing.length} missing. A row names at most two tests, the most to the point; placeholders in titles are those of the source.`,
    '',
    '| Part | Rows | Shown | Missing |',
    '|---|---|---|---|',
    ...sections.map((section) => {
      const absent = section.rows.filter((row) => row.missing !== undefined).length;
      return `| [${section.title}](#${anchor(section.title)}) | ${section.rows.length} | ${section.rows.length - absent} | ${absent} |`;
    }),
    ...sections.flatMap(renderSection),
  ].join('\n')}\n`;
}

function renderSection({ title, rule, columns, rows }) {
  return [
    '',
    `## ${title}`,
    '',
    rule,
    '',
    `| ${columns.join(' | ')} | Shown by |`,
    '|---|---|---|',
    ...rows.map(({ name, note, shown, missing }) => {
      const tests = missing === undefined ? shown.map(cell).join('<br>') : `**missing**: ${cell(missing)}`;
      return `| ${cell(name)} | ${cell(note)} | ${tests} |`;
    }),
  ];
}

function cell(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
}

function anchor(title) {
  return title
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
