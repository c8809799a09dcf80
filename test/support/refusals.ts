import type { ModelFailure } from '../../src/core/ports/model.js';
import { hearing } from './modelAt.js';

type Headers = Readonly<Record<string, string>>;

/** What a refusal with this status and body comes to; a text goes out as it is. */
export async function refused(
  status: number,
  body: unknown,
  headers: Headers = {},
): Promise<Partial<ModelFailure>> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = text.startsWith('<') ? 'text/html' : 'application/json';
  const { error } = await hearing({ status, headers: { 'content-type': type, ...headers }, pieces: [text] });
  return error ?? {};
}

/** The error of OpenAI and most others. */
export const openAi = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
/** The error of Google, in a list. */
export const google = (code: number, message: string, status: string, ...details: object[]) => [
  { error: { code, message, status, details } },
];
