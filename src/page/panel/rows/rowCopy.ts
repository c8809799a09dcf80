import { clipName } from '../../../query/numbers/values.js';
import { greatestOf } from '../../../core/lists.js';
import { messageIn, roleOf } from '../../../query/numbers/transcriptItem.js';
import { callsOf } from '../../../query/numbers/toolCalls.js';
import { ROW } from './rowIndex.js';
import type { RowSources } from './rowSources.js';
import type { RowTexts } from './rowTexts.js';

/** The whole text of a row, as plain text or as Markdown that no content can break out of. */
export async function copyOf(sources: RowSources, texts: RowTexts, as: 'text' | 'markdown'): Promise<string> {
  const { kind, record, sub, dispatch } = sources;
  const message = messageIn(record) ?? {};
  const isMarkdown = as === 'markdown';
  if (kind === ROW.message) {
    const body = await texts.whole(sources, 'body');
    return isMarkdown ? `**${plain(record.agent)}** (${plain(roleOf(message))})\n\n${body}\n` : body;
  }
  if (kind === ROW.note) return texts.whole(sources, 'detail');
  const asked = kind === ROW.dispatch ? 'task' : 'arguments';
  const name = clipName(kind === ROW.dispatch ? dispatch?.target : callsOf(message)[sub]?.name);
  const input = await texts.whole(sources, asked);
  const output = await texts.whole(sources, 'result');
  if (!isMarkdown) return output === '' ? `${name}\n${input}` : `${name}\n${input}\n\n${output}`;
  const title = kind === ROW.dispatch ? `dispatched **${plain(name)}**` : `called **${plain(name)}**`;
  return `**${plain(record.agent)}** ${title}\n\n${fenced(input)}\n\n${output === '' ? '_no result_' : fenced(output)}\n`;
}

/** A text in a fence that is longer than any in it. */
function fenced(text: string): string {
  const longest = greatestOf(
    Array.from(text.matchAll(/`+/g), ([run]) => run.length),
    2,
  );
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** A name with all Markdown escaped. */
function plain(name: unknown): string {
  return clipName(name).replace(/[\\`*_{}[\]()#+!|<>~-]/g, '\\$&');
}
