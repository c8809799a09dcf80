import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hintOf } from '../../../src/capture/discovery/sessionAbout.js';
import { stateOf, type StateName } from '../../../src/capture/discovery/sessionState.js';
import { bridgeChunks } from '../../../src/export/bridges/bridgeChunks.js';
import { LifeReader, signOfEnd } from '../../../src/import/tools/life.js';
import type { ToolId } from '../../../src/import/toolHomes.js';
import { Draw } from '../../support/draw.js';
import { isDeep, seed } from '../../support/fixedInputs.js';
import {
  calls,
  CLAUDE,
  homeOf,
  MINUTE,
  REGISTRY,
  registered,
  result,
  SECOND,
  T0,
  user,
  words,
} from '../../support/livingSession.js';
import { hasRealTranscripts, realTranscriptPaths, realTranscripts } from '../../support/realTranscripts.js';
import { OPEN_CODE_SCHEMA, OpenCodeWriter, writtenDatabase } from '../../support/sessionDatabases.js';
import { watching } from '../../support/watchedWindow.js';

type Home = Awaited<ReturnType<typeof homeOf>>;

/** What a tool writes when something happens in a session of it. */
interface Teller {
  prompt(): Promise<void>;
  call(id: string): Promise<void>;
  result(id: string): Promise<void>;
  finish(): Promise<void>;
  /** A person is asked; left out where the tool does not write that. */
  ask?(id: string): Promise<void>;
  told?(id: string): Promise<void>;
  /** The person breaks it off. */
  stop?(): Promise<void>;
  /** An agent that it started in the background writes. */
  child?(): Promise<void>;
}

/** A tool with where its session lies, how its life is written, and whether it tells that a turn has ended. */
interface Family {
  readonly name: string;
  readonly tool: ToolId;
  readonly path: string;
  readonly tellsEnd: boolean;
  readonly teller: (home: Home) => Teller | Promise<Teller>;
}

const claude = ({ say, put }: Home): Teller => ({
  prompt: () => say(user('Bake a cake')),
  call: (id) => say(calls(id, 'Bash', { command: `bake ${id}` })),
  result: (id) => say(result(id)),
  finish: () => say(words('Baked. Shall I wait for you?')),
  ask: (id) => say(calls(id, 'AskUserQuestion', { questions: [{ question: 'Which?' }] })),
  told: (id) => say(result(id)),
  stop: () => say(user('[Request interrupted by user]')),
  child: () => put('.claude/projects/-w/s1/subagents/agent-1.jsonl', '{}\n'),
});

/** With the list of open sessions, where the line of what waits for an approval is not written. */
const listed = (home: Home): Teller => {
  const { put, now } = home;
  const told = claude(home);
  const list = (status: string) => put(REGISTRY, registered(status, now()));
  const then = async (write: Promise<void>, status: string) => {
    await write;
    await list(status);
  };
  return {
    ...told,
    prompt: () => then(told.prompt(), 'busy'),
    finish: () => then(told.finish(), 'idle'),
    ask: () => list('waiting'),
    told: async () => list('busy'),
    // Escape, before anything is written.
    stop: () => list('idle'),
  };
};

const CODEX = '22222222-2222-2222-2222-222222222222';
const codex = ({ say }: Home): Teller => {
  const event = (type: string, rest: object = {}) => say({ type: 'event_msg', payload: { type, ...rest } });
  const item = (payload: object) => say({ type: 'response_item', payload });
  return {
    prompt: async () => {
      await say({ type: 'session_meta', payload: { id: CODEX, cwd: '/w' } });
      await event('task_started');
    },
    call: (id) => item({ type: 'function_call', call_id: id, name: 'exec', arguments: `{"cmd":"${id}"}` }),
    result: (id) => item({ type: 'function_call_output', call_id: id, output: '' }),
    finish: async () => {
      await item({ type: 'message', role: 'assistant', content: [] });
      await event('task_complete');
    },
    ask: (id) => item({ type: 'function_call', call_id: id, name: 'request_user_input', arguments: '{}' }),
    told: (id) => item({ type: 'function_call_output', call_id: id, output: 'yes' }),
    stop: () => event('turn_aborted', { reason: 'interrupted' }),
  };
};

const copilot = ({ say }: Home): Teller => {
  const event = (type: string, data: object = {}) => say({ type, data });
  return {
    prompt: () => event('user.message', { content: 'Bake' }),
    call: async (id) => {
      const request = { toolCallId: id, name: 'bash', arguments: { command: `bake ${id}` } };
      await event('assistant.message', { content: '', toolRequests: [request] });
      await event('tool.execution_start', { toolCallId: id });
    },
    result: (id) => event('tool.execution_complete', { toolCallId: id }),
    finish: async () => {
      await event('assistant.message', { content: 'Baked.', toolRequests: [] });
      await event('assistant.turn_end');
    },
    ask: (id) => event('permission.requested', { requestId: id, permissionRequest: { kind: 'shell' } }),
    told: (id) => event('permission.completed', { requestId: id }),
    stop: () => event('abort'),
  };
};

const gemini = ({ put }: Home): Teller => {
  const messages: object[] = [];
  const more = (message: object) => {
    messages.push({ id: String(messages.length), ...message });
    return put(GEMINI, { sessionId: '5', messages });
  };
  return {
    prompt: () => more({ type: 'user', content: 'Bake' }),
    // Only calls that have ended are written.
    call: () => Promise.resolve(),
    result: (id) =>
      more({
        type: 'gemini',
        content: '',
        toolCalls: [{ id, name: 'run_shell_command', status: 'success' }],
      }),
    finish: () => more({ type: 'gemini', content: 'Baked.' }),
  };
};

const openCode = async ({ home, now }: Home): Promise<Teller> => {
  const path = join(home, OPEN_CODE);
  await mkdir(dirname(path), { recursive: true });
  const writer = new OpenCodeWriter(writtenDatabase(path, OPEN_CODE_SCHEMA), now);
  const about = { role: 'assistant', mode: 'build', modelID: 'big', providerID: 'p' };
  writer.session('ses_1', 'Bake');
  const does = (work: () => void) => () => Promise.resolve(work());
  return {
    prompt: does(() => writer.message('ses_1', { role: 'user', agent: 'build' })),
    call: does(() => writer.message('ses_1', about)),
    result: does(() =>
      writer.part({ type: 'tool', tool: 'bash', state: { status: 'completed', input: {} } }),
    ),
    finish: does(() => {
      const time = { created: now(), completed: now() };
      writer.message('ses_1', { ...about, time, finish: 'stop' }).part({ type: 'text', text: 'Baked.' });
    }),
  };
};

const cursor = ({ say }: Home): Teller => {
  const line = (role: string, ...content: object[]) => say({ role, message: { content } });
  return {
    prompt: () => line('user', { type: 'text', text: 'Bake' }),
    call: (id) => line('assistant', { type: 'tool_use', name: 'Shell', input: { command: id } }),
    result: () => Promise.resolve(),
    finish: () => line('assistant', { type: 'text', text: 'Baked.' }),
  };
};

const cline = ({ put, now }: Home): Teller => {
  const said: object[] = [];
  const more = (type: 'say' | 'ask', kind: string) => {
    said.push({ ts: now(), type, [type]: kind, text: 'Bake' });
    return put(CLINE, said);
  };
  return {
    prompt: () => more('say', said.length === 0 ? 'task' : 'user_feedback'),
    call: () => more('say', 'api_req_started'),
    result: () => more('say', 'command_output'),
    finish: () => more('ask', 'completion_result'),
    ask: () => more('ask', 'command'),
    told: () => more('say', 'user_feedback'),
  };
};

const pi = ({ say }: Home): Teller => {
  const message = (value: object) => say({ type: 'message', message: value });
  const answer = (stopReason: string, ...content: object[]) =>
    message({ role: 'assistant', stopReason, content });
  return {
    prompt: () => message({ role: 'user', content: 'Bake' }),
    call: (id) => answer('toolUse', { type: 'toolCall', id, name: 'bash' }),
    result: (id) => message({ role: 'toolResult', toolCallId: id, content: [] }),
    finish: () => answer('stop', { type: 'text', text: 'Baked.' }),
    stop: () => answer('aborted'),
  };
};

const GEMINI = '.gemini/tmp/field/chats/session-5.json';
const OPEN_CODE = '.local/share/opencode/opencode.db';
const CLINE = '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json';
const FAMILIES: readonly Family[] = [
  { name: 'Claude Code', tool: 'claude-code', path: CLAUDE, tellsEnd: true, teller: claude },
  { name: 'Claude Code, with its list', tool: 'claude-code', path: CLAUDE, tellsEnd: true, teller: listed },
  {
    name: 'Codex',
    tool: 'codex',
    path: `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${CODEX}.jsonl`,
    tellsEnd: true,
    teller: codex,
  },
  {
    name: 'Copilot CLI',
    tool: 'copilot-cli',
    path: '.copilot/session-state/333/events.jsonl',
    tellsEnd: true,
    teller: copilot,
  },
  { name: 'Gemini CLI', tool: 'gemini-cli', path: GEMINI, tellsEnd: false, teller: gemini },
  { name: 'OpenCode', tool: 'opencode', path: `${OPEN_CODE}/ses_1`, tellsEnd: true, teller: openCode },
  {
    name: 'Cursor',
    tool: 'cursor',
    path: '.cursor/projects/w/agent-transcripts/1/1.jsonl',
    tellsEnd: false,
    teller: cursor,
  },
  { name: 'Cline', tool: 'cline', path: CLINE, tellsEnd: true, teller: cline },
  { name: 'Pi', tool: 'pi', path: '.pi/agent/sessions/--w--/1.jsonl', tellsEnd: true, teller: pi },
];

/** Something that happens in a life: how long after what was before, what is written, and what the session does then. */
interface Step {
  readonly after: number;
  readonly write: () => Promise<void>;
  readonly becomes: StateName;
}

/** A life drawn by chance: turns with calls that take no time or long, questions, interruptions and agents in the background. */
function drawnLife(draw: Draw, teller: Teller, tellsEnd: boolean): readonly Step[] {
  const steps: Step[] = [];
  const then = (after: number, write: () => Promise<void>, becomes: StateName) =>
    steps.push({ after, write, becomes });
  const pause = (from: number, to: number) => from * SECOND + draw.below((to - from) * SECOND);
  for (let turn = 0, id = 0; turn < 3; turn++) {
    then(turn === 0 ? pause(1, 3) : pause(20, 40), () => teller.prompt(), 'working');
    const deeds = draw.below(5);
    for (let at = 0; at < deeds; at++) {
      const of = String(++id);
      const { ask, told } = teller;
      if (ask && told && draw.below(2) === 0) {
        then(pause(11, 20), () => ask(of), 'waiting');
        // It answers itself before anybody could, or a person does much later.
        then(draw.below(3) === 0 ? draw.below(1_200) : pause(14, 900), () => told(of), 'working');
      } else {
        then(pause(0, 30), () => teller.call(of), 'working');
        then(draw.below(2) === 0 ? draw.below(900) : pause(1, 500), () => teller.result(of), 'working');
      }
    }
    const { stop, child } = teller;
    const how = draw.below(4);
    if (how === 0 && stop) then(pause(3, 30), () => stop(), 'broken');
    else if (how === 1 && child) {
      then(pause(11, 30), () => teller.finish(), 'working');
      then(500, () => child(), 'working');
      for (let more = draw.below(4); more > 0; more--) then(pause(20, 100), () => child(), 'working');
    } else then(pause(11, 30), () => teller.finish(), tellsEnd ? 'finished' : 'working');
  }
  return steps;
}

/** Lives it through by a clock of the test's own; what is seen at each look, and what is told, is held against what happened. */
async function live({ name, tool, path, tellsEnd, teller }: Family, drawn: number): Promise<void> {
  const home = await homeOf(tool, path);
  const taken = new Set<string>();
  const { time, watch, window, notices } = await watching(
    [
      { when: 'waits', then: 'notify' },
      { when: 'finished', then: 'notify' },
    ],
    {
      at: home.now(),
      claims: {
        take: (event) => Promise.resolve(!taken.has(event) && taken.add(event).size > 0),
        mute: () => Promise.resolve(),
        isMuted: () => Promise.resolve(false),
      },
    },
  );
  window.isAway = true;
  const steps = drawnLife(new Draw(drawn), await teller(home), tellsEnd);
  let toWait = 0;
  const goOn = async (ms: number) => {
    home.after(ms);
    await time.advance(ms);
  };
  const what = (more: unknown) => [name, drawn, home.now() - T0, more];
  for (const [at, { after, write, becomes }] of steps.entries()) {
    await goOn(at === 0 ? after : toWait);
    await write();
    const told = notices.length;
    const until = steps[at + 1]?.after ?? 12 * SECOND;
    let elapsed = 0;
    const due = DUE[becomes];
    for (let look = SECOND; elapsed + look <= until; look = elapsed < 12 * SECOND ? SECOND : 20 * SECOND) {
      await goOn(look);
      elapsed += look;
      const found = await home.states();
      watch.take(found);
      await new Promise((resolve) => setImmediate(resolve));
      const state = found.find((each) => each.path === join(home.home, path))?.state.state;
      // Whoever says nothing more may have finished: of that nobody is told.
      expect(what(!tellsEnd && state === 'finished' ? 'working' : state)).toEqual(what(becomes));
      const news = notices.slice(told);
      if (due === undefined) expect(what(news)).toEqual(what([]));
      else if (elapsed >= due.ms) expect(what(news)).toEqual(what([expect.stringMatching(due.words)]));
    }
    toWait = until - elapsed;
  }
}

/** Of what a notice comes, and how soon, in milliseconds. */
const DUE: Partial<Record<StateName, { readonly ms: number; readonly words: RegExp }>> = {
  waiting: { ms: 5 * SECOND, words: /waits for/ },
  finished: { ms: 8 * SECOND, words: /finished/ },
};

test.each(FAMILIES)(
  'lives of $name drawn by chance: what it does is known at the next look, and told once in time',
  async (family) => {
    for (let life = 0; life < (isDeep ? 40 : 1); life++) await live(family, seed + life);
  },
);

/** The values of a session in the order in which its tool wrote them, with the texts in which they stand. */
type Lines = readonly (readonly [value: unknown, text: string])[];

const linesIn = (text: string): Lines =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [[parsed(line), line] as const]));

/** The sessions beside the project that a tool keeps as they lie there. */
function recorded(): readonly (readonly [ToolId, Lines])[] {
  const places = {
    'claude-code': 'claude-code',
    codex: 'codex',
    copilot: 'copilot-cli',
    'gemini-cli': 'gemini-cli',
  };
  const of = (path: string) =>
    Object.entries(places).find(([folder]) => path.includes(`/${folder}/`))?.[1] as ToolId | undefined;
  return [...realTranscriptPaths('.jsonl'), ...realTranscriptPaths('.json')].flatMap((path) => {
    const tool = of(path);
    if (tool === undefined) return [];
    const text = readFileSync(path, 'utf8');
    if (path.endsWith('.jsonl')) return [[tool, linesIn(text)] as const];
    const messages = (parsed(text) as { messages?: readonly unknown[] }).messages ?? [];
    return [[tool, messages.map((each) => [each, JSON.stringify(each)] as const)] as const];
  });
}

describe.skipIf(!hasRealTranscripts)('in recorded sessions', () => {
  test('nobody waits who has asked nothing, at any line, however long nothing comes then', async () => {
    const all = [...recorded()];
    const own = all.length;
    // Those of tools that are not watched live on as sessions of two that are.
    for await (const records of realTranscripts())
      for (const [format, tool] of [
        ['claude-session', 'claude-code'],
        ['codex-session', 'codex'],
      ] as const) {
        let text = '';
        for await (const chunk of bridgeChunks(records, format, { redact: false })) text += chunk;
        all.push([tool, linesIn(text)]);
      }
    let lines = 0;
    for (const [tool, session] of all) {
      const life = new LifeReader();
      const open = new Set<string>();
      for (const [value, text] of session) {
        const { life: told, end } = hintOf(tool, value);
        for (const sign of told ?? (end ? [signOfEnd(end)] : [])) life.take(sign);
        note(open, text);
        lines++;
        for (const quiet of [0, 2 * MINUTE, 20 * MINUTE, 90 * MINUTE]) {
          const { state } = stateOf({ changed: T0, life: life.life }, T0 + quiet);
          if (state !== 'waiting') continue;
          expect([tool, text.slice(0, 2_000), [...open]]).not.toEqual([tool, text.slice(0, 2_000), []]);
        }
      }
    }
    expect([own > 25, all.length > 200, lines > 10_000]).toEqual([true, true, true]);
  });
});

/** Notes by plain texts of a line which questions were asked and answered. */
function note(open: Set<string>, line: string): void {
  for (const [, id = ''] of line.matchAll(/"(?:tool_use_id|toolCallId|call_id|requestId)":"([^"]+)"/g)) {
    const isAsked = /AskUserQuestion|ExitPlanMode|ask_user|request_user_input|\.requested"/.test(line);
    if (!isAsked) open.delete(id);
    else open.add(id);
  }
  for (const [, id = ''] of line.matchAll(
    /"type":"tool_use","id":"([^"]+)","name":"(?:AskUserQuestion|ExitPlanMode)"/g,
  ))
    open.add(id);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
