import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { query, records, said } from './reading.js';

async function read(value: unknown) {
  const result = await importTranscript(JSON.stringify(value), 'run.json');
  expect(result.problems).toEqual([]);
  expect(result.format).toBe('agent-steps');
  return result;
}

test('the memory of smolagents: task, steps with their calls, observations, failures, usage, the answer', async () => {
  const call = {
    id: 'c1',
    type: 'function',
    function: { name: 'python_interpreter', arguments: 'count(files)' },
  };
  const result = await read([
    { task: 'count the files' },
    {
      step_number: 1,
      timing: { start_time: 1_750_000_000.5, end_time: 1_750_000_002 },
      model_output: 'I count them.',
      tool_calls: [call],
      observations: 'There are 42 files.',
      token_usage: { input_tokens: 2000, output_tokens: 50 },
    },
    {
      step_number: 2,
      model_output: 'Again.',
      tool_calls: [{ ...call, id: 'c2' }],
      observations: 'no such thing',
      error: { type: 'AgentExecutionError' },
    },
    { output: '42 files' },
  ]);
  expect(said(result)).toEqual([
    'user: count the files',
    'assistant: I count them. python_interpreter(count(files))',
    'tool c1: There are 42 files.',
    'assistant: Again. python_interpreter(count(files))',
    'tool c2: no such thing',
    'assistant: 42 files',
  ]);
  expect(
    query(result)
      .filter({ role: 'tool' })
      .map((each) => 'isError' in each && each.isError),
  ).toEqual([false, true]);
  expect(records(result)[1]).toMatchObject({
    time: 1_750_000_000_500,
    usage: { inputTokens: 2000, outputTokens: 50 },
  });
});

test('a ReAct loop: what was thought, done and observed', async () => {
  const result = await read({
    question: 'where are the cats?',
    score: 0.123456789,
    trajectory: [
      {
        thought: 'They may be above.',
        action: 'look',
        action_input: { where: 'roof' },
        observation: 'two of them',
      },
      { thought: 'Found.', action: { name: 'finish', args: { answer: 'roof' } }, observation: '' },
    ],
  });
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: null look({"where":"roof"})',
    'tool call 1: two of them',
    'assistant: null finish({"answer":"roof"})',
  ]);
  expect(records(result)[0]).toMatchObject({ kind: 'run', value: { score: 0.123456789 } });
  expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
    message: { reasoning_content: 'They may be above.' },
  });
});

test('the history of browser-use: several actions in one step, each by its only key', async () => {
  const result = await read({
    history: [
      {
        model_output: {
          current_state: { next_goal: 'Open the page.' },
          action: [{ go_to_url: { url: 'a.example' } }, { click: { index: 3 } }],
        },
        result: [{ extracted_content: 'Opened it.' }, { extracted_content: 'Clicked it.' }],
        state: { url: 'a.example' },
      },
    ],
  });
  expect(said(result)).toEqual([
    'assistant: null go_to_url({"url":"a.example"}) click({"index":3})',
    'tool call 1: Opened it.\nClicked it.',
  ]);
});
