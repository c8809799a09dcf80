import { isObject } from '../../core/message.js';
import { wellFormed } from '../../core/wellFormed.js';
import type { Question } from '../../query/language/question.js';
import { ROW_KINDS } from '../../query/language/syntax.js';
import type { SessionKey } from '../../core/sessionKey.js';

/** What a link leads to: a transcript, or the search over all of them, and what is asked there. */
export interface LinkedQuestion {
  /** Absent: the question is asked of all conversations. */
  readonly conversation?: string;
  readonly question: Question;
}

/** Longer texts have no link, because nobody could paste it; in UTF-16 code units. */
const MAX_LINKED = 4_000;
/** No id of a conversation is longer. */
const MAX_ID = 300;

/** Links in a text, such as `logbook:20261122-101500-1a2b3c4d?rows=messages&question=is%3Aerror&mark=…`. */
export const QUESTION_LINK = /\blogbook:[\w.%~+-]*\?[\w.%~+&=*-]+/g;

/**
 * A link that opens a transcript, or the search, with a question. `sign` gives the mark by which this person's windows know that they made
 * it. Undefined where the question is too long for one.
 */
export function questionLink(
  { conversation, question }: LinkedQuestion,
  sign: (link: string) => string,
): string | undefined {
  if (question.text.length > MAX_LINKED) return undefined;
  const query = new URLSearchParams({ rows: question.rows, question: question.text });
  const link = `logbook:${encodeURIComponent(conversation ?? '')}?${query.toString()}`;
  return `${link}&mark=${sign(link)}`;
}

/** What a link says that carries the right mark; undefined for one that anybody else may have written. */
export function signedQuestion(link: string, sign: (link: string) => string): LinkedQuestion | undefined {
  const [unsigned = '', mark] = link.trim().split('&mark=');
  return mark === sign(unsigned) ? readQuestionLink(link) : undefined;
}

/** What a link says; undefined for anything else. Anybody can write a link. */
export function readQuestionLink(link: string): LinkedQuestion | undefined {
  const [, id = '', query = ''] = /^logbook:([^?]*)\?(.*)$/s.exec(link.trim()) ?? [];
  const given = new URLSearchParams(query);
  const conversation = decoded(id);
  const question = questionIn({ text: given.get('question'), rows: given.get('rows') });
  if (!question || conversation.length > MAX_ID || (conversation === '') !== (id === '')) return undefined;
  return { ...(conversation !== '' && { conversation }), question };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // URIError: it is no part of a link.
    return '';
  }
}

/** A message that a link leads to, in whichever window can find its session. */
export interface LinkedMessage {
  readonly session: SessionKey;
  readonly message: { readonly id: string; readonly near?: number };
}

/** The path of addresses that lead to messages. */
const MESSAGE_PATH = 'message';

/**
 * The address of a message, such as `vscode://agent-logbook.agent-logbook/message?tool=codex&session=…&at=…`: `scheme` is that of
 * the editor, `extension` the id of this extension.
 */
export function messageLink(
  { session: { tool, session }, message: { id, near } }: LinkedMessage,
  { scheme, extension }: { readonly scheme: string; readonly extension: string },
): string {
  const query = [
    `tool=${escaped(tool)}`,
    `session=${escaped(session)}`,
    `at=${escaped(id)}`,
    ...(near === undefined ? [] : [`near=${near}`]),
  ];
  return `${scheme}://${extension}/${MESSAGE_PATH}?${query.join('&')}`;
}

/** A value as it stands in an address: editors undo the escapes of addresses before they hand them on, but none by `~`. */
function escaped(value: string): string {
  return encodeURIComponent(wellFormed(value)).replaceAll('~', '%7E').replaceAll('%', '~');
}

/** What an address of a message says; undefined for anything else. Anybody can write one: it only shows what is there. */
export function readMessageLink(link: string): LinkedMessage | undefined {
  const [, path, query = ''] = /^[a-z][\w+.-]*:\/\/[\w.-]+\/(\w+)\?(\S{1,4000})$/.exec(link.trim()) ?? [];
  if (path !== MESSAGE_PATH) return undefined;
  const given = new Map(
    query.split('&').map((part): [string, string] => {
      const [name = '', value = ''] = part.split('=', 2);
      return [name, decoded(value.replaceAll('~', '%'))];
    }),
  );
  const [tool, session, id] = ['tool', 'session', 'at'].map((name) => given.get(name) ?? '');
  if (!tool || !session || !id || Math.max(tool.length, session.length, id.length) > MAX_ID) return undefined;
  const near = Number(given.get('near') ?? Number.NaN);
  return {
    session: { tool, session },
    message: { id, ...(Number.isSafeInteger(near) && near >= 0 && { near }) },
  };
}

/** A question that stands in the argument of a command or in a link; undefined where there is none. */
export function questionIn(value: unknown): Question | undefined {
  if (!isObject(value) || typeof value.text !== 'string' || value.text.length > MAX_LINKED) return undefined;
  const rows = ROW_KINDS.find((kind) => kind === value.rows);
  return rows && { text: value.text, rows };
}
