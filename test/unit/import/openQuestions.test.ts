import { expect, test } from 'vitest';
import { stateOf } from '../../../src/capture/discovery/sessionState.js';
import { hintOf } from '../../../src/capture/discovery/sessionAbout.js';
import { LifeReader, signOfEnd } from '../../../src/import/tools/life.js';
import type { ToolId } from '../../../src/import/toolHomes.js';

const claude = (name: string) => ({
  type: 'assistant',
  message: { id: 'm', stop_reason: 'tool_use', content: [{ type: 'tool_use', id: 't', name, input: {} }] },
});
const gemini = (name: string, status: string) => ({
  id: 'g',
  type: 'gemini',
  content: '',
  toolCalls: [{ name, status }],
});
const codex = (payload: object) => ({ type: 'response_item', payload });
const copilot = (name: string) => ({ type: 'assistant.message', data: { toolRequests: [{ name }] } });
const goose = (name: string) => ({
  role: 'assistant',
  content: [{ type: 'toolRequest', toolCall: { status: 'success', value: { name } } }],
});
const pi = (name: string) => ({
  type: 'message',
  message: { role: 'assistant', content: [{ type: 'toolCall', name }] },
});

test.each<[ToolId, object, object]>([
  ['claude-code', claude('AskUserQuestion'), claude('Bash')],
  ['claude-code', claude('ExitPlanMode'), claude('EnterPlanMode')],
  ['claude-code', claude('mcp__desk__ask_user'), claude('mcp__desk__tell_user')],
  [
    'codex',
    codex({ type: 'function_call', name: 'request_user_input' }),
    codex({ type: 'function_call', name: 'shell' }),
  ],
  [
    'codex',
    codex({ type: 'custom_tool_call', name: 'exec', input: 'await tools.request_user_input({})' }),
    codex({ type: 'custom_tool_call', name: 'exec', input: 'ls' }),
  ],
  ['gemini-cli', gemini('ask_user', 'executing'), gemini('shell', 'executing')],
  ['gemini-cli', gemini('shell', 'awaiting_approval'), gemini('shell', 'scheduled')],
  ['copilot-cli', copilot('ask_user'), copilot('bash')],
  ['copilot-cli', { type: 'permission.requested', data: {} }, { type: 'permission.completed', data: {} }],
  ['cline', { type: 'ask', ask: 'followup', text: 'Which?' }, { type: 'ask', ask: 'resume_task' }],
  [
    'roo-code',
    { type: 'ask', ask: 'tool', text: '{}' },
    { type: 'ask', ask: 'tool', text: '{}', partial: true },
  ],
  ['goose', goose('ask_question'), goose('developer__shell')],
  ['pi', pi('ask_question'), pi('bash')],
])('%s: a question that is open is told apart from a call that broke off', (tool, asked, called) => {
  const state = (value: object) => {
    const { life, end } = hintOf(tool, value);
    const reader = new LifeReader();
    for (const sign of life ?? (end ? [signOfEnd(end)] : [])) reader.take(sign);
    return stateOf({ changed: 0, life: reader.life }, 2 * 3_600_000).state;
  };
  expect(state(asked)).toBe('waiting');
  expect(state(called)).not.toBe('waiting');
});
