import { isObject } from '../../core/message.js';
import type { UnknownRecord } from '../../core/record.js';
import { firstCodePoints } from '../../core/text.js';
import type { NoteRow } from '../../protocol/row.js';
import { reasonOf, type CallNode } from '../../analysis/callTree.js';
import { clipName, numberOr, textOr } from '../../analysis/values.js';
import { cutField, fieldOf } from './rowFields.js';
import { tokensOf } from '../../analysis/tokens.js';
import { MAX_FIELD, rowPlace } from './rowPlace.js';
import type { RowSources } from './rowSources.js';
import { decisionOf } from './stepRow.js';

type Note = Pick<NoteRow, 'note' | 'level' | 'text'>;

/** The one-line row of a record without a message. */
export function noteRow(sources: RowSources): NoteRow {
  const { record } = sources;
  const detail = fieldOf(sources, 'detail');
  const duration = numberOr(record.durationMs ?? record.waitedMs);
  const tokens = tokensOf(record.totalUsage);
  return {
    kind: 'note',
    ...rowPlace(sources),
    ...wording(sources),
    ...(detail.text !== '' && { detail: cutField(detail, MAX_FIELD) }),
    ...(duration !== undefined && { durationMs: duration }),
    ...(tokens && { tokens }),
  };
}

function wording({ record, call }: RowSources): Note {
  switch (record.type) {
    case 'callStart':
      return runStart(record, call);
    case 'callEnd':
      return callEnd(record, call);
    case 'approval': {
      const level = record.decision === 'approved' ? 'good' : 'warning';
      return { note: 'approval', level, text: `${decisionOf(record)} · ${clipName(record.toolName)}` };
    }
    case 'error':
      return { note: 'error', level: 'error', text: errorText(record) };
    case 'request': {
      const text = `Request ${numberOr(record.attempt) ?? 1} failed: ${failureText(record.error)}`;
      return { note: 'request', level: 'warning', text };
    }
    case 'title':
      return { note: 'title', level: 'plain', text: `Renamed to “${clipName(record.title)}”` };
    // What an import kept of a file because it is no message; the other tool's own word tells what it is.
    case 'imported': {
      const kind = clipName(record.kind);
      const text = kind === '' || kind === 'unknown' ? 'Imported as it was' : `Imported as it was: ${kind}`;
      return { note: 'unknown', level: 'plain', text };
    }
    default: {
      const text = `A record of type “${clipName(record.type)}” that this version does not know`;
      return { note: 'unknown', level: 'plain', text };
    }
  }
}

function runStart({ model, scripted }: UnknownRecord, { run, agent }: CallNode): Note {
  const words = [`Run ${run}`, clipName(agent), clipName(model), scripted === true ? 'scripted' : ''];
  return { note: 'runStart', level: 'plain', text: words.filter((word) => word !== '').join(' · ') };
}

const ENDINGS = new Map<unknown, Pick<Note, 'level' | 'text'>>([
  ['done', { level: 'good', text: 'finished' }],
  ['failed', { level: 'error', text: 'failed' }],
  ['cancelled', { level: 'warning', text: 'was stopped' }],
  ['limited', { level: 'warning', text: 'hit a limit' }],
]);

function callEnd({ outcome, reason }: UnknownRecord, { parent, run, lastError }: CallNode): Note {
  const { level, text } = ENDINGS.get(outcome) ?? { level: 'plain', text: 'ended' };
  const why = reasonOf(textOr(reason));
  // The row of the error stands above and says it, so it is not said again.
  const rest = why === '' || why === lastError ? '' : `: ${firstCodePoints(textOr(reason), MAX_FIELD)}`;
  const isRun = parent === undefined;
  return {
    note: isRun ? 'runEnd' : 'callEnd',
    level,
    text: `${isRun ? `Run ${run}` : 'This call'} ${text}${rest}`,
  };
}

function errorText({ where, error }: UnknownRecord): string {
  const place = clipName(where);
  const what = place === '' ? 'Error' : `${place.slice(0, 1).toUpperCase()}${place.slice(1)} error`;
  return `${what}: ${failureText(error)}`;
}

function failureText(error: unknown): string {
  const { message, code, status } = isObject(error) ? error : {};
  const facts = [clipName(code), numberOr(status)].filter((fact) => fact !== '' && fact !== undefined);
  const text = firstCodePoints(textOr(message), MAX_FIELD) || 'no words were given';
  return facts.length > 0 ? `${text} (${facts.join(', ')})` : text;
}
