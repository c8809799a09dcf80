import { expect, test } from 'vitest';
import { resolveModelName } from '../../../src/models/resolveModelName.js';

const model = (id: string, label: string, endpoint: string) => ({ id, label, endpoint });
const inherited = model('script/demo', 'demo (script)', 'script');
const available = [
  model('copilot/gpt-4.1', 'GPT-4.1', 'copilot'),
  model('copilot/claude-sonnet-4', 'Claude Sonnet 4', 'copilot'),
  model('copilot/claude-sonnet-4.5', 'Claude Sonnet 4.5', 'copilot'),
  model('anthropic/claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-20241022 (anthropic)', 'anthropic'),
  model('anthropic/claude-opus-4-1', 'claude-opus-4-1 (anthropic)', 'anthropic'),
  model('openai/gpt-4.1', 'gpt-4.1 (openai)', 'openai'),
  model('ollama/qwen3:8b', 'qwen3:8b (Ollama)', 'Ollama'),
];

test.each([
  [['GPT-4.1 (copilot)'], 'copilot/gpt-4.1'],
  [['gpt-4.1 (openai)'], 'openai/gpt-4.1'],
  [['gpt-4.1'], 'copilot/gpt-4.1'],
  [['openai/gpt-4.1'], 'openai/gpt-4.1'],
  [['claude sonnet 4'], 'copilot/claude-sonnet-4'],
  [['Claude Sonnet 4 (Copilot)'], 'copilot/claude-sonnet-4'],
  [['qwen3:8b'], 'ollama/qwen3:8b'],
  [['qwen3 8b (ollama)'], 'ollama/qwen3:8b'],
  [['sonnet'], 'copilot/claude-sonnet-4.5'],
  [['OPUS'], 'anthropic/claude-opus-4-1'],
  [['inherit'], 'script/demo'],
  [[], 'script/demo'],
  [['haiku', 'no such', 'sonnet'], 'copilot/claude-sonnet-4.5'],
  [['gpt-4.1 (nobody)', 'inherit'], 'script/demo'],
])('%j is %s', (names, id) => {
  expect(resolveModelName(names, available, inherited)).toMatchObject({ id });
});

test('a missing model is a failure that says which there are', () => {
  expect(resolveModelName(['haiku', 'gpt-9'], available.slice(0, 2), inherited)).toEqual({
    code: 'noModel',
    message: 'None of these models is available: haiku, gpt-9. Available: GPT-4.1, Claude Sonnet 4.',
  });
  const failure = resolveModelName(['x'], [], inherited);
  expect(failure).toMatchObject({
    message: 'None of these models is available: x. No models are available.',
  });
});
