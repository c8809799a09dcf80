import { createHash } from 'node:crypto';
import { escapeHtml } from '../core/escapeHtml.js';
import { isObject, textOf } from '../core/message.js';
import { withoutTerminalSequences } from '../core/terminalText.js';
import { visibleLine, visibleText } from '../core/visibleText.js';
import { compactJson } from '../query/numbers/jsonText.js';
import { answeredIdOf, type UntypedMessage } from '../query/numbers/transcriptItem.js';
import { callsOf, rawArgumentsOf } from '../query/numbers/toolCalls.js';
import { readableArguments } from './readableArguments.js';
import { toolResultOf } from '../query/numbers/toolResult.js';
import type { ContextSection } from './contextSection.js';
import { contextWords, type PartWords } from './contextWords.js';
import { costLine, costWords } from './costWords.js';
import type { ExportOptions } from './exportFormat.js';
import { noteLine, type ExportNote } from './exportNote.js';
import type { ExportRow, SpokenText } from './exportRow.js';
import { countFurtherFields, otherPartOf, terminalTextOf } from './leftOut.js';
import { timestampOf, timeWords } from './metadata.js';
import type { RecordNote } from './recordNote.js';
import { durationWords, partialWords, RecordNotes, usageWords } from './recordNotes.js';
import { renderMarkdown } from './renderMarkdown.js';
import { PAGE_SCRIPT } from './page/pageScript.js';
import { PAGE_STYLE } from './page/pageStyle.js';
import type { Ending, LeaveOut, TextWriter } from './textWriter.js';

/** The content security policy: nothing is loaded; of all that could run or style, only ours may, by its hash. */
const POLICY = `default-src 'none'; img-src data:; style-src '${hashOf(PAGE_STYLE)}'; script-src '${hashOf(PAGE_SCRIPT)}'; base-uri 'none'; form-action 'none'`;

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** The deepest indentation, as a call depth; deeper calls are indented as far as this. */
const MAX_INDENT = 3;

/** Up to so many lines of a call or a result are shown; longer ones are folded until a reader opens them. */
const MAX_OPEN_LINES = 24;

/** Likewise, in UTF-16 code units. */
const MAX_OPEN_CHARACTERS = 2_000;

/**
 * Writes one self-contained HTML page with no remote resource. What people and models wrote is rendered as
 * Markdown in which nothing is HTML, everything else is text; characters that are invisible or would reverse the text
 * are written out. Everything can be read without its one script, which adds search, lanes, folding and printing.
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
<style>${PAGE_STYLE}</style>
<script>${PAGE_SCRIPT}</script>
</head>
<body>
<h1>${escapeHtml(visibleLine(title))}</h1>
`;
  const takeHead = (time?: unknown) => {
    if (head === '') return '';
    const date = full ? timeWords(time) : '';
    const text = `${head}${date === '' ? '' : `<p class="date">${date.slice(0, 16)} UTC</p>\n`}<main>\n`;
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
    end: (ending) =>
      `${takeHead()}${noteBlocks({}, notes.rest())}</main>\n${endOf(ending)}</body>\n</html>\n`,
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
  return `<aside class="note${indent}${isError ? ' failed' : ''}"${agentAttribute(record.agent)}>${escapeHtml(visibleLine(line))}${said}</aside>\n`;
}

/** Whose lane it stands in. */
function agentAttribute(agent: unknown): string {
  return typeof agent === 'string' ? ` data-agent="${line(agent)}"` : '';
}

function depthClass(value: number): string {
  const depth = Math.min(MAX_INDENT, Math.max(0, Math.trunc(value)));
  return depth > 0 ? ` depth${depth}` : '';
}

function article(row: ExportRow, isFull: boolean, leaveOut: LeaveOut): string {
  const { index, message, place } = row;
  countFurtherFields(message, leaveOut);
  const role = row.speaker;
  const known = ['system', 'developer', 'user', 'assistant', 'tool'].includes(role) ? role : 'other';
  const body =
    role === 'tool'
      ? resultBlock(row, leaveOut) + otherParts(message.content, leaveOut)
      : reasoningBlock(message.reasoning_content) +
        (row.spoken
          ? spokenBlocks(row.spoken, message.content, leaveOut)
          : contentBlocks(message.content, leaveOut)) +
        refusalBlock(message.refusal) +
        callBlocks(row, isFull);
  return `<article id="m${index}" class="${known}${depthClass(place.depth ?? 0)}"${agentAttribute(place.agent)}>
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
    model,
    usageWords(envelope.usage),
    costWords(row.cost),
    partialWords(envelope.partial),
  ].filter((word) => word !== undefined && word !== '') as string[];
  const shown = isFull ? timeWords(place.time) : time;
  const stamp = time === null ? '' : ` · <time datetime="${time}">${shown}</time>`;
  const agent = place.agent === undefined || place.agent === '' ? '' : ` · ${line(place.agent)}`;
  const link = ` · <a href="#m${index}">#${index}</a>`;
  return agent + link + words.map((word) => ` · ${line(word)}`).join('') + stamp;
}

function contentBlocks(content: unknown, leaveOut: LeaveOut): string {
  if (Array.isArray(content)) return content.map((part) => partBlock(part, leaveOut)).join('');
  if (isObject(content)) return textBlock(compactJson(content));
  const text = textOf(content);
  return text === '' ? '' : markdownBlock(terminalTextOf(text, leaveOut));
}

/** The words of a person, and what a tool put there, folded. */
function spokenBlocks({ own, put }: SpokenText, content: unknown, leaveOut: LeaveOut): string {
  const said = own === '' ? '' : markdownBlock(terminalTextOf(own, leaveOut));
  const blocks = put.map(({ kind, by, text }) => {
    const summary = escapeHtml(visibleLine(by === undefined ? kind : `${kind}: ${by}`));
    return `<details><summary>${summary}</summary>\n${textBlock(terminalTextOf(text, leaveOut))}</details>\n`;
  });
  return said + otherParts(content, leaveOut) + blocks.join('');
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
    .map(({ id, name, input }) => foldedBlock(`Call ${name} ${id}`, shown(input), 'call'))
    .join('');
}

function resultBlock(row: ExportRow, leaveOut: LeaveOut): string {
  const { item, message, resultName } = row;
  const { text, isError } = toolResultOf(item, message);
  const duration = durationWords(row.durationMs);
  const title = `${isError ? 'Error' : 'Result'} of ${resultName || 'unnamed tool'} ${answeredIdOf(message)}${duration && ` · ${duration}`}`;
  return foldedBlock(title, terminalTextOf(text, leaveOut), isError ? 'error' : 'result');
}

/** What a tool was given or gave back. It is open where it is short or an error, and says how long it is where it is not. */
function foldedBlock(title: string, text: string, kind: 'call' | 'result' | 'error'): string {
  const lines = text.split('\n', MAX_OPEN_LINES + 1).length;
  const isShort = text.length <= MAX_OPEN_CHARACTERS && lines <= MAX_OPEN_LINES;
  const length = isShort ? '' : ` · ${lengthWords(text)}`;
  const open = isShort || kind === 'error' ? ' open' : '';
  return `<details${open} class="${kind}"><summary>${line(title)}${length}</summary>\n${textBlock(text)}</details>\n`;
}

function lengthWords(text: string): string {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines > 1 ? `${lines.toLocaleString('en')} lines` : `${text.length.toLocaleString('en')} characters`;
}

/** HTML drops a line break right after `<pre>`; the one here saves the first one of the text. */
function textBlock(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(visibleText(withoutTerminalSequences(text)))}</pre>\n`;
}
