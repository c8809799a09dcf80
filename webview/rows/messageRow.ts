import { inLanguage, message, t } from '../../src/core/l10n.js';
import type { MessageRow } from '../../src/page/protocol/row.js';
import { plainText } from '../content/plainText.js';
import { el, type Child } from '../dom.js';
import { formatCount } from '../format.js';
import { icon, type IconName } from '../icons.js';
import { foldedLine } from './foldedLine.js';
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
  return el(
    'div',
    { class: `message message-${row.role}` },
    el('span', { class: 'gutter' }, icon(ICONS[row.role])),
    el('div', { class: 'content' }, isFoldable ? folded(row, context) : whole(row, context)),
  );
}

function whole(row: MessageRow, context: RowContext): Child[] {
  return [
    el('div', { class: 'head' }, speaker(row), meta(row)),
    row.reasoning && reasoning(row, context),
    row.body.text !== '' &&
      textBlock(row.id, 'body', row.body, context, row.role === 'tool' ? 'data' : 'markdown'),
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
        el('span', { class: 'to' }, t`result that no call asked for`),
      ];
    default: {
      const who = row.depth === 0 ? t`You` : t`Task`;
      return [
        el('span', { class: 'agent' }, row.name ? plainText(row.name) : who),
        el('span', { class: 'to' }, 'to ', plainText(row.agent)),
      ];
    }
  }
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
  return images.length + parts.length === 0 ? [] : [el('div', { class: 'attachments' }, images, parts)];
}

function isEmpty({ body, images, otherParts, refusal, reasoning: thoughts }: MessageRow): boolean {
  return body.text === '' && images.length + otherParts.length === 0 && !refusal && !thoughts;
}

function firstLine(text: string): string {
  return text.trimStart().slice(0, 300).split('\n', 1)[0] ?? '';
}
