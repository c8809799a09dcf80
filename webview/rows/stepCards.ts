import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { DispatchRow, PlanEntry, RowChange, StepState, ToolRow } from '../../src/page/protocol/row.js';
import { plainWords } from '../../src/query/plainWords.js';
import { diffLines } from '../content/editDiff.js';
import { jsonTree, parseJson } from '../content/jsonTree.js';
import { plainText } from '../content/plainText.js';
import { terminalText } from '../content/terminalText.js';
import { el, type Child } from '../dom.js';
import { formatNoun } from '../format.js';
import { icon, type IconName } from '../icons.js';
import { meta } from './meta.js';
import { pictures } from './pictures.js';
import type { RowContext } from './rowContext.js';
import { textBlock } from './textBlock.js';

const STATES: Readonly<Record<StepState, readonly [IconName, Message]>> = {
  running: ['loading', message`running`],
  done: ['pass', message`done`],
  failed: ['error', message`failed`],
  denied: ['circle-slash', message`denied`],
  timedOut: ['watch', message`timed out`],
  stopped: ['circle-slash', message`cancelled`],
  open: ['loading', message`open, it goes on`],
  unanswered: ['question', message`open, never answered`],
};

/** What became of a call, in the word by which it is counted and asked for. */
export function stateName(state: StepState): string {
  return inLanguage(STATES[state][1]);
}

/** The card of a tool call and its result. */
export function toolCard(row: ToolRow, context: RowContext): HTMLElement {
  return el(
    'div',
    { class: `card card-tool state-${row.state}` },
    el(
      'div',
      { class: 'card-line' },
      cardHead(
        row.id,
        context,
        el('span', { class: 'tool-name', title: row.tool }, plainText(row.name ?? row.tool)),
        pathWords('tool-summary', row.summary),
      ),
      row.came !== undefined && el('span', { class: 'came' }, row.came),
      meta({ ...row, model: undefined }, stateWords(row)),
    ),
    row.about !== undefined && el('div', { class: 'about' }, plainText(row.about)),
    !context.isOpen && (row.state === 'failed' || row.state === 'timedOut') && failureLine(row),
    !context.isOpen && row.state === 'denied' && approvalLine(row),
    context.isOpen && el('div', { class: 'card-body' }, toolBody(row, context)),
  );
}

/** The button that opens and closes a card. */
function cardHead(row: number, { isOpen, actions }: RowContext, ...words: readonly Child[]): HTMLElement {
  return el(
    'button',
    {
      class: 'card-head',
      attributes: { type: 'button', 'aria-expanded': String(isOpen) },
      on: { click: () => actions.toggle(row) },
    },
    icon(isOpen ? 'chevron-down' : 'chevron-right'),
    ...words,
  );
}

function toolBody(row: ToolRow, context: RowContext): Child[] {
  const beside = row.beside === undefined ? undefined : parseJson(row.beside);
  return [
    approvalLine(row),
    row.script !== undefined && section(t`Command`, el('pre', { class: 'plain' }, plainText(row.script))),
    row.plan && section(t`Tasks`, planList(row.plan)),
    row.changes && changesSection(row.changes, () => context.actions.openChanges(row.id)),
    row.beside !== '' &&
      section(
        t`Arguments`,
        beside ? jsonTree(beside) : textBlock(row.id, 'arguments', row.arguments, context, 'data'),
      ),
    row.files.length > 0 &&
      el(
        'div',
        { class: 'files' },
        row.files.map(({ label }, at) => fileLink(label, () => context.actions.openFile(row.id, at))),
      ),
    row.result
      ? section(
          row.state === 'failed' || row.state === 'timedOut' ? t`Error` : t`Result`,
          textBlock(row.id, 'result', row.result, context, 'data'),
        )
      : el(
          'div',
          { class: 'faint' },
          row.state === 'running' ? t`Waiting for its result…` : t`No result was recorded.`,
        ),
    row.images && el('div', { class: 'attachments' }, pictures(row.id, row.images, context)),
  ];
}

const PLAN_ICONS = { done: 'pass', doing: 'loading', open: 'circle-large-outline' } as const;

function planList(plan: readonly PlanEntry[]): HTMLElement {
  const words = { done: t`done`, doing: t`in progress`, open: t`open` };
  return el(
    'ul',
    { class: 'plan' },
    plan.map(({ text, state }) =>
      el(
        'li',
        { class: `plan-${state}` },
        icon(PLAN_ICONS[state]),
        el('span', { class: 'sr' }, `${words[state]}: `),
        plainText(text),
      ),
    ),
  );
}

function changesSection(changes: readonly RowChange[], open: () => void): HTMLElement {
  const rest = changes.reduce((sum, each) => sum + each.rest, 0);
  return el(
    'div',
    { class: 'section' },
    el(
      'div',
      { class: 'section-name' },
      t`Change`,
      el(
        'button',
        { class: 'file', attributes: { type: 'button' }, on: { click: open } },
        icon('diff'),
        t`Open Changes`,
      ),
    ),
    el(
      'div',
      { class: 'diffs' },
      changes.flatMap(({ path, lines }) => [
        changes.length > 1 && path !== '' && el('div', { class: 'faint' }, plainText(path)),
        lines.length > 0 && diffLines(lines),
      ]),
    ),
    rest > 0 && el('div', { class: 'faint' }, t`More of it is in Open Changes.`),
  );
}

/** The card of a dispatch; expanded, the rows of the other agent's call follow it in the list. */
export function dispatchCard(row: DispatchRow, context: RowContext): HTMLElement {
  const { child } = row;
  const canExpand = child !== undefined && child.rows > 0;
  return el(
    'div',
    { class: `card card-dispatch state-${row.state} hue-${row.targetHue}` },
    el(
      'div',
      { class: 'card-line' },
      cardHead(
        row.id,
        context,
        el('span', { class: 'arrow', attributes: { 'aria-hidden': 'true' } }, '→'),
        el('span', { class: 'dot', attributes: { 'aria-hidden': 'true' } }),
        el('span', { class: 'agent' }, plainText(row.target)),
        el(
          'span',
          { class: 'tool-summary' },
          context.isOpen ? '' : plainText(oneLine(plainWords(beginning(row.task.text)))),
        ),
      ),
      meta(
        {
          ...row,
          model: undefined,
          tokens: child?.tokens,
          cost: child?.cost,
          wholeCost: child?.wholeCost,
        },
        stateWords(row),
      ),
    ),
    context.isOpen && el('div', { class: 'card-body' }, dispatchBody(row, context)),
    row.refused !== undefined && el('div', { class: 'failure' }, plainText(row.refused)),
    !context.isOpen && row.result && answerLine(row),
    canExpand && expander(row, context),
  );
}

function dispatchBody(row: DispatchRow, context: RowContext): Child[] {
  return [
    approvalLine(row),
    section(t`Task`, textBlock(row.id, 'task', row.task, context, 'markdown')),
    row.result && section(t`Answer`, textBlock(row.id, 'result', row.result, context, 'markdown')),
    row.session !== undefined &&
      el('div', { class: 'session' }, t`Session `, el('code', {}, plainText(row.session))),
  ];
}

function expander(row: DispatchRow, { actions }: RowContext): HTMLElement {
  const { messages = 0, toolCalls = 0, errors = 0 } = row.child ?? {};
  return el(
    'button',
    {
      class: 'expander',
      attributes: { type: 'button', 'aria-expanded': String(row.expanded) },
      on: { click: () => actions.expand(row.id, !row.expanded) },
    },
    icon(row.expanded ? 'fold' : 'unfold'),
    row.expanded ? t`Hide the conversation of ` : t`Show the conversation of `,
    plainText(row.target),
    el(
      'span',
      { class: 'faint expander-facts' },
      formatNoun(messages, 'message'),
      toolCalls > 0 && `, ${formatNoun(toolCalls, 'tool call')}`,
      errors > 0 && el('span', { class: 'bad' }, `, ${formatNoun(errors, 'error')}`),
    ),
  );
}

function stateWords({ state, approval }: ToolRow | DispatchRow): HTMLElement {
  const [name, label] = STATES[state];
  const words = state === 'denied' && approval ? approval.text : inLanguage(label);
  const spin = state === 'running' ? 'codicon-modifier-spin' : '';
  return el(
    'span',
    { class: `state state-word-${state}`, title: words },
    icon(name, spin),
    el('span', { class: 'sr' }, words),
  );
}

function failureLine(row: ToolRow): HTMLElement {
  return el(
    'div',
    { class: 'failure' },
    plainText(oneLine(terminalText(row.result?.text ?? '')) || t`It failed without words.`),
  );
}

function answerLine(row: DispatchRow): Child {
  const words = oneLine(plainWords(beginning(row.result?.text ?? '')));
  const isBad = row.state === 'failed';
  return words !== '' && el('div', { class: isBad ? 'failure' : 'answer' }, !isBad && '← ', plainText(words));
}

function approvalLine({ approval }: ToolRow | DispatchRow): Child {
  if (!approval) return undefined;
  const name = approval.approved ? 'shield' : 'circle-slash';
  return el(
    'div',
    { class: approval.approved ? 'approval' : 'approval bad' },
    icon(name),
    plainText(approval.text),
  );
}

function section(name: string, content: HTMLElement): HTMLElement {
  return el('div', { class: 'section' }, el('div', { class: 'section-name' }, name), content);
}

function fileLink(label: string, onClick: () => void): HTMLElement {
  return el(
    'button',
    { class: 'file', title: t`Open this file`, attributes: { type: 'button' }, on: { click: onClick } },
    icon('go-to-file'),
    plainText(label),
  );
}

function oneLine(text: string): string {
  return beginning(text).replace(/\s+/g, ' ').trim();
}

function beginning(text: string): string {
  return text.slice(0, 600);
}

/** The folders of the first path in a text, and what follows them. */
const FOLDERS = /^((?:\w+: )?(?:[^\s/\\,]{0,200}[/\\]){1,40})(.+)$/s;

/** Words of which, where there is too little room, the folders of a path are cut before its end is. */
export function pathWords(className: string, words: string): HTMLElement {
  const [, folders, rest] = FOLDERS.exec(words) ?? [];
  if (folders === undefined || rest === undefined) return el('span', { class: className }, plainText(words));
  return el(
    'span',
    { class: `${className} path-words`, title: words },
    el('span', { class: 'path-folders' }, plainText(folders)),
    el('span', { class: 'path-end' }, plainText(rest)),
  );
}
