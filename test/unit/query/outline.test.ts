import { expect, test } from 'vitest';
import type { LogRecord, RecordBody } from '../../../src/core/record.js';
import { Outline, type OutlineCall, type OutlineTurn } from '../../../src/query/numbers/outline.js';

const usage = { inputTokens: 3, outputTokens: 4, estimated: false };
const start = (task: string): RecordBody => ({ type: 'callStart', task, model: 'm', tools: [] });
const end = (outcome: 'done' | 'failed'): RecordBody => ({
  type: 'callEnd',
  outcome,
  durationMs: 1,
  ownUsage: usage,
  totalUsage: usage,
});
const says = (content: string): RecordBody => ({ type: 'message', message: { role: 'assistant', content } });
const at = (call: string, body: RecordBody, parentCall?: string): LogRecord => ({
  seq: 1,
  id: 'm',
  time: 5,
  conversation: 'c',
  run: 'r',
  call,
  ...(parentCall && { parentCall }),
  agent: call,
  depth: parentCall ? 1 : 0,
  ...body,
});

function draw(steps: readonly (OutlineTurn | OutlineCall)[], indent = ''): string[] {
  return steps.flatMap((step) =>
    step.kind === 'turn'
      ? [`${indent}${step.text}`]
      : [
          `${indent}${step.agent}: ${step.task} (${step.end?.outcome ?? 'open'})`,
          ...draw(step.steps, `${indent}  `),
        ],
  );
}

function outline(...records: LogRecord[]): string[] {
  const made = new Outline();
  records.forEach((record) => made.add(record));
  return draw(made.steps);
}

test('calls stand where they were dispatched, between the turns of their parent', () => {
  expect(
    outline(
      at('pickle', start('plan')),
      at('pickle', says('asking')),
      at('cookie', start('read'), 'pickle'),
      at('cookie', says('read it'), 'pickle'),
      at('cookie', end('done'), 'pickle'),
      at('pickle', says('done')),
      at('pickle', end('done')),
    ),
  ).toEqual(['pickle: plan (done)', '  asking', '  cookie: read (done)', '    read it', '  done']);
});

test('a call whose end was never recorded stays open, one without a known parent is a run', () => {
  expect(outline(at('lost', start('orphan'), 'nobody'))).toEqual(['lost: orphan (open)']);
});

test('what is said in no call that is recorded is a turn of its own, as other tools keep it; unknown types are counted for positions', () => {
  const made = new Outline();
  made.add(at('x', says('no call')));
  made.add({ ...at('x', says('')), type: 'fromTheFuture' });
  made.add(at('pickle', start('plan')));
  expect(draw(made.steps)).toEqual(['no call', 'pickle: plan (open)']);
  expect(made.steps.map(({ position }) => position)).toEqual([0, 2]);
  expect(made.length).toBe(3);
});

test('the same call beginning twice is one call', () => {
  expect(outline(at('pickle', start('plan')), at('pickle', start('again')))).toEqual(['pickle: plan (open)']);
});

test('titles can be given without marks, which are taken off before anything is cut', () => {
  const made = new Outline((text) => text.replaceAll('*', ''));
  made.add(at('a', start('**Look** into it')));
  made.add(at('a', says(`${'*'.repeat(200)}It is the third line.`)));
  expect(draw(made.steps)).toEqual(['a: Look into it (open)', '  It is the third line.']);
});
