import { createHash } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import { escapeHtml } from '../core/escapeHtml.js';
import { isObject, textOf } from '../core/message.js';
import { withoutTerminalSequences } from '../core/terminalText.js';
import { visibleLine, visibleText } from '../core/visibleText.js';
import { compactJson } from '../query/numbers/jsonText.js';
import { scopeOf } from '../query/numbers/toolNames.js';
import { ToolPairing } from '../query/numbers/toolPairing.js';
import { answeredIdOf, envelopeOf, type UntypedMessage } from '../query/numbers/transcriptItem.js';
import { callsOf, type LooseCall } from '../query/numbers/toolCalls.js';
import { countLines } from '../core/text.js';
import { deedPieces } from './deedPieces.js';
import { toolResultOf } from '../query/numbers/toolSummary.js';
import type { ContextSection } from './contextSection.js';
import { contextWords, type PartWords } from './contextWords.js';
import { costLine, costWords } from './costWords.js';
import { keptWords, type ExportOptions } from './exportFormat.js';
import { noteLine, type ExportNote } from './exportNote.js';
import type { ExportRow, SpokenText } from './exportRow.js';
import { countFurtherFields, otherPartOf, terminalTextOf } from './leftOut.js';
import { timestampOf, timeWords } from './metadata.js';
import type { RecordNote } from './failureNotes.js';
import { absorbedWords, partialWords, RecordNotes, resultFacts, usageWords } from './recordNotes.js';
import { PAGE_SCRIPT } from './page/pageScript.js';
import { PAGE_STYLE } from './page/pageStyle.js';
import type { Ending, LeaveOut, TextWriter } from './textWriter.js';

/** Raw HTML is text; links lead to web pages and mail only. */
const renderer = new MarkdownIt({ html: false, linkify: false, breaks: true, maxNesting: 40 });
renderer.validateLink = (address) =>
  /^(?:https?:|mailto:|#)/i.test(address.trim()) || EMBEDDED.test(address.trim());

const EMBEDDED = /^data:image\/(?:png|jpeg|gif|webp);base64,/i;

/** A definition of a link is shown by no renderer, so it would be missing: it is text here. */
renderer.disable('reference');

/** Only pictures that the text itself holds are shown; others are named, and nothing is fetched. */
renderer.renderer.rules.image = (tokens, at) => {
  const token = tokens[at];
  const address = String(token?.attrGet('src') ?? '');
  const words = token?.content ?? '';
  return EMBEDDED.test(address)
    ? `<img alt="${escapeHtml(words)}" src="${escapeHtml(address)}">`
    : `<span>${escapeHtml(words || 'picture')} (${escapeHtml(address)})</span>`;
};

/** What stands behind a fence besides the language, such as a file's name, is a line above the code. */
const fence = renderer.renderer.rules.fence;
renderer.renderer.rules.fence = (tokens, at, options, environment, self) => {
  const about = (tokens[at]?.info ?? '').trim().split(/\s+/u).slice(1).join(' ');
  const code = fence?.(tokens, at, options, environment, self) ?? '';
  return about === '' ? code : `<p>${escapeHtml(about)}</p>\n${code}`;
};

/** Headings stand below the page's own, and one deeper at most than the one before: so screen readers expect them. */
renderer.core.ruler.push('lower-headings', ({ tokens }) => {
  const above: number[] = [];
  for (const token of tokens) {
    if (!token.type.startsWith('heading_')) continue;
    const depth = Number(token.tag.slice(1));
    if (token.type === 'heading_open') {
      while ((above.at(-1) ?? 0) >= depth) above.pop();
      above.push(depth);
    }
    token.tag = `h${Math.min(6, above.length + 1)}`;
  }
});

/** A link that leads nowhere, `[words]()`, is shown as it was written. */
renderer.core.ruler.push('empty-links', ({ tokens }) => {
  for (const { children } of tokens) {
    let isEmpty = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') isEmpty = token.attrGet('href') === '';
      if (!isEmpty || !token.type.startsWith('link_')) continue;
      token.content = token.type === 'link_open' ? '[' : ']()';
      token.type = 'text';
    }
  }
});

renderer.renderer.rules.link_open = (tokens, at, options, _environment, self) => {
  tokens[at]?.attrSet('rel', 'noreferrer noopener');
  return self.renderToken(tokens, at, options);
};

/** Markdown as HTML in which nothing runs and nothing is loaded. */
function renderMarkdown(text: string): string {
  return renderer.render(text);
}

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
  { title = 'Conversation', full = false, kept }: ExportOptions,
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
<div role="banner">
<h1>${escapeHtml(visibleLine(title))}</h1>
`;
  const takeHead = (time?: unknown) => {
    if (head === '') return '';
    const date = full ? timeWords(time) : '';
    const facts = [...(date === '' ? [] : [`${date.slice(0, 16)} UTC`]), ...(kept ? [keptWords(kept)] : [])];
    const told = facts.length === 0 ? '' : `<p class="date">${facts.join(', ')}</p>\n`;
    const text = `${head}${told}</div>\n<main>\n`;
    head = '';
    return text;
  };
  const notes = new RecordNotes();
  let open: OpenArticle | undefined;
  const flush = () => {
    const text = open ? openArticle(open, leaveOut) : '';
    open = undefined;
    return text;
  };
  const note = (record: UntypedMessage, noted: readonly ExportNote[]) => {
    const told = notes.of(record);
    if (!told || told.length + noted.length === 0) return told && '';
    const text = noteBlocks(record, told) + ownNotes(noted, [], record.depth);
    const decided = record.type === 'approval' && open?.scope === scopeOf(record) ? open : undefined;
    if (!decided) return takeHead(record.time) + flush() + text;
    // A decision that is told between a call and its result does not part them.
    decided.behind += text;
    return '';
  };
  const tasks = ({ envelope = {}, message }: ExportRow) =>
    full ? noteBlocks(envelope, notes.before(envelope, message)) : '';
  const add = (row: ExportRow) => {
    const { item, message, place } = row;
    const answered =
      row.speaker === 'tool' && open?.scope === scopeOf(item)
        ? open.pairing.answer('', answeredIdOf(message))
        : undefined;
    if (open && answered && !answered.again) {
      answered.call.result = row;
      open.behind += notesOf(row);
      return --open.waiting === 0 ? flush() : '';
    }
    const before = takeHead(place.time) + flush() + tasks(row);
    const calls = callsOf(message).map((call): OpenCard => ({ call, result: undefined }));
    if (row.speaker === 'tool' || calls.length === 0)
      return before + article(row, full, leaveOut) + notesOf(row);
    const pairing = new ToolPairing<OpenCard>();
    for (const card of calls) pairing.open('', card.call.id, 0, card);
    const head = articleHead(row, full, leaveOut);
    open = { scope: scopeOf(item), head, calls, pairing, waiting: calls.length, behind: notesOf(row) };
    return before;
  };
  return {
    add,
    ...(full && { note }),
    end: (ending) =>
      `${takeHead()}${flush()}${noteBlocks({}, notes.rest())}</main>\n${endOf(ending)}</body>\n</html>\n`,
  };
}

/** A call of a tool, and the row of its result where that came. */
interface OpenCard {
  readonly call: LooseCall;
  result: ExportRow | undefined;
}

/** A message whose results may still come, of the agent's call `scope`. */
interface OpenArticle {
  readonly scope: string;
  readonly head: string;
  readonly calls: readonly OpenCard[];
  readonly pairing: ToolPairing<OpenCard>;
  /** The number of calls without a result. */
  waiting: number;
  /** What stands below it. */
  behind: string;
}

function openArticle({ head, calls, behind }: OpenArticle, leaveOut: LeaveOut): string {
  return `${head}${calls.map((card) => cardOf(card, leaveOut)).join('')}</article>\n${behind}`;
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
  return `<section class="text" aria-label="What filled the windows">\n<h2>What filled the windows</h2>\n${ofWindows.join('')}${end}\n</section>\n`;
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
        `<aside role="note" class="note own${indent}"><pre>${escapeHtml(visibleText(noteLine(note, tools)))}</pre></aside>\n`,
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
  return `<aside role="note" class="note${indent}${isError ? ' failed' : ''}"${agentAttribute(record.agent)}>${escapeHtml(visibleLine(line))}${said}</aside>\n`;
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
  return `${articleHead(row, isFull, leaveOut)}</article>\n`;
}

/** A message up to its calls. */
function articleHead(row: ExportRow, isFull: boolean, leaveOut: LeaveOut): string {
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
        refusalBlock(message.refusal);
  return `<article id="m${index}" class="${known}${depthClass(place.depth ?? 0)}"${agentAttribute(place.agent)}>
<header><b>${escapeHtml(visibleLine(role))}</b>${headerWords(row, isFull)}</header>
${body}`;
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
  const { place } = row;
  const envelope = (isFull ? row.envelope : undefined) ?? {};
  const time = place.time === undefined ? null : timestampOf(place.time);
  const model = typeof envelope.model === 'string' ? envelope.model : undefined;
  const words = [
    model,
    usageWords(envelope.usage),
    costWords(row.cost),
    partialWords(envelope.partial),
    absorbedWords(envelope),
  ].filter((word) => word !== undefined && word !== '') as string[];
  const shown = isFull ? timeWords(place.time) : time;
  const stamp = time === null ? '' : ` · <time datetime="${time}">${shown}</time>`;
  const agent = place.agent === undefined || place.agent === '' ? '' : ` · ${line(place.agent)}`;
  return agent + numberOf(row) + words.map((word) => ` · ${line(word)}`).join('') + stamp;
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

/** A call with what it was given and what came of it. It is open where it is short or failed. */
function cardOf({ call, result }: OpenCard, leaveOut: LeaveOut): string {
  const { deed, pieces } = deedPieces(call.name, call.input);
  const told = result && toolResultOf(result.item, result.message);
  const came = result
    ? resultFacts(deed, result.item, told?.text ?? '', result.durationMs)
    : ['no result was recorded'];
  const text = told ? terminalTextOf(told.text, leaveOut) : '';
  if (result) countFurtherFields(result.message, leaveOut);
  const size = [...pieces.map((piece) => piece.text), text];
  const isShort = size.every(isShortText);
  const length = isShort || text === '' ? '' : ` · ${lengthWords(text)}`;
  const about = deed.about === undefined ? '' : `<p>${line(deed.about)}</p>\n`;
  const given = pieces
    .map(({ language, of = '', text: piece }) => {
      const name = of === '' || pieces.length === 1 ? '' : `<p>${line(of)}</p>\n`;
      return name + (language === 'diff' ? diffBlock(piece) : textBlock(piece));
    })
    .join('');
  const answer = result
    ? `<div class="came" id="m${result.index}">\n<header>Result${numberOf(result)}</header>\n${textBlock(text)}${otherParts(result.message.content, leaveOut)}</div>\n`
    : '';
  const headline = deed.headline === '' ? '' : ` ${escapeHtml(deed.headline)}`;
  const facts =
    came.length === 0 ? '' : ` <span>${headline && '· '}${line(came.join(' · '))}${length}</span>`;
  const open = isShort || told?.isError === true ? ' open' : '';
  const id = call.id === '' ? '' : ` title="${line(call.id)}"`;
  return `<details${open} class="call${told?.isError === true ? ' error' : ''}"><summary${id}><b>${escapeHtml(deed.name)}</b>${headline}${facts}</summary>\n${about}${given}${answer}</details>\n`;
}

/** The lines of a diff, each as what it is; its sign is text, so that it can be copied. */
function diffBlock(text: string): string {
  const lines = visibleText(withoutTerminalSequences(text))
    .split('\n')
    .map((each) => {
      const tag = each.startsWith('-') ? 'del' : each.startsWith('+') ? 'ins' : '';
      return tag === '' ? escapeHtml(each) : `<${tag}>${escapeHtml(each)}</${tag}>`;
    });
  return `<pre dir="auto">\n${lines.join('\n')}</pre>\n`;
}

/**
 * The number of a message: that of its record, as the panel and the command line have it, else its place among the messages; with the
 * message's own id, by which links lead to it.
 */
function numberOf({ index, item, ownId }: ExportRow): string {
  const seq = envelopeOf(item)?.seq;
  const own = ownId === '' ? '' : ` title="${line(ownId)}"`;
  return ` · <a href="#m${index}"${own}>#${typeof seq === 'number' ? seq : index}</a>`;
}

function resultBlock(row: ExportRow, leaveOut: LeaveOut): string {
  const { item, message, resultName } = row;
  const { text, isError } = toolResultOf(item, message);
  const facts = resultFacts({ kind: 'other' }, item, text, row.durationMs)
    .map((fact) => ` · ${fact}`)
    .join('');
  const title = `Result of ${resultName || 'unnamed tool'} ${answeredIdOf(message)}${facts}`;
  return foldedBlock(title, terminalTextOf(text, leaveOut), isError ? 'error' : 'result');
}

/** What a tool was given or gave back. It is open where it is short or an error, and says how long it is where it is not. */
function foldedBlock(title: string, text: string, kind: 'result' | 'error'): string {
  const isShort = isShortText(text);
  const length = isShort ? '' : ` · ${lengthWords(text)}`;
  const open = isShort || kind === 'error' ? ' open' : '';
  return `<details${open} class="${kind}"><summary>${line(title)}${length}</summary>\n${textBlock(text)}</details>\n`;
}

function isShortText(text: string): boolean {
  return text.length <= MAX_OPEN_CHARACTERS && text.split('\n', MAX_OPEN_LINES + 1).length <= MAX_OPEN_LINES;
}

function lengthWords(text: string): string {
  const lines = countLines(text);
  return lines > 1 ? `${lines.toLocaleString('en')} lines` : `${text.length.toLocaleString('en')} characters`;
}

/** HTML drops a line break right after `<pre>`; the one here saves the first one of the text. */
function textBlock(text: string): string {
  return `<pre dir="auto">\n${escapeHtml(visibleText(withoutTerminalSequences(text)))}</pre>\n`;
}
