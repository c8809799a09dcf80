import { expect, test } from 'vitest';
import { injectedOf, ownTextOf } from '../../../src/core/injected.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { speakerIn } from '../../../src/query/numbers/transcriptItem.js';

type Loose = Readonly<Record<string, unknown>>;

async function spoken(file: string, value: unknown) {
  const { conversations } = await importTranscript(Buffer.from(JSON.stringify(value)), file);
  const records = conversations.flatMap((conversation) => conversation.records) as unknown as Loose[];
  return records.flatMap((record) => {
    const speaker = speakerIn(record);
    return speaker === undefined
      ? []
      : [
          {
            speaker,
            agent: record.agent,
            depth: record.depth,
            own: ownTextOf(record),
            put: injectedOf(record).length,
          },
        ];
  });
}

test('roles are read in any letter case, in lists of any shape', async () => {
  const roles = ['System', 'User', 'ASSISTANT', 'Human', 'ai'];
  const messages = roles.map((role, at) => ({ role, content: `words ${at}` }));
  expect((await spoken('m.json', { messages })).map(({ speaker }) => speaker)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});

test('what OpenCode marks as synthetic it put there, apart from the person’s words', async () => {
  const said = await spoken('o.json', {
    info: { id: 'ses_1', title: 'Loaf', version: '1.0', time: { created: 1, updated: 2 } },
    messages: [
      {
        info: { id: 'msg_1', sessionID: 'ses_1', role: 'user', time: { created: 1 } },
        parts: [
          { id: 'p1', type: 'text', text: 'Bake' },
          { id: 'p2', type: 'text', text: 'Called the Read tool', synthetic: true },
        ],
      },
    ],
  });
  expect(said).toMatchObject([{ speaker: 'user', own: 'Bake', put: 1 }]);
});

test('the custom agent of a chat of VS Code answers under its name; its own modes are none', async () => {
  const request = (modeInfo: object) => ({
    requestId: 'r1',
    timestamp: 1788256800000,
    modeInfo,
    message: { text: 'Review', parts: [] },
    response: [{ value: 'Fine.' }],
  });
  const requests = [
    request({ kind: 'agent', isBuiltin: false, modeName: 'BreadReviewer' }),
    request({ kind: 'agent', isBuiltin: true, modeName: 'Agent' }),
  ];
  const said = await spoken('v.json', {
    version: 3,
    sessionId: 's',
    responderUsername: 'GitHub Copilot',
    requests,
  });
  expect(said.map(({ agent }) => agent)).toEqual([
    'BreadReviewer',
    'BreadReviewer',
    'GitHub Copilot',
    'GitHub Copilot',
  ]);
});

test.each(['steps', 'spans'])(
  'what a scorer of Inspect asks its grader is its own talk (%s)',
  async (style) => {
    const at = '2026-01-01T10:00:01+00:00';
    const output = (content: string) => ({
      model: 'm',
      choices: [{ message: { content, role: 'assistant' }, stop_reason: 'stop' }],
    });
    const model = (content: string, answer: string, more: object = {}) => ({
      timestamp: at,
      event: 'model',
      model: 'm',
      input: [{ content, role: 'user' }],
      output: output(answer),
      ...more,
    });
    const scorer = { type: 'scorer', name: 'graded', timestamp: at };
    const events =
      style === 'steps'
        ? [
            model('Two and two?', 'Four.'),
            { ...scorer, event: 'step', action: 'begin' },
            model('Compare it.', 'GRADE: C'),
            { ...scorer, event: 'step', action: 'end' },
          ]
        : [
            model('Two and two?', 'Four.'),
            { ...scorer, event: 'span_begin', id: 's1', span_id: 's1', parent_id: null },
            model('Compare it.', 'GRADE: C', { span_id: 's1' }),
            { event: 'span_end', id: 's1', span_id: 's1', timestamp: at },
          ];
    const said = await spoken('i.json', {
      version: 2,
      status: 'success',
      eval: { run_id: 'r', created: at, task: 'sums', model: 'm', dataset: {}, config: {} },
      samples: [
        {
          id: 1,
          epoch: 1,
          input: 'Two and two?',
          target: '4',
          messages: [
            { content: 'Two and two?', role: 'user' },
            { content: 'Four.', role: 'assistant' },
          ],
          output: output('Four.'),
          events,
        },
      ],
    });
    expect(said.filter(({ agent }) => agent === 'sums').map(({ own }) => own)).toEqual([
      'Two and two?',
      'Four.',
    ]);
    expect(said.filter(({ agent }) => agent === 'graded').map(({ own }) => own)).toContain('GRADE: C');
  },
);
