import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { exportTraces } from '../../src/capture/otlp/messageTypes.js';
import { readMessage } from '../../src/capture/otlp/protobufJson.js';
import { LoopbackServer } from './loopbackServer.js';
import { receivedSpans, type ReceivedSpan } from './otlpRules.js';

/** How the collector answers a request in place of taking it, or after it did. */
export type Answering = (response: ServerResponse, spans: readonly ReceivedSpan[]) => void;

/**
 * A collector that takes traces only as the strictest of the backends that our documents name does: protobuf, packed, of bounded
 * size, every field known. What it takes is kept by the ids of spans, as a backend does.
 */
export class StrictCollector extends LoopbackServer {
  /** What was taken, the newest of each id. */
  readonly spans = new Map<string, ReceivedSpan>();
  /** The headers of every request. */
  readonly headers: IncomingMessage['headers'][] = [];
  /** How many spans each request had that was taken. */
  readonly batches: number[] = [];
  /** When each request came, in milliseconds. */
  readonly times: number[] = [];
  /** What the next requests are answered with. */
  readonly next: Answering[] = [];
  /** The largest request that is taken, in bytes. */
  maxBytes = 4 * 1024 * 1024;

  get url(): string {
    return `http://${this.host}`;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    this.times.push(performance.now());
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      response.writeHead(refusal).end();
      return;
    }
    const bytes = gunzipSync(Buffer.concat(chunks));
    if (bytes.length > this.maxBytes) {
      response.writeHead(413).end();
      return;
    }
    const { value, unknownFields } = readMessage(exportTraces, bytes);
    const spans = receivedSpans(value);
    if (unknownFields > 0 || spans.length === 0 || spans.length > 512) {
      response.writeHead(400).end(`${unknownFields} unknown fields, ${spans.length} spans`);
      return;
    }
    const answering = this.next.shift();
    if (answering) answering(response, spans);
    else this.take(response, spans);
  }

  /** Takes spans, and says so. */
  take(response: ServerResponse, spans: readonly ReceivedSpan[]): void {
    for (const span of spans) this.spans.set(span.spanId, span);
    this.batches.push(spans.length);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  }

  #refusal({ method, url, headers }: IncomingMessage): number | undefined {
    if (url !== '/v1/traces') return 404;
    if (method !== 'POST') return 405;
    if (headers['content-type'] !== 'application/x-protobuf') return 415;
    return headers['content-encoding'] === 'gzip' ? undefined : 400;
  }
}

/** Answers with a status, headers and a body, and takes nothing. */
export function answers(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Answering {
  return (response) => void response.writeHead(status, headers).end(body);
}

/** Takes nothing of so many spans, and says why, as OTLP's partial success does. */
export function rejects(spans: number, why: string): Answering {
  const body = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  body.tag(1, WireType.Varint).int64(spans).tag(2, WireType.LengthDelimited).string(why).join();
  return answers(200, { 'content-type': 'application/x-protobuf' }, body.finish());
}
