import { expect, test } from 'vitest';
import type { Model, ModelEvent } from '../../../../src/core/ports/model.js';
import type { PieceRecord } from '../../../../src/core/record.js';
import type { Timers } from '../../../../src/core/timers.js';
import { aTeam } from '../../../support/scriptedTeam.js';

/** Timers of which those of at most a second are due whenever somebody says so, and others never. */
function manualTimers() {
  const due = new Set<() => void>();
  const timers: Timers = {
    after: (ms, act) => {
      if (ms <= 1_000) due.add(act);
      return { dispose: () => void due.delete(act) };
    },
  };
  const pass = () => {
    for (const act of due) {
      due.delete(act);
      act();
    }
  };
  return { timers, pass };
}

const saying = (pieces: readonly PieceRecord[]) =>
  pieces.map(({ text, reasoning, toolCall }) => ({
    ...(text !== undefined && { text }),
    ...(reasoning !== undefined && { reasoning }),
    ...(toolCall && { toolCall }),
  }));

/** A model that says `events` and lets time pass where there is none. */
function aModel(events: readonly (ModelEvent | undefined)[], pass: () => void): Model {
  return {
    id: 'm',
    label: 'm',
    kind: 'http',
    endpoint: 'e',
    async *stream() {
      for (const event of events) {
        await Promise.resolve();
        if (event) yield event;
        else pass();
      }
    },
  };
}

test('what a model says is given on while it says it, each part once, and is no record', async () => {
  const { timers, pass } = manualTimers();
  const model = aModel(
    [
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'I ' },
      { type: 'text', text: 'think' },
      undefined,
      { type: 'toolCall', index: 0, id: 't1', name: 'look', arguments: '{"a"' },
      { type: 'toolCall', index: 1, id: 't2', name: 'look' },
      undefined,
      { type: 'toolCall', index: 0, arguments: ':1}' },
      undefined,
      { type: 'text', text: 'not given on: the answer ends' },
      { type: 'end', finishReason: 'length' },
    ],
    pass,
  );
  const team = aTeam(['Pickle'], { model, timers });
  const pieces: PieceRecord[] = [];
  team.recorder.onDidSay((piece) => pieces.push(piece));
  await team.session.run('Go.');
  pass();
  expect(saying(pieces.filter(({ request }) => request === pieces[0]?.request))).toEqual([
    { text: 'I think', reasoning: 'Hm' },
    { toolCall: { index: 0, id: 't1', name: 'look', arguments: '{"a"' } },
    { toolCall: { index: 1, id: 't2', name: 'look', arguments: '' } },
    { toolCall: { index: 0, arguments: ':1}' } },
  ]);
  expect(team.records.filter(({ type }) => type === 'piece')).toEqual([]);
  expect(team.records.map(({ seq }) => seq)).toEqual(team.records.map((_, at) => at + 1));
});
