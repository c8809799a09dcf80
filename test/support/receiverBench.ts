import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request as send, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { OtlpReceiver, type OtlpReceiverOptions } from '../../src/capture/otlp/otlpReceiver.js';

/** A receiver that ends with the test, and what it recorded. */
export async function receive(options: Partial<OtlpReceiverOptions> = {}) {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'otlp-')));
  const whole: OtlpReceiverOptions = {
    port: 0,
    folder,
    onGrown: () => undefined,
    onProblem: () => undefined,
    ...options,
  };
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const receiver = await OtlpReceiver.listen(whole);
  onTestFinished(() => receiver.close());
  const recordings = async () => {
    const names = await readdir(folder);
    return names.filter((name) => name.endsWith('.otlp.jsonl')).map((name) => join(folder, name));
  };
  const sendTo = (path: string, headers: Readonly<Record<string, string>>, body: string | Buffer) =>
    answerTo(`${receiver.address}${path}`, headers, body);
  return {
    receiver,
    folder,
    address: receiver.address,
    recordings,
    sendTo,
    post: (path: string, body: unknown) =>
      sendTo(path, { 'content-type': 'application/json' }, JSON.stringify(body)),
    async lines(): Promise<readonly string[]> {
      const texts = await Promise.all((await recordings()).map((path) => readFile(path, 'utf8')));
      return texts.flatMap((text) => text.split('\n').filter((line) => line !== ''));
    },
  };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request as it is; one whose answer comes before it is sent whole is not sent further. */
function answerTo(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = send(url, { method: 'POST', headers }, (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      const end = () => {
        request.destroy();
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode, headers: response.headers, text });
      };
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', end)
        .on('error', end);
    });
    request.on('error', (error) => {
      if (!isAnswered) reject(error);
    });
    request.end(body);
  });
}

export function exported(exporter: SpanExporter, spans: readonly ReadableSpan[]): Promise<void> {
  return new Promise((resolve, reject) => {
    exporter.export([...spans], ({ code, error }) =>
      code === ExportResultCode.SUCCESS
        ? resolve()
        : reject(error ?? new Error('The exporter says no more.')),
    );
  });
}

/** An agent that asks a model once, by the conventions of OpenTelemetry. */
export function talk(traceId = 'a'.repeat(32), session?: string): readonly ReadableSpan[] {
  const told = session === undefined ? {} : { 'gen_ai.conversation.id': session };
  const message = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  return [
    spanOf(traceId, '1'.repeat(16), undefined, 'invoke_agent weather', {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'weather',
      ...told,
    }),
    spanOf(traceId, '2'.repeat(16), '1'.repeat(16), 'chat gpt-5', {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-5',
      'gen_ai.input.messages': message('user', 'How is the weather?'),
      'gen_ai.output.messages': message('assistant', 'Sunny.'),
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.usage.output_tokens': 3,
      ...told,
    }),
  ];
}

function spanOf(
  traceId: string,
  spanId: string,
  parent: string | undefined,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
): ReadableSpan {
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: 1 });
  const span = {
    name,
    kind: 0,
    spanContext: () => context(spanId),
    ...(parent !== undefined && { parentSpanContext: context(parent) }),
    startTime: [1_790_000_000, 1],
    endTime: [1_790_000_001, 2],
    status: { code: 0 },
    attributes,
    links: [],
    events: [
      { name: 'first token', time: [1_790_000_000, 5], attributes: { 'a.list': ['x', 'y'], half: 0.5 } },
    ],
    duration: [1, 1],
    ended: true,
    resource: resourceOf('weather'),
    instrumentationScope: { name: 'test', version: '1' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  return span as unknown as ReadableSpan;
}

export function resourceOf(
  service: string,
  more: Readonly<Record<string, string>> = {},
): ReadableSpan['resource'] {
  const attributes = { 'service.name': service, ...more };
  return { attributes, getRawAttributes: () => Object.entries(attributes) } as never;
}
