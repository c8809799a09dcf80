import { expect, test } from 'vitest';
import { resolveModelName } from '../../../../src/agents/models/resolveModelName.js';

const model = (id: string, label: string, endpoint: string) => ({ id, label, endpoint });
const inherited = model('script/demo', 'demo (script)', 'script');
const available = [
  model('copilot/gpt-4.1', 'GPT-4.1', 'copilot'),
  model('copilot/claude-sonnet-4', 'Claude Sonnet 4', 'copilot'),
  model('copilot/claude-sonnet-4.5', 'Claude Sonnet 4.5', 'copilot'),
  model('anthropic/claude-3-5-sonnet-20241022', 'claude-3-5-sonnet-20241022 (anthropic)', 'anthropic'),
  model('anthropic/claude-opus-4-1', 'claude-opus-4-1 (anthropic)', 'anthropic'),
  model('openai/gpt-4.1', 'gpt-4.1 (openai)', 'openai'),
  model('Ollama/qwen3:8b', 'qwen3:8b (Ollama)', 'Ollama'),
  model('copilot/gpt-5-mini-preview', 'GPT-5 mini (Preview)', 'copilot'),
  model('copilot/gpt-5-mini', 'GPT-5 mini', 'copilot'),
  model('openrouter/google/gemini-3-pro', 'google/gemini-3-pro (openrouter)', 'openrouter'),
  model('lab 9/claude-haiku-3', 'claude-haiku-3 (lab 9)', 'lab 9'),
  model('openrouter/anthropic/claude-haiku-4.5', 'anthropic/claude-haiku-4.5 (openrouter)', 'openrouter'),
];

test.each([
  [['GPT-4.1 (copilot)'], 'copilot/gpt-4.1'],
  [['gpt-4.1 (openai)'], 'openai/gpt-4.1'],
  [['gpt-4.1'], 'copilot/gpt-4.1'],
  [['openai/gpt-4.1'], 'openai/gpt-4.1'],
  [['claude sonnet 4'], 'copilot/claude-sonnet-4'],
  [['Claude Sonnet 4 (Copilot)'], 'copilot/claude-sonnet-4'],
  [['qwen3:8b'], 'Ollama/qwen3:8b'],
  [['qwen3 8b (ollama)'], 'Ollama/qwen3:8b'],
  [['sonnet'], 'copilot/claude-sonnet-4.5'],
  [['OPUS'], 'anthropic/claude-opus-4-1'],
  [['inherit'], 'script/demo'],
  [[], 'script/demo'],
  [['no such', 'no other', 'sonnet'], 'copilot/claude-sonnet-4.5'],
  [['no such', 'GPT-4.1 (openai)', 'GPT-4.1 (copilot)'], 'openai/gpt-4.1'],
  [['GPT-5 mini (Preview)'], 'copilot/gpt-5-mini-preview'],
  [['GPT-5 mini (Preview) (copilot)'], 'copilot/gpt-5-mini-preview'],
  [['GPT-5 mini (copilot)'], 'copilot/gpt-5-mini'],
  [['  gpt_5 MINI  '], 'copilot/gpt-5-mini'],
  [['Inherit'], 'script/demo'],
  [['haiku'], 'openrouter/anthropic/claude-haiku-4.5'],
  [['claude-sonnet-4-5-20250929'], 'copilot/claude-sonnet-4.5'],
  [['claude-3-5-sonnet'], 'anthropic/claude-3-5-sonnet-20241022'],
  [['gemini-3-pro'], 'openrouter/google/gemini-3-pro'],
  [['google/gemini-3-pro (openrouter)'], 'openrouter/google/gemini-3-pro'],
  [['Gemini 3 Pro (openrouter)'], 'openrouter/google/gemini-3-pro'],
  [['anthropic/claude-opus-4.1'], 'anthropic/claude-opus-4-1'],
  [['gpt-4.1 (nobody)', 'inherit'], 'script/demo'],
])('%j is %s', (names, id) => {
  expect(resolveModelName(names, available, inherited)).toMatchObject({ id });
});

test.each([
  [['GPT-4.1 (nobody)']],
  [['gemini-3-pro (copilot)']],
  [['gpt-5']],
  [['GPT-5 mini (Thinking)']],
  [['']],
  [['(copilot)']],
  [['/']],
])('%j is none of them: another vendor, version or kind is another model', (names) => {
  expect(resolveModelName(names, available, inherited)).toMatchObject({ code: 'noModel' });
});

test('a missing model is a failure that says which there are', () => {
  expect(resolveModelName(['opus', 'gpt-9'], available.slice(0, 2), inherited)).toEqual({
    code: 'noModel',
    message: 'None of these models is available: opus, gpt-9. Available: GPT-4.1, Claude Sonnet 4.',
  });
  const failure = resolveModelName(['x'], [], inherited);
  expect(failure).toMatchObject({
    message: 'None of these models is available: x. No models are available.',
  });
});
