import { randomNumbers } from './randomNumbers.js';

type Line = Readonly<Record<string, unknown>>;

/** The files of a made-up family of Claude Code's sessions, and what all of them used, each request once. */
export interface ClaudeFamily {
  readonly files: readonly { readonly path: string; readonly lines: readonly Line[] }[];
  readonly used: {
    readonly requests: number;
    readonly input: number;
    readonly output: number;
    readonly cacheRead: number;
    readonly cacheWrite: number;
  };
}

interface MadeSession {
  readonly id: string;
  readonly path: string;
  readonly lines: Line[];
}

const MODELS = ['claude-sonnet-4-5-20250929', 'claude-opus-4-6', 'claude-haiku-4-5-20251001'] as const;

/**
 * Sessions that go on in files of other ids which repeat what they go on from, whole or its beginning, and that start
 * subagents with files of their own; answers are written as one line for each part. The same for the same seed.
 */
export function claudeFamily(seed: number): ClaudeFamily {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const used = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const sessions: MadeSession[] = [];
  const agents: MadeSession[] = [];
  let [clock, numbers] = [0, 0];
  const id = () => `${String(++numbers).padStart(8, '0')}-2222-4333-8444-${String(seed).padStart(12, '0')}`;

  const say = (session: MadeSession, type: string, message: object, more: object = {}) => {
    clock += 5_000;
    session.lines.push({
      type,
      uuid: id(),
      sessionId: session.id,
      cwd: '/srv/bakery',
      version: '2.1.0',
      timestamp: new Date(Date.UTC(2026, 8, 1) + clock).toISOString(),
      message,
      ...more,
    });
  };

  const answer = (session: MadeSession, more: object) => {
    const number = ++used.requests;
    const usage = {
      input_tokens: 10 + below(1_000),
      output_tokens: 1 + below(500),
      cache_read_input_tokens: below(3) * 10_000,
      cache_creation_input_tokens: below(2) * 700,
    };
    used.input += usage.input_tokens;
    used.output += usage.output_tokens;
    used.cacheRead += usage.cache_read_input_tokens;
    used.cacheWrite += usage.cache_creation_input_tokens;
    const about = { id: `msg_${seed}_${number}`, role: 'assistant', model: MODELS[below(3)], usage };
    const parts = [
      { type: 'text', text: `Answer ${number}` },
      { type: 'thinking', thinking: 'Dough.' },
    ];
    for (const part of parts.slice(0, 1 + below(2)))
      say(
        session,
        'assistant',
        { ...about, content: [part] },
        { ...more, requestId: `req_${seed}_${number}` },
      );
  };

  const turn = (session: MadeSession, more: object = {}) => {
    say(session, 'user', { role: 'user', content: `Question ${numbers}` }, more);
    for (let count = below(3); count >= 0; count--) answer(session, more);
  };

  const start = (copied: readonly Line[]) => {
    const name = id();
    const lines = copied.map((line) => ({ ...line, sessionId: name }));
    const session = { id: name, path: `projects/-srv-bakery/${name}.jsonl`, lines };
    sessions.push(session);
    turn(session);
    return session;
  };

  start([]);
  for (let steps = 2 + below(5); steps > 0; steps--) {
    const of = sessions[below(sessions.length)] ?? start([]);
    const what = below(4);
    if (what === 0) start(of.lines);
    else if (what === 1) start(of.lines.slice(0, 1 + below(of.lines.length)));
    else if (what === 2) turn(of);
    else {
      const agent = `a${agents.length + 1}`;
      const path = `projects/-srv-bakery/${of.id}/subagents/agent-${agent}.jsonl`;
      const file = { id: of.id, path, lines: [] };
      agents.push(file);
      turn(file, { isSidechain: true, agentId: agent });
    }
  }
  return { files: [...sessions, ...agents].map(({ path, lines }) => ({ path, lines })), used };
}
