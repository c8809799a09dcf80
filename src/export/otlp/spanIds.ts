import { createHash } from 'node:crypto';

/** The id of the trace of a run: the same each time that it is made. */
export function traceIdOf(conversation: string, run: string): string {
  return idOf([conversation, 'run', run], 32);
}

/** The id of a span, made of what it is about; some backends take a span's id for one of all traces, so the conversation is in it. */
export function spanIdOf(conversation: string, ...about: readonly (string | number)[]): string {
  return idOf([conversation, ...about], 16);
}

/** Hexadecimal digits that are not all zero, which OTLP forbids. */
function idOf(about: readonly (string | number)[], digits: number): string {
  const hash = createHash('sha256').update(JSON.stringify(about)).digest('hex').slice(0, digits);
  return /[^0]/.test(hash) ? hash : `${hash.slice(1)}1`;
}
