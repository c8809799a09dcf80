import type { InjectedKind } from '../../src/core/injected.js';
import { inLanguage, message, t, type Message } from '../../src/core/l10n.js';
import type { InjectedText, MessageRow } from '../../src/page/protocol/row.js';
import { plainText } from '../content/plainText.js';
import { el, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon, type IconName } from '../icons.js';
import { meta } from './meta.js';
import { pictures } from './pictures.js';
import type { RowContext } from './rowContext.js';
import { textBlock } from './textBlock.js';

const ICONS: Readonly<Record<MessageRow['role'], IconName>> = {
  system: 'gear',
  developer: 'gear',
  user: 'account',
  assistant: 'hubot',
  tool: 'tools',
};

const PARTIAL = {
  error: message`Broken off by an error: this is what had been said until then.`,
  cancelled: message`Stopped: this is what had been said until then.`,
  length: message`Cut by the model’s own limit.`,
};

/** The card of a chat message. */
export function messageCard(row: MessageRow, context: RowContext): HTMLElement {
  const isFoldable = row.role === 'system' || row.role === 'developer';
  const isInjected = row.role === 'user' && isAllInjected(row);
  return el(
    'div',
    { class: `message message-${isInjected ? 'injected' : row.role}` },
    el('span', { class: 'gutter' }, icon(isInjected ? 'gear' : ICONS[row.role])),
    el(
      'div',
      { class: 'content' },
      isFoldable
        ? folded(row, context)
        : isInjected && row.injected
          ? [injected(row, row.injected, context, meta({ time: row.time }))]
          : whole(row, context),
    ),
  );
}

function whole(row: MessageRow, context: RowContext): Child[] {
  return [
    el('div', { class: 'head' }, speaker(row), row.edited && edited(context), meta(row)),
    row.reasoning && reasoning(row, context),
    row.body.text !== '' &&
      textBlock(row.id, 'body', row.body, context, row.role === 'tool' ? 'data' : 'markdown'),
    row.injected && injected(row, row.injected, context),
    row.refusal && el('div', { class: 'banner warning' }, icon('circle-slash'), plainText(row.refusal.text)),
    ...attachments(row, context),
    row.partial && el('div', { class: 'banner warning' }, icon('warning'), inLanguage(PARTIAL[row.partial])),
    isEmpty(row) && el('div', { class: 'faint' }, t`An empty message`),
  ];
}

function speaker(row: MessageRow): Child[] {
  const agent = el('span', { class: 'agent' }, plainText(row.agent));
  switch (row.role) {
    case 'assistant':
      return [agent];
    case 'tool':
      return [
        el('span', { class: 'agent' }, plainText(row.name ?? 'A tool')),
        el('span', { class: 'to' }, row.edited ? t`result` : t`result that no call asked for`),
      ];
    default: {
      const who = row.depth === 0 ? t`You` : t`Task`;
      return [
        el('span', { class: 'agent' }, row.name ? plainText(row.name) : who),
        el('span', { class: 'to' }, 'to ', plainText(row.agent)),
        row.absorbed && el('span', { class: 'to' }, t`while it worked`),
      ];
    }
  }
}

/** That the person let it say something else, with the way to what was said. */
function edited(context: RowContext): Child[] {
  return [
    el('span', { class: 'to' }, t`edited by you`),
    originLink(context, 'open', t`What the origin said`),
  ];
}

/** A link to the conversation that this one goes on from, or to the comparison with it. */
export function originLink({ actions }: RowContext, how: 'open' | 'compare', words: string): HTMLElement {
  const on = { click: () => actions.showOrigin(how) };
  return el('button', { class: 'link', attributes: { type: 'button' }, on }, words);
}

function folded(row: MessageRow, context: RowContext): Child[] {
  const words = row.role === 'system' ? t`System prompt` : t`Developer prompt`;
  const characters = formatCount(row.body.text.length + row.body.rest);
  return [
    foldedLine({
      isOpen: context.isOpen,
      onToggle: () => context.actions.toggle(row.id),
      head: [
        el('span', { class: 'fold-name' }, `${words} of `, plainText(row.agent)),
        el(
          'span',
          { class: 'fold-preview' },
          context.isOpen ? t`${characters} characters` : plainText(firstLine(row.body.text)),
        ),
      ],
      meta: meta({ time: row.time }),
      body: () => [textBlock(row.id, 'body', row.body, context, 'markdown')],
    }),
  ];
}

/** What a tool can put into a person's message, in a word. */
const INJECTED: Readonly<Record<InjectedKind, Message>> = {
  instructions: message`Instructions`,
  environment: message`Environment`,
  context: message`Context`,
  reminder: message`Reminder`,
  command: message`Command`,
  output: message`Output`,
  notification: message`Notification`,
  agent: message`Agent`,
  hook: message`Hook`,
  summary: message`Summary`,
  interruption: message`Interruption`,
};

/** Whether no word and no picture of a message is its sender's. */
function isAllInjected({ injected: put, body, images, otherParts }: MessageRow): boolean {
  return put !== undefined && body.text === '' && images.length + otherParts.length === 0;
}

/** What a tool put into a message, on a line that opens. */
function injected(row: MessageRow, { of, text }: InjectedText, context: RowContext, end?: Child): Child {
  const names = of.map(({ kind, by }) => by ?? inLanguage(INJECTED[kind]));
  return foldedLine({
    isOpen: context.isOpen,
    onToggle: () => context.actions.toggle(row.id),
    head: [
      el('span', { class: 'fold-name' }, plainText([...new Set(names)].join(', '))),
      el('span', { class: 'fold-preview' }, plainText(firstLine(text.text))),
    ],
    meta: end,
    body: () => [textBlock(row.id, 'injected', text, context, 'data')],
  });
}

function reasoning(row: MessageRow, context: RowContext): Child {
  const { reasoning: text } = row;
  if (!text) return undefined;
  return foldedLine({
    isOpen: context.isOpen,
    onToggle: () => context.actions.toggle(row.id),
    head: [
      icon('lightbulb'),
      el('span', { class: 'fold-name' }, t`Reasoning`),
      el('span', { class: 'fold-preview' }, plainText(firstLine(text.text))),
    ],
    body: () => [textBlock(row.id, 'reasoning', text, context, 'markdown')],
  });
}

function attachments(row: MessageRow, context: RowContext): Child[] {
  const images = pictures(row.id, row.images, context);
  const parts = row.otherParts.map((type) =>
    el('span', { class: 'absent-image' }, icon('file'), t`Part of type “${type}”`),
  );
  if (images.length + parts.length === 0) return [];
  const said =
    row.otherWords === undefined ? [] : [el('div', { class: 'part-words' }, plainText(row.otherWords))];
  return [el('div', { class: 'attachments' }, images, parts), ...said];
}

function isEmpty({
  body,
  images,
  otherParts,
  refusal,
  reasoning: thoughts,
  injected: put,
}: MessageRow): boolean {
  return !put && body.text === '' && images.length + otherParts.length === 0 && !refusal && !thoughts;
}

function firstLine(text: string): string {
  return text.trimStart().slice(0, 300).split('\n', 1)[0] ?? '';
}

/** A line that opens to show its body. */
interface FoldedLine {
  readonly isOpen: boolean;
  readonly onToggle: () => void;
  readonly head: readonly Child[];
  readonly meta?: Child;
  /** Called only while it is open. */
  readonly body: () => readonly Child[];
}

/** Creates a line that opens to show its body. */
export function foldedLine({ isOpen, onToggle, head, meta, body }: FoldedLine): HTMLElement {
  return el(
    'div',
    { class: 'fold' },
    el(
      'div',
      { class: 'fold-line' },
      el(
        'button',
        {
          class: 'fold-head',
          attributes: { type: 'button', 'aria-expanded': String(isOpen) },
          on: { click: onToggle },
        },
        icon(isOpen ? 'chevron-down' : 'chevron-right'),
        head,
      ),
      meta,
    ),
    isOpen && el('div', { class: 'fold-body' }, body()),
  );
}
