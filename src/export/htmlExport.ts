import { createHash } from 'node:crypto';
import { escapeHtml } from '../core/escapeHtml.js';
import { isObject, textOf } from '../core/message.js';
import { visibleLine, visibleText } from '../core/visibleText.js';
import { compactJson } from '../query/jsonText.js';
import { answeredIdOf, roleOf } from '../query/queryItem.js';
import { callsOf, rawArgumentsOf } from '../query/toolCalls.js';
import { toolResultOf } from '../query/toolResult.js';
import type { ExportOptions } from './exportFormat.js';
import type { ExportRow } from './exportRow.js';
import { timestampOf } from './metadata.js';
import type { TextWriter } from './textWriter.js';

const STYLE = `:root{color-scheme:light dark;font:15px/1.6 system-ui,sans-serif;--line:color-mix(in srgb,CanvasText 16%,Canvas);--soft:color-mix(in srgb,CanvasText 5%,Canvas);--dim:color-mix(in srgb,CanvasText 72%,Canvas)}
html{background:Canvas;color:CanvasText}
body{max-width:56rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{border-bottom:1px solid var(--line);font-size:1.5rem;line-height:1.3;margin:0 0 1.75rem;padding-bottom:.9rem;overflow-wrap:anywhere}
article{border-left:3px solid var(--hue,var(--line));margin:1.1rem 0;overflow:clip;padding:.1rem 0 .1rem 1rem}
article.user{--hue:#2a7de1;background:var(--soft);border-radius:0 .5rem .5rem 0;padding:.6rem 1rem}
article.assistant{--hue:#2e9e5b}article.tool{--hue:#b7791f}
article.depth1{margin-left:1.75rem}article.depth2{margin-left:3.5rem}article.depth3{margin-left:5.25rem}
header{color:var(--dim);font-size:.85rem;overflow-wrap:anywhere}header b{color:CanvasText;text-transform:capitalize}
pre{font:inherit;margin:.25rem 0;overflow-wrap:anywhere;white-space:pre-wrap}
details{background:var(--soft);border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.35rem .8rem}
summary{color:var(--dim);cursor:pointer;font-size:.85rem;overflow-wrap:anywhere}
details pre{font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.error{border-color:color-mix(in srgb,#d13438 55%,Canvas)}.error summary{color:light-dark(#b3261e,#ff8a80)}
@media (max-width:40rem){body{padding:1.25rem .75rem 3rem}article.depth1{margin-left:.6rem}article.depth2{margin-left:1.2rem}article.depth3{margin-left:1.8rem}}
@media print{article{break-inside:avoid-page}}`;

/** The content security policy: nothing is loaded and nothing runs; only the style above is allowed, by its hash. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The deepest indentation, as a call depth; deeper calls are indented as far as this. */
const MAX_INDENT = 3;

/**
 * Writes one self-contained HTML page: no script, no remote resource, every text of a message escaped, and characters
 * written out that are invisible or would reverse the text.
 */
export function htmlWriter({ title = 'Conversation' }: ExportOptions): TextWriter {
  let head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
`;
  const takeHead = () => {
    const text = head;
    head = '';
    return text;
  };
  return {
    add: (row) => takeHead() + article(row),
    end: () => `${takeHead()}</body>\n</html>\n`,
  };
}

function article(row: ExportRow): string {
  const { index, message, place } = row;
  const role = roleOf(message);
  const depth = Math.min(MAX_INDENT, Math.max(0, Math.trunc(place.depth ?? 0)));
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(role) ? role : 'other';
  const body = role === 'tool' ? resultBlock(row) : contentBlocks(message.content) + callBlocks(row);
  return `<article id="m${index}" class="${known}${depth > 0 ? ` depth${depth}` : ''}">
<header><b>${escapeHtml(visibleLine(role))}</b>${headerWords(row)}</header>
${body}</article>
`;
}

function headerWords({ index, place }: ExportRow): string {
  const time = place.time === undefined ? null : timestampOf(place.time);
  const words = [place.agent, `#${index}`].filter((word) => word !== undefined);
  const stamp = time === null ? '' : ` · <time datetime="${time}">${time}</time>`;
  return words.map((word) => ` · ${escapeHtml(visibleLine(word))}`).join('') + stamp;
}

function contentBlocks(content: unknown): string {
  if (Array.isArray(content)) return content.map((part) => partBlock(part)).join('');
  const text = isObject(content) ? compactJson(content) : textOf(content);
  return text === '' ? '' : textBlock(text);
}

function partBlock(part: unknown): string {
  const text = textOf([part]);
  if (text !== '') return textBlock(text);
  return textBlock(`(${isObject(part) && typeof part.type === 'string' ? part.type : 'unknown part'})`);
}

function callBlocks({ message }: ExportRow): string {
  return callsOf(message)
    .map(({ id, name, input }) => detailsBlock(`Call ${name} ${id}`, rawArgumentsOf(input), ' open'))
    .join('');
}

function resultBlock(row: ExportRow): string {
  const { item, message, resultName } = row;
  const { text, isError } = toolResultOf(item, message);
  const title = `${isError ? 'Error' : 'Result'} of ${resultName || 'unnamed tool'} ${answeredIdOf(message)}`;
  return detailsBlock(title, text, isError ? ' open class="error"' : ' open');
}

function detailsBlock(title: string, text: string, attributes: string): string {
  return `<details${attributes}><summary>${escapeHtml(visibleLine(title))}</summary>\n${textBlock(text)}</details>\n`;
}

/** HTML drops a line break right after `<pre>`; the one here saves the first one of the text. */
function textBlock(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(visibleText(text))}</pre>\n`;
}
