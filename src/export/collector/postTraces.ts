import { request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { request as requestHttps } from 'node:https';

/** How long a collector may take to answer, in milliseconds. */
export const ANSWER_MS = 30_000;

/** How much of an answer is read, in bytes. */
const MAX_ANSWER = 1024 * 1024;

/** What a collector answered. */
export interface CollectorAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Where traces go, and with which headers besides those of every request. */
export interface Collector {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** The answer took too long. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError';
}

/**
 * Posts a packed request of OTLP's traces, following no redirect. Rejects with the error of the network, with a TooSlowError, or with
 * the signal's reason.
 */
export function postTraces(
  { url, headers }: Collector,
  body: Uint8Array,
  { signal, answerMs = ANSWER_MS }: { readonly signal: AbortSignal; readonly answerMs?: number },
): Promise<CollectorAnswer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const slow = new AbortController();
    const request = send(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/x-protobuf',
        'content-encoding': 'gzip',
        'content-length': body.byteLength,
      },
      signal: AbortSignal.any([signal, slow.signal]),
    });
    const timer = setTimeout(() => slow.abort(), answerMs);
    const fail = (error: unknown) => {
      clearTimeout(timer);
      if (signal.aborted) reject(signal.reason as Error);
      else reject(slow.signal.aborted ? new TooSlowError() : (error as Error));
    };
    request.on('error', fail);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_ANSWER) response.destroy(new Error('its answer is too long'));
        else chunks.push(chunk);
      });
      response.on('error', fail);
      response.on('end', () => {
        clearTimeout(timer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}
