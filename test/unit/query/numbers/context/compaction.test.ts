import { describe, expect, it } from 'vitest';
import { ContextUse } from '../../../../../src/query/numbers/context/contextUse.js';
import { factsOf } from '../../../../../src/query/numbers/facts.js';
import { TranscriptReader } from '../../../../../src/query/numbers/transcriptReader.js';
import { hasRealTranscripts, realTranscripts } from '../../../../support/realTranscripts.js';
import { importedWindows, partsOf } from './windows.js';

const claude = (uuid: string, more: object) => ({
  uuid,
  sessionId: 's',
  timestamp: '2026-11-01T10:00:00Z',
  cwd: '/p',
  version: '2.1.0',
  ...more,
});
const asked = (uuid: string, content: unknown, more = {}) =>
  claude(uuid, { type: 'user', message: { role: 'user', content }, ...more });
const answered = (uuid: string, content: unknown[], input: number) =>
  claude(uuid, {
    type: 'assistant',
    requestId: `r-${uuid}`,
    message: {
      role: 'assistant',
      id: `m-${uuid}`,
      model: 'claude-opus-5',
      content,
      usage: { input_tokens: input, output_tokens: 20 },
    },
  });
const boundary = (more: object) =>
  claude('b', { type: 'system', content: 'Conversation compacted', ...more });
const reads = { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/p/a.ts' } };
const result = { type: 'tool_result', tool_use_id: 't1', content: 'x'.repeat(4_000) };

const codex = (type: string, payload: object) => ({ timestamp: '2026-11-01T10:00:00Z', type, payload });
const codexSays = (role: string, text: string) =>
  codex('response_item', {
    type: 'message',
    role,
    content: [{ type: `${role === 'user' ? 'in' : 'out'}put_text`, text }],
  });
const codexCounts = (input: number, total: number) => {
  const usage = (input_tokens: number) => ({ input_tokens, cached_input_tokens: 0, output_tokens: 9 });
  const info = { last_token_usage: usage(input), total_token_usage: usage(total) };
  return codex('event_msg', { type: 'token_count', info });
};
const copilot = (id: string, type: string, data: object) => ({
  type,
  id,
  parentId: null,
  timestamp: '2026-11-01T10:00:00.000Z',
  data,
});
const pi = (id: string, more: object) => ({
  id,
  parentId: null,
  timestamp: '2026-11-01T10:00:00.000Z',
  ...more,
});
const piSays = (id: string, role: string, text: string, input?: number) =>
  pi(id, {
    type: 'message',
    message: {
      role,
      content: [{ type: 'text', text }],
      ...(input !== undefined && { model: 'm', usage: { input, output: 5, cacheRead: 0, cacheWrite: 0 } }),
    },
  });
const qwen = (uuid: string, type: string, more: object) => ({
  uuid,
  parentUuid: null,
  sessionId: 'q',
  timestamp: '2026-11-01T10:00:00Z',
  type,
  cwd: '/p',
  version: '0.5.0',
  ...more,
});

/** A session of each tool that remembers its history in another way, and what of it counts as dropped. */
const SESSIONS: Readonly<
  Record<string, { values: object[]; dropped: number[]; after: object; facts?: object }>
> = {
  'Claude Code, all of it, with the summary after the boundary': {
    values: [
      asked('u1', 'Read the file a.ts, please'),
      answered('a1', [reads], 9_000),
      asked('u2', [result]),
      answered('a2', [{ type: 'text', text: 'It is long.' }], 10_200),
      boundary({ subtype: 'compact_boundary', compactMetadata: { trigger: 'manual', preTokens: 10_220 } }),
      asked('u3', 'x'.repeat(400), { isCompactSummary: true, isVisibleInTranscriptOnly: true }),
      asked('u4', 'Go on'),
      answered('a3', [{ type: 'text', text: 'Yes.' }], 8_000),
    ],
    dropped: [0, 1, 2, 3],
    after: { summary: 100, prompts: 2, unrecorded: 7_898 },
    facts: { trigger: 'manual', before: 10_220 },
  },
  'Claude Code, but for a segment that stays': {
    values: [
      asked('u1', 'Read the file a.ts, please'),
      answered('a1', [{ type: 'text', text: 'Which?' }], 9_000),
      asked('u2', 'The one beside it'),
      answered('a2', [{ type: 'text', text: 'It is long.' }], 10_200),
      boundary({
        subtype: 'compact_boundary',
        compactMetadata: {
          trigger: 'auto',
          preservedSegment: { headUuid: 'u2', anchorUuid: 'b', tailUuid: 'a2' },
        },
      }),
      answered('a3', [{ type: 'text', text: 'Yes.' }], 8_000),
    ],
    dropped: [0, 1],
    after: { prompts: 7, answers: 3, unrecorded: 7_990 },
    facts: { trigger: 'auto' },
  },
  'Claude Code, of results alone': {
    values: [
      asked('u1', 'Read the file a.ts, please'),
      answered('a1', [reads], 9_000),
      asked('u2', [result]),
      answered('a2', [{ type: 'text', text: 'It is long.' }], 10_200),
      boundary({
        subtype: 'microcompact_boundary',
        microcompactMetadata: {
          trigger: 'auto',
          preTokens: 20_000,
          tokensSaved: 5_000,
          compactedToolIds: ['t1'],
        },
      }),
      asked('u3', 'Go on'),
      answered('a3', [{ type: 'text', text: 'Yes.' }], 9_300),
    ],
    dropped: [2],
    after: { prompts: 9, answers: 3, calls: 8, unrecorded: 9_280 },
    facts: { trigger: 'auto', before: 20_000, after: 15_000 },
  },
  'Claude Code, where the summary alone tells of it': {
    values: [
      asked('u1', 'Read the file a.ts, please'),
      answered('a1', [{ type: 'text', text: 'It is long.' }], 9_000),
      asked('u3', 'x'.repeat(400), { isCompactSummary: true }),
      answered('a3', [{ type: 'text', text: 'Yes.' }], 8_000),
    ],
    dropped: [0, 1],
    after: { summary: 100, unrecorded: 7_900 },
  },
  'Codex, with the history that replaces it': {
    values: [
      codex('session_meta', { id: 'c', cwd: '/p', base_instructions: { text: 'x'.repeat(800) } }),
      codexSays('user', 'Fix the bug'),
      codexSays('assistant', 'Done.'),
      codexCounts(9_000, 9_000),
      codex('compacted', {
        message: 'It was fixed.',
        replacement_history: [
          { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Fix the bug' }] },
          {
            type: 'message',
            role: 'user',
            content: [{ type: 'input_text', text: 'Summary: It was fixed.' }],
          },
        ],
      }),
      codex('event_msg', { type: 'context_compacted' }),
      codexSays('user', 'Go on'),
      codexSays('assistant', 'Yes.'),
      codexCounts(8_000, 17_000),
    ],
    dropped: [1, 2],
    after: { system: 200, summary: 6, prompts: 5, unrecorded: 7_789 },
  },
  'Copilot, with its summary': {
    values: [
      copilot('1', 'session.start', { sessionId: 'c', producer: 'copilot-agent', copilotVersion: '1' }),
      copilot('2', 'user.message', { content: 'Read a.ts' }),
      copilot('3', 'assistant.message', { content: 'It is long.', outputTokens: 5 }),
      copilot('4', 'session.compaction_complete', {
        success: true,
        preCompactionTokens: 66_000,
        summaryContent: 'x'.repeat(40),
      }),
      copilot('5', 'user.message', { content: 'Go on' }),
      copilot('6', 'assistant.message', { content: 'Yes.', outputTokens: 5 }),
    ],
    dropped: [1, 2],
    after: { summary: 10, prompts: 2 },
    facts: { before: 66_000 },
  },
  'Copilot, the oldest messages': {
    values: [
      copilot('1', 'session.start', { sessionId: 'c', producer: 'copilot-agent', copilotVersion: '1' }),
      copilot('2', 'user.message', { content: 'Read a.ts' }),
      copilot('3', 'assistant.message', { content: 'It is long.', outputTokens: 5 }),
      copilot('4', 'user.message', { content: 'Go on' }),
      copilot('5', 'session.truncation', {
        tokenLimit: 128_000,
        preTruncationTokensInMessages: 30_000,
        postTruncationTokensInMessages: 20_000,
        messagesRemovedDuringTruncation: 2,
      }),
      copilot('6', 'assistant.message', { content: 'Yes.', outputTokens: 5 }),
    ],
    dropped: [1, 2],
    after: { prompts: 2 },
    facts: { trigger: 'auto', before: 30_000, after: 20_000 },
  },
  'Pi, up to the entry that stays': {
    values: [
      { type: 'session', version: 3, id: 'p', timestamp: '2026-11-01T10:00:00.000Z', cwd: '/p' },
      piSays('e1', 'user', 'Read a.ts'),
      piSays('e2', 'assistant', 'It is long.', 3_000),
      piSays('e3', 'user', 'And b.ts?'),
      pi('e4', { type: 'compaction', summary: 'x'.repeat(40), firstKeptEntryId: 'e3', tokensBefore: 3_230 }),
      piSays('e5', 'assistant', 'Shorter.', 2_800),
    ],
    dropped: [1, 2],
    after: { summary: 10, prompts: 3, unrecorded: 2_787 },
    facts: { before: 3_230 },
  },
  'Qwen Code, with the history that replaces it': {
    values: [
      qwen('q1', 'user', { message: { role: 'user', parts: [{ text: 'Read a.ts' }] } }),
      qwen('q2', 'assistant', {
        model: 'qwen3',
        message: { role: 'model', parts: [{ text: 'It is long.' }] },
        usageMetadata: { promptTokenCount: 9_000, candidatesTokenCount: 5, totalTokenCount: 9_005 },
      }),
      qwen('q3', 'system', {
        subtype: 'chat_compression',
        systemPayload: {
          info: { originalTokenCount: 9_000, newTokenCount: 500, compressionStatus: 1 },
          compressedHistory: [{ role: 'user', parts: [{ text: 'x'.repeat(40) }] }],
        },
      }),
      qwen('q4', 'user', { message: { role: 'user', parts: [{ text: 'Go on' }] } }),
      qwen('q5', 'assistant', {
        model: 'qwen3',
        message: { role: 'model', parts: [{ text: 'Yes.' }] },
        usageMetadata: { promptTokenCount: 5_000, candidatesTokenCount: 5, totalTokenCount: 5_005 },
      }),
    ],
    dropped: [0, 1],
    after: { summary: 10, prompts: 2, unrecorded: 4_988 },
    facts: { before: 9_000, after: 500 },
  },
};

describe('a compaction is a fact of', () => {
  it.each(Object.keys(SESSIONS))('%s', async (name) => {
    const { values, dropped, after, facts = {} } = SESSIONS[name]!;
    const [{ window } = { window: undefined }] = await importedWindows(values);
    expect(window?.compactions).toHaveLength(1);
    expect(window?.compactions[0]).toMatchObject(facts);
    expect(window?.droppedBy(0).map(({ position }) => position)).toEqual(dropped);
    expect(partsOf(window!.requests.at(-1)!)).toEqual(after);
    expect(window?.requests.map(({ compactions }) => compactions).at(-1)).toBe(1);
  });
});

it.skipIf(!hasRealTranscripts)(
  'the windows of real sessions and the facts of their records tell of the same compactions',
  async () => {
    let found = 0;
    for await (const records of realTranscripts()) {
      const use = new ContextUse();
      const reader = new TranscriptReader();
      const told: number[] = [];
      for (const [position, record] of records.entries()) {
        use.add(record);
        if (reader.next(factsOf(record)).isCompaction) told.push(position);
      }
      const windows = use.windows().flatMap(({ window }) => window.compactions);
      expect(windows.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(told);
      found += told.length;
    }
    expect(found).toBeGreaterThan(0);
  },
  120_000,
);
