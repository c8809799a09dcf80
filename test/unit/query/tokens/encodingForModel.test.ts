import { getEncodingNameForModel, type TiktokenModel } from 'js-tiktoken/lite';
import { expect, test } from 'vitest';
import { encodingForModel } from '../../../../src/query/tokens/encodingForModel.js';

test.each<TiktokenModel>([
  'gpt-4o',
  'gpt-4o-mini-2024-07-18',
  'gpt-4o-realtime-preview-2024-12-17',
  'chatgpt-4o-latest',
  'gpt-4.1-nano-2025-04-14',
  'gpt-4.5-preview',
  'gpt-5-mini',
  'gpt-5-chat-latest',
  'o1',
  'o1-preview-2024-09-12',
  'o3-mini',
  'o4-mini-2025-04-16',
  'gpt-4',
  'gpt-4-32k-0613',
  'gpt-4-turbo-2024-04-09',
  'gpt-4-vision-preview',
  'gpt-3.5-turbo',
  'gpt-3.5-turbo-instruct-0914',
  'gpt-35-turbo',
  'text-embedding-ada-002',
  'text-embedding-3-large',
])('%s is encoded as js-tiktoken says', (model) => {
  expect(encodingForModel(model)).toEqual({ encoding: getEncodingNameForModel(model), exact: true });
});

test.each([
  'gpt-5.2-codex',
  'o3-deep-research',
  'openai/gpt-5',
  'ft:gpt-4o:team::id',
  'GPT-4o',
  'gpt-oss-120b',
])('%s is encoded with o200k_base', (model) =>
  expect(encodingForModel(model)).toEqual({ encoding: 'o200k_base', exact: true }),
);

test.each(['ft:gpt-4:team::id', 'azure/gpt-35-turbo-16k'])('%s is encoded with cl100k_base', (model) => {
  expect(encodingForModel(model)).toEqual({ encoding: 'cl100k_base', exact: true });
});

test.each(['claude-sonnet-4-5', 'gemini-2.5-pro', 'llama3', 'gpt-4om', 'o1x', 'constructor', ''])(
  '%j is estimated with o200k_base',
  (model) => expect(encodingForModel(model)).toEqual({ encoding: 'o200k_base', exact: false }),
);

test.each<TiktokenModel>(['gpt2', 'text-davinci-003', 'davinci', 'code-cushman-002', 'babbage-002', 'ada'])(
  '%s has an encoding of its own, which cl100k_base is nearest to',
  (model) => {
    expect(['gpt2', 'p50k_base', 'r50k_base']).toContain(getEncodingNameForModel(model));
    expect(encodingForModel(model)).toEqual({ encoding: 'cl100k_base', exact: false });
  },
);
