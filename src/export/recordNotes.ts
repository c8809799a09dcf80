import { isObject } from '../core/message.js';
import type { LooseMessage } from '../analysis/transcriptItem.js';

/** What a record that carries no message tells a reader of a full export. */
export interface RecordNote {
  /** One line, plain text. */
  readonly line: string;
  /** A longer text that belongs to it, as it was written; what it is called is `label`. */
  readonly text?: string | undefined;
  readonly label?: string | undefined;
  readonly isError: boolean;
}

const words = (value: unknown): string => (typeof value === 'string' ? value : '');
const joined = (parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part): part is string => typeof part === 'string' && part !== '').join(' · ');

/** Milliseconds as people say them: `310 ms`, `2.3 s`, `4 min 5 s`; '' where that is no duration. */
export function durationWords(ms: unknown): string {
  if (typeof ms !== 'number' || !Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

/** The tokens of a usage: `1,200 tokens in, 300 out`; '' where there is none. */
export function usageWords(usage: unknown): string {
  if (!isObject(usage)) return '';
  const { inputTokens, outputTokens, estimated } = usage;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return '';
  const about = estimated === true ? '≈ ' : '';
  return `${about}${inputTokens.toLocaleString('en')} tokens in, ${outputTokens.toLocaleString('en')} out`;
}

function failureWords(error: unknown): string {
  return isObject(error) ? joined([words(error.code), words(error.message)]) : '';
}

function approvalNote(record: LooseMessage): RecordNote {
  return {
    line: joined([
      `${words(record.toolName)} was ${words(record.decision)} (${words(record.decidedBy)})`,
      words(record.rule),
      words(record.reason),
      record.waitedMs !== 0 && durationWords(record.waitedMs) && `waited ${durationWords(record.waitedMs)}`,
    ]),
    text: words(record.subject),
    label: 'What was asked',
    isError: record.decision === 'denied',
  };
}

/** The note of a record; undefined where it says nothing that the messages do not say, such as a request that went well. */
export function noteOf(record: LooseMessage): RecordNote | undefined {
  const agent = words(record.agent) || 'An agent';
  switch (record.type) {
    case 'callStart':
      return {
        line: joined([`${agent} begins`, words(record.model), record.scripted === true && 'scripted']),
        text: words(record.task),
        label: 'Task',
        isError: false,
      };
    case 'callEnd':
      return {
        line: joined([
          `${agent} ends: ${words(record.outcome) || 'unknown'}`,
          words(record.reason),
          durationWords(record.durationMs),
          usageWords(record.totalUsage),
        ]),
        isError: record.outcome !== 'done',
      };
    case 'dispatch':
      return {
        line: joined([
          `${agent} asks ${words(record.target)}`,
          words(record.refused) && `refused: ${words(record.refused)}`,
        ]),
        text: words(record.task),
        label: 'Task',
        isError: words(record.refused) !== '',
      };
    case 'approval':
      return approvalNote(record);
    case 'error':
      return { line: joined([`Error (${words(record.where)})`, failureWords(record.error)]), isError: true };
    case 'request': {
      if (!isObject(record.error) && words(record.superseded) === '') return undefined;
      const attempt = typeof record.attempt === 'number' ? `attempt ${record.attempt}` : '';
      return {
        line: joined(['A request failed', words(record.model), attempt, failureWords(record.error)]),
        text: words(record.superseded),
        label: 'What had come',
        isError: true,
      };
    }
    case 'title':
      return { line: `Renamed to ${words(record.title)}`, isError: false };
    default:
      return undefined;
  }
}
