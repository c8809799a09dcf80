import { createHash } from 'node:crypto';
import { escapeHtml } from '../core/escapeHtml.js';
import { isObject, textOf } from '../core/message.js';
import { withoutTerminalSequences } from '../core/terminalText.js';
import { visibleLine, visibleText } from '../core/visibleText.js';
import { compactJson } from '../analysis/jsonText.js';
import { answeredIdOf, roleOf, type UntypedMessage } from '../analysis/transcriptItem.js';
import { callsOf, rawArgumentsOf } from '../analysis/toolCalls.js';
import { readableArguments } from './readableArguments.js';
import { toolResultOf } from '../analysis/toolResult.js';
import type { ContextSection } from './contextSection.js';
import { contextWords, type PartWords } from './contextWords.js';
import { costLine, costWords } from './costWords.js';
import type { ExportOptions } from './exportFormat.js';
import { noteLine, type ExportNote } from './exportNote.js';
import type { ExportRow } from './exportRow.js';
import { countFurtherFields, otherPartOf, terminalTextOf } from './leftOut.js';
import { timestampOf, timeWords } from './metadata.js';
import type { RecordNote } from './recordNote.js';
import { durationWords, partialWords, RecordNotes, usageWords } from './recordNotes.js';
import { renderMarkdown } from './renderMarkdown.js';
import type { Ending, LeaveOut, TextWriter } from './textWriter.js';

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
.text{overflow-wrap:anywhere}.text>:first-child{margin-top:.25rem}.text>:last-child{margin-bottom:.25rem}
.text pre{background:var(--soft);border-radius:.4rem;font:.85rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.6rem .8rem}
.text code{background:var(--soft);border-radius:.25rem;font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.1em .3em}.text pre code{background:none;padding:0}
.text h4,.text h5,.text h6{font-size:1rem;margin:1rem 0 .4rem}.text blockquote{border-left:3px solid var(--line);margin:.5rem 0;padding-left:.9rem}
.text table{border-collapse:collapse;display:block;overflow-x:auto}.text td,.text th{border:1px solid var(--line);padding:.25rem .6rem}
section{border-top:1px solid var(--line);margin-top:2rem}section h2{font-size:1.2rem}section h3{font-size:1rem;margin:1rem 0 .25rem}section th{font-weight:normal;text-align:left}.number{font-variant-numeric:tabular-nums;text-align:right}
.text a{color:light-dark(#0b57d0,#8ab4f8)}img{height:auto;max-width:100%}
.date{color:var(--dim);font-size:.85rem;margin:-1.1rem 0 1.5rem}
.note{color:var(--dim);font-size:.85rem;margin:.5rem 0;overflow-wrap:anywhere;padding-left:1rem}.note.failed{color:light-dark(#b3261e,#ff8a80)}
.note.own{background:light-dark(#fff6cf,#3d3500);border-left:3px solid #b7950b;color:CanvasText;padding:.3rem .8rem}
.note.depth1{margin-left:1.75rem}.note.depth2{margin-left:3.5rem}.note.depth3{margin-left:5.25rem}
@media (max-width:40rem){body{padding:1.25rem .75rem 3rem}article.depth1{margin-left:.6rem}article.depth2{margin-left:1.2rem}article.depth3{margin-left:1.8rem}}
@media print{article{break-inside:avoid-page}}`;

/** The content security policy: nothing is loaded and nothing runs; only the style above is allowed, by its hash. */
const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/** The deepest indentation, as a call depth; deeper calls are indented as far as this. */
const MAX_INDENT = 3;

/**
 * Writes one self-contained HTML page: no script, no remote resource. What people and models wrote is rendered as
 * Markdown in which nothing is HTML, everything else is text; characters that are invisible or would reverse the text
 * are written out.
 */
export function htmlWriter(
  { title = 'Conversation', full = false }: ExportOptions,
  leaveOut: LeaveOut,
): TextWriter {
  let head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(visibleLine(title))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(visibleLine(title))}</h1>
`;
  const takeHead = (time?: unknown) => {
    if (head === '') return '';
    const date = full ? timeWords(time) : '';
    const text = head + (date === '' ? '' : `<p class="date">${date.slice(0, 16)} UTC</p>\n`);
    head = '';
    return text;
  };
  const notes = new RecordNotes();
  const note = (record: UntypedMessage, noted: readonly ExportNote[]) => {
    const told = notes.of(record);
    if (!told || told.length + noted.length === 0) return told && '';
    return takeHead(record.time) + noteBlocks(record, told) + ownNotes(noted, [], record.depth);
  };
  const tasks = ({ envelope = {}, message }: ExportRow) =>
    full ? noteBlocks(envelope, notes.before(envelope, message)) : '';
  return {
    add: (row) => takeHead(row.place.time) + tasks(row) + article(row, full, leaveOut) + notesOf(row),
    ...(full && { note }),
    end: (ending) => `${takeHead()}${noteBlocks({}, notes.rest())}${endOf(ending)}</body>\n</html>\n`,
  };
}

function endOf({ context, cost }: Ending = {}): string {
  const footer = cost === undefined ? '' : `<footer class="note">${line(costLine(cost))}</footer>\n`;
  return (context ? contextBlock(context) : '') + footer;
}

function line(text: string): string {
  return escapeHtml(visibleLine(text));
}

/** What filled the windows of agents, as a section of its own. */
function contextBlock(section: ContextSection): string {
  const { windows, last } = contextWords(section);
  const ofWindows = windows.map(
    ({ agent, line: words, parts, compactions }) =>
      `<h3>${line(agent)}</h3>\n<p>${line(words)}</p>\n${partTable(parts)}${compactions.map((each) => `<p>${line(each)}</p>\n`).join('')}`,
  );
  const end = `<p class="note">${line(last)}</p>`;
  return `<section class="text">\n<h2>What filled the windows</h2>\n${ofWindows.join('')}${end}\n</section>\n`;
}

function partTable(parts: readonly PartWords[]): string {
  if (parts.length === 0) return '';
  const rows = parts.map(
    ([what, tokens, share]) =>
      `<tr><th scope="row">${line(what)}</th><td class="number">${line(tokens)}</td><td class="number">${line(share)}</td></tr>\n`,
  );
  return `<table>\n<tr><th scope="col">Part</th><th scope="col">Tokens</th><th scope="col">Share</th></tr>\n${rows.join('')}</table>\n`;
}

function notesOf({ message, notes, place }: ExportRow): string {
  return ownNotes(
    notes,
    callsOf(message).map(({ name }) => name),
    place.depth,
  );
}

/** What a person has noted. */
function ownNotes(notes: readonly ExportNote[], tools: readonly string[], depth: unknown): string {
  const indent = depthClass(typeof depth === 'number' ? depth : 0);
  return notes
    .map(
      (note) =>
        `<aside class="note own${indent}"><pre>${escapeHtml(visibleText(noteLine(note, tools)))}</pre></aside>\n`,
    )
    .join('');
}

function noteBlocks(record: UntypedMessage, notes: readonly RecordNote[]): string {
  return notes.map((note) => noteBlock(record, note)).join('');
}

function noteBlock(record: UntypedMessage, { line, text = '', label = 'Text', isError }: RecordNote): string {
  const depth = typeof record.depth === 'number' ? record.depth : 0;
  const indent = depthClass(depth);
  const said = text === '' ? '' : `<details><summary>${label}</summary>\n${textBlock(text)}</details>\n`;
  return `<aside class="note${indent}${isError ? ' failed' : ''}">${escapeHtml(visibleLine(line))}${said}</aside>\n`;
}

function depthClass(value: number): string {
  const depth = Math.min(MAX_INDENT, Math.max(0, Math.trunc(value)));
  return depth > 0 ? ` depth${depth}` : '';
}

function article(row: ExportRow, isFull: boolean, leaveOut: LeaveOut): string {
  const { index, message, place } = row;
  countFurtherFields(message, leaveOut);
  const role = roleOf(message);
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(role) ? role : 'other';
  const body =
    role === 'tool'
      ? resultBlock(row, leaveOut) + otherParts(message.content, leaveOut)
      : reasoningBlock(message.reasoning_content) +
        contentBlocks(message.content, leaveOut) +
        refusalBlock(message.refusal) +
        callBlocks(row, isFull);
  return `<article id="m${index}" class="${known}${depthClass(place.depth ?? 0)}">
<header><b>${escapeHtml(visibleLine(role))}</b>${headerWords(row, isFull)}</header>
${body}</article>
`;
}

function reasoningBlock(reasoning: unknown): string {
  if (typeof reasoning !== 'string' || reasoning === '') return '';
  return `<details><summary>Reasoning</summary>\n${markdownBlock(reasoning)}</details>\n`;
}

function refusalBlock(refusal: unknown): string {
  return typeof refusal === 'string' && refusal !== ''
    ? `<p><b>Refusal:</b> ${escapeHtml(visibleText(refusal))}</p>\n`
    : '';
}

/** What a person or a model wrote, rendered; nothing in it is HTML, and nothing is loaded. */
function markdownBlock(text: string): string {
  return `<div class="text" dir="auto">${renderMarkdown(visibleText(withoutTerminalSequences(text)))}</div>\n`;
}

function headerWords(row: ExportRow, isFull: boolean): string {
  const { index, place } = row;
  const envelope = (isFull ? row.envelope : undefined) ?? {};
  const time = place.time === undefined ? null : timestampOf(place.time);
  const model = typeof envelope.model === 'string' ? envelope.model : undefined;
  const words = [
    place.agent,
    model,
    `#${index}`,
    usageWords(envelope.usage),
    costWords(row.cost),
    partialWords(envelope.partial),
  ].filter((word) => word !== undefined && word !== '') as string[];
  const shown = isFull ? timeWords(place.time) : time;
  const stamp = time === null ? '' : ` · <time datetime="${time}">${shown}</time>`;
  return words.map((word) => ` · ${escapeHtml(visibleLine(word))}`).join('') + stamp;
}

function contentBlocks(content: unknown, leaveOut: LeaveOut): string {
  if (Array.isArray(content)) return content.map((part) => partBlock(part, leaveOut)).join('');
  if (isObject(content)) return textBlock(compactJson(content));
  const text = textOf(content);
  return text === '' ? '' : markdownBlock(terminalTextOf(text, leaveOut));
}

function partBlock(part: unknown, leaveOut: LeaveOut): string {
  const text = textOf([part]);
  return text === '' ? otherPart(part, leaveOut) : markdownBlock(terminalTextOf(text, leaveOut));
}

/** What a tool's result holds besides its text. */
function otherParts(content: unknown, leaveOut: LeaveOut): string {
  if (!Array.isArray(content)) return '';
  return (content as unknown[])
    .filter((part) => textOf([part]) === '')
    .map((part) => otherPart(part, leaveOut))
    .join('');
}

function otherPart(part: unknown, leaveOut: LeaveOut): string {
  const shown = otherPartOf(part, leaveOut);
  if (typeof shown === 'string') return textBlock(shown);
  return `<img alt="picture" src="data:${shown.mimeType};base64,${shown.base64}">\n`;
}

function callBlocks({ message }: ExportRow, isFull: boolean): string {
  const shown = (input: unknown) => (isFull ? readableArguments(input) : rawArgumentsOf(input));
  return callsOf(message)
    .map(({ id, name, input }) => detailsBlock(`Call ${name} ${id}`, shown(input), ' open'))
    .join('');
}

function resultBlock(row: ExportRow, leaveOut: LeaveOut): string {
  const { item, message, resultName } = row;
  const { text, isError } = toolResultOf(item, message);
  const duration = durationWords(row.durationMs);
  const title = `${isError ? 'Error' : 'Result'} of ${resultName || 'unnamed tool'} ${answeredIdOf(message)}${duration && ` · ${duration}`}`;
  return detailsBlock(title, terminalTextOf(text, leaveOut), isError ? ' open class="error"' : ' open');
}

function detailsBlock(title: string, text: string, attributes: string): string {
  return `<details${attributes}><summary>${escapeHtml(visibleLine(title))}</summary>\n${textBlock(text)}</details>\n`;
}

/** HTML drops a line break right after `<pre>`; the one here saves the first one of the text. */
function textBlock(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(visibleText(withoutTerminalSequences(text)))}</pre>\n`;
}
