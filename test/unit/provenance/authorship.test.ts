import { expect, test } from 'vitest';
import {
  agentTrace,
  gitAiKey,
  gitAiNote,
  isKeyOf,
  readAgentTraces,
  readGitAiNote,
  type SessionAuthor,
} from '../../../src/provenance/authorship.js';

const REVISION = 'ab'.repeat(20);
const NOTE = `src/a.ts
  s_0123456789abcd::t_00112233445566 1-4,9-10,12
  h_89abcdef012345 20-22
"src/my file.ts"
  0123456789abcdef 7
---
${JSON.stringify({
  schema_version: 'authorship/3.0.0',
  git_ai_version: '1.4.5',
  base_commit_sha: REVISION,
  prompts: { '0123456789abcdef': { agent_id: { tool: 'cursor', id: 'c1', model: 'm1' }, messages: [] } },
  humans: { h_89abcdef012345: { author: 'A <a@example.com>' } },
  sessions: { s_0123456789abcd: { agent_id: { tool: 'claude', id: 's1', model: 'm2' } } },
})}
`;

test('a note of git-ai tells lines by all its keys but those of people', () => {
  const found = readGitAiNote(NOTE);
  expect([...found.keys()]).toEqual(['src/a.ts', 'src/my file.ts']);
  expect([...(found.get('src/a.ts')?.keys() ?? [])]).toEqual([1, 2, 3, 4, 9, 10, 12]);
  expect(found.get('src/a.ts')?.get(9)).toEqual({
    toldBy: 'git-ai',
    tool: 'claude',
    toolSession: 's1',
    model: 'm2',
    key: 's_0123456789abcd',
  });
  expect(found.get('src/my file.ts')?.get(7)).toMatchObject({ tool: 'cursor', key: '0123456789abcdef' });
});

const AUTHOR: SessionAuthor = {
  source: 'claude-code',
  toolSession: 's1',
  session: 'c_1',
  callId: 't1',
  model: 'vendor/model',
};
const FILE = {
  path: 'src/my file.ts',
  revision: REVISION,
  lines: [AUTHOR, undefined, AUTHOR, AUTHOR],
  version: '1.0.0',
};

test('what is written for git-ai and for Agent Trace is read again', () => {
  const lines = readGitAiNote(gitAiNote(FILE)).get(FILE.path);
  expect([...(lines?.keys() ?? [])]).toEqual([1, 3, 4]);
  expect(lines?.get(1)).toMatchObject({ tool: 'claude', toolSession: 's1', key: gitAiKey(AUTHOR) });
  const json = JSON.stringify(agentTrace(FILE, 0));
  for (const text of [json, `${json}\n${json}\n`, `[${json}]`]) {
    const [told] = readAgentTraces(text);
    expect(told).toMatchObject({ revision: REVISION, path: FILE.path });
    expect([...(told?.lines.keys() ?? [])]).toEqual([1, 3, 4]);
    expect(told?.lines.get(3)).toMatchObject({ model: 'vendor/model', key: gitAiKey(AUTHOR) });
  }
});

test('a session is known again by its key of now and by those of before', () => {
  const key = gitAiKey(AUTHOR);
  expect(isKeyOf(key, AUTHOR)).toBe(true);
  expect(isKeyOf(key.slice(2, 9), AUTHOR)).toBe(true);
  expect(isKeyOf(key.slice(2, 6), AUTHOR)).toBe(false);
  expect(isKeyOf(key, { ...AUTHOR, toolSession: 's2' })).toBe(false);
});

test.each([
  '',
  '---',
  'a.ts\n  s_1 1-9\n',
  'a.ts\n  s_1 1-9\n---\nnull',
  'a.ts\n  s_1 1-9\n---\n{"sessions":{"s_1":null}}',
  'a.ts\n  s_1 9-1,0-,x\n---\n{"sessions":{"s_1":{"agent_id":{"tool":"claude"}}}}',
])('a note that is none tells nothing: %j', (note) => {
  expect([...readGitAiNote(note).values()].every((lines) => lines.size === 0)).toBe(true);
});

test('no note and no record can make more lines than files have', () => {
  const note = `a.ts\n  s_1 ${'1-999999999,'.repeat(50)}1\n---\n{"sessions":{"s_1":{"agent_id":{"tool":"claude"}}}}`;
  expect(readGitAiNote(note).get('a.ts')?.size).toBeLessThanOrEqual(200_000);
  const ranges = [{ start_line: 1, end_line: 1e15 }];
  const record = {
    vcs: { type: 'git', revision: REVISION },
    files: [{ path: 'a', conversations: [{ contributor: { type: 'ai' }, ranges }] }],
  };
  expect(readAgentTraces(JSON.stringify(record))[0]?.lines.size).toBeLessThanOrEqual(200_000);
});

test.each([
  'not json',
  'null',
  '{}',
  '{"vcs":{"type":"git","revision":"--output=x"},"files":[]}',
  `{"vcs":{"type":"hg","revision":"${REVISION}"},"files":[{"path":"a","conversations":[]}]}`,
])('a record that is none, or of no commit of git, tells nothing: %j', (text) => {
  expect(readAgentTraces(text)).toEqual([]);
});
