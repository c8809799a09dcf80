import { escapeHtml } from '../../core/escapeHtml.js';
import { visibleLine } from '../../core/visibleText.js';
import { escapeInline, tableCell } from '../markdownText.js';
import { PAGE_STYLE } from '../page/pageStyle.js';

/** A session that was exported into a file beside the index. */
export interface IndexEntry {
  /** The name of the file, in the folder of the index. */
  readonly file: string;
  /** What a person calls it, already without what is not to be shared. */
  readonly title: string;
  /** The tool that recorded it, and the project in which it did; '' where that is not known. */
  readonly source: string;
  readonly project: string;
  readonly messages: number;
}

/** The formats in which an index is written, with the name of its file. */
export const INDEX_FILES = { html: 'index.html', markdown: 'index.md' } as const;

const ENDED_EARLY = 'The export ended before all sessions were written.';

/**
 * A page that leads to the sessions that stand beside it, in the order in which they are given; where others were to follow and did not, it
 * says so.
 */
export function exportIndex(
  entries: readonly IndexEntry[],
  format: keyof typeof INDEX_FILES,
  { heading, isWhole }: { readonly heading: string; readonly isWhole: boolean },
): string {
  const about = isWhole ? '' : ENDED_EARLY;
  return format === 'html' ? htmlIndex(entries, heading, about) : markdownIndex(entries, heading, about);
}

const HEADS = ['Session', 'Source', 'Project', 'Messages'] as const;

function htmlIndex(entries: readonly IndexEntry[], heading: string, about: string): string {
  const cell = (text: string) => `<td>${escapeHtml(visibleLine(text))}</td>`;
  const rows = entries.map(
    ({ file, title, source, project, messages }) =>
      `<tr><td><a href="${escapeHtml(encodeURIComponent(file))}">${escapeHtml(visibleLine(title) || file)}</a></td>${cell(source)}${cell(project)}<td style="text-align:right">${messages.toLocaleString('en')}</td></tr>`,
  );
  const name = escapeHtml(visibleLine(heading));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<style>${PAGE_STYLE}table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:4px 12px 4px 0;text-align:left;overflow-wrap:anywhere}</style>
</head>
<body>
<main>
<h1>${name}</h1>${about && `\n<p>${about}</p>`}
<table>
<thead><tr>${HEADS.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</main>
</body>
</html>
`;
}

function markdownIndex(entries: readonly IndexEntry[], heading: string, about: string): string {
  const rows = entries.map(
    ({ file, title, source, project, messages }) =>
      `| [${tableCell(title) || tableCell(file)}](${encodeURIComponent(file).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'))}) | ${tableCell(source)} | ${tableCell(project)} | ${messages.toLocaleString('en')} |`,
  );
  return `# ${escapeInline(heading)}
${about && `\n${about}\n`}
| ${HEADS.join(' | ')} |
| --- | --- | --- | ---: |
${rows.join('\n')}
`;
}
