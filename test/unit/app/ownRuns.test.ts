import { expect, onTestFinished, test, vi } from 'vitest';
import { ScriptedModel } from '../../../src/agents/models/scriptedModel.js';
import type { Script, ScriptStep } from '../../../src/agents/models/script.js';
import { ownRuns, type RunsAtHand } from '../../../src/app/discovery/ownRuns.js';
import type { WatchView } from '../../../src/app/discovery/watch.js';
import { agentDefinition } from '../../../src/app/team/teamAgent.js';
import { anApplication } from '../../support/appHost.js';
import { soon } from '../../support/soon.js';

/** A model of a name that tables of models know. */
class Named extends ScriptedModel {
  override readonly id: string;

  constructor(id: string, script: Script) {
    super(script);
    this.id = id;
  }
}

/** An application whose team runs from a script, watched by rules that tell and hold; whoever is asked whether it goes on says yes. */
async function watched(
  rules: readonly string[],
  agents: Readonly<Record<string, readonly ScriptStep[]>>,
  id = 'script/kitchen',
) {
  const definitions = Object.keys(agents).map((each) =>
    agentDefinition({ name: each, instructions: 'You bake.' }),
  );
  const application = await anApplication({
    agents: definitions,
    model: new Named(id, {
      name: 'kitchen',
      agents: new Map(Object.entries(agents).map(([each, steps]) => [each, [...steps]])),
    }),
    settings: { watch: { rules: rules.map((when) => ({ when, then: ['notify', 'pause'] })) } },
  });
  const notices: string[] = [];
  const view: WatchView = {
    show: () => undefined,
    notify: (words) => {
      notices.push(words);
      return Promise.resolve(undefined);
    },
    isAway: () => true,
    isLookedAt: () => false,
    open: () => undefined,
    terminalOf: () => Promise.resolve(undefined),
  };
  const watching = application.watch(() => Promise.resolve({ ...view, dispose: () => undefined }));
  onTestFinished(async () => {
    watching.dispose();
    application.runs.stopAll();
    await application.close();
    application.dispose();
  });
  const [entry] = definitions;
  if (!entry) throw new Error('Nobody is there.');
  const { conversation } = await application.runs.start({ agent: entry, prompt: 'Bake.' });
  const { runs, approvals } = application;
  const held = () =>
    runs.held.get(conversation) ??
    approvals.pending(conversation).find(({ request }) => request.isOfRun === true)?.request.askReason ??
    '';
  return { notices, held };
}

const dispatch = { name: 'subagent_dispatch', arguments: { agent_id: 'Miller', task: 'Push it.' } };
const push = { name: 'run_command', arguments: { command: 'cd bakery && git push' } };
const write = { name: 'write_file', arguments: { path: 'db/1.sql', content: 'x' } };
const look = { name: 'read_file', arguments: { path: 'oven.md' } };
/** An answer that takes as long as it is looked at. */
const SLOW: ScriptStep = { text: 'It bakes. '.repeat(200), delayMs: 250 };

test('what runs here is told, and held, by the rules of sessions: at which call any of its agents is', async () => {
  const { notices, held } = await watched(['command:"git push"', 'tool:write_file'], {
    Baker: [{ toolCalls: [dispatch] }, { text: 'Pushed.' }],
    Miller: [{ toolCalls: [push] }, { toolCalls: [write] }, SLOW],
  });
  await soon(() => expect(held()).toContain('command:"git push": cd bakery && git push'));
  await soon(() => expect(notices).toEqual(['Bake. (run here): command:"git push": cd bakery && git push']));
});

test.each<[string, readonly ScriptStep[], string?]>([
  ['looping', [{ toolCalls: [look] }, { toolCalls: [look] }, { toolCalls: [look] }, SLOW]],
  ['tool:read_file', [{ toolCalls: [look] }, SLOW]],
  ['tokens of context > 10000', [{ toolCalls: [look], usage: { input: 20_000, output: 9 } }, SLOW]],
  [
    'tokens of context > 80 %',
    [{ toolCalls: [look], usage: { input: 170_000, output: 9 } }, SLOW],
    'anthropic/claude-sonnet-4-5',
  ],
  [
    'stalled',
    [
      ...Array.from({ length: 3 }, () => ({ error: { message: 'Busy.', retryable: true, retryAfterMs: 1 } })),
      SLOW,
    ],
  ],
])('a rule for %s holds what runs here', async (when, steps, model) => {
  const { held } = await watched([when], { Baker: steps }, model);
  await soon(() => expect(held()).toContain(`Your rule “${when}” holds the run.`));
});

test('a record of which something cannot be told is taken once, and those behind it are, too', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shared = { call: 'c', depth: 0, time: 1 };
  const bake = (id: string, path: string) => ({
    ...shared,
    type: 'message',
    usage: { inputTokens: 1, outputTokens: 1 },
    message: {
      role: 'assistant',
      tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: JSON.stringify({ path }) } }],
    },
  });
  const records: object[] = [{ ...shared, type: 'callStart' }];
  const transcript = {
    get length() {
      return records.length;
    },
    read: (from: number, to: number) => Promise.resolve(records.slice(from, to)),
    close: () => Promise.resolve(),
  };
  const lines: string[] = [];
  const own = ownRuns({
    stores: {
      knownEntries: [],
      find: () =>
        Promise.resolve({ root: '/x', store: { openTranscript: () => Promise.resolve(transcript) } }),
    },
    runs: { running: ['run'], held: new Map() },
    approvals: { pending: () => [] },
    settings: { get: () => undefined },
    log: { debug: (line: string) => lines.push(line) },
    pricing: () => Promise.reject(new Error('No prices.')),
  } as unknown as RunsAtHand);
  const following = own.follow(() => undefined);
  onTestFinished(() => following.dispose());
  await vi.advanceTimersByTimeAsync(1_500);
  records.push(bake('1', 'a'), bake('2', 'b'));
  await vi.advanceTimersByTimeAsync(6_000);
  const entry = { conversation: 'run', title: '', state: 'running', agents: [], messages: 1, endedAt: 1 };
  const { about } = own.session(entry as never);
  expect(about.life?.calls.map(({ text }) => text)).toEqual(['a', 'b']);
  expect(about.life?.loop).toBeUndefined();
  expect(about.context).toEqual({ used: 2 });
  expect(lines).toHaveLength(2);
});
