import { randomNumbers } from './randomNumbers.js';

type Line = Readonly<Record<string, unknown>>;

/** A rollout of a made-up family of threads: its path below the folder of Codex's sessions, and its lines. */
export interface MadeRollout {
  readonly path: string;
  readonly lines: readonly Line[];
}

interface MadeFile {
  readonly rollout: string;
  readonly path: string;
  readonly lines: Line[];
  /** The number of the next record. */
  next: number;
}

interface MadeThread {
  readonly id: string;
  readonly files: MadeFile[];
  /** Where a turn ended, with what was used until then. */
  readonly ends: { readonly rollout: string; readonly ordinal: number; readonly used: number }[];
  used: number;
}

/**
 * Rollouts of threads that were forked at any turn, went on in further files, went back, and started subagents; in the form of
 * Codex from 0.146 on. Every turn says one text of its own. The same for the same seed.
 */
export function codexFamily(seed: number): readonly MadeRollout[] {
  const random = randomNumbers(seed);
  const below = (count: number) => Math.floor(random() * count);
  const files: MadeFile[] = [];
  const threads: MadeThread[] = [];
  let [clock, ids, turns] = [0, 0, 0];
  const id = () => `019e0000-0000-7000-8000-${String(++ids).padStart(12, '0')}`;
  const now = () => new Date(Date.UTC(2026, 8, 1) + (clock += 7_000)).toISOString();

  const say = (file: MadeFile, type: string, payload: object) => {
    file.lines.push({ timestamp: now(), ordinal: file.next++, type, payload });
  };

  const begin = (thread: MadeThread, about: object, first: number): MadeFile => {
    const rollout = thread.files.length === 0 ? thread.id : id();
    const timestamp = now();
    const day = timestamp.slice(0, 10).replaceAll('-', '/');
    const further = rollout === thread.id ? '' : `_${rollout}`;
    const name = `rollout-${timestamp.slice(0, 19).replaceAll(':', '-')}-${thread.id}${further}.jsonl`;
    const file = { rollout, path: `${day}/${name}`, lines: [] as Line[], next: first };
    thread.files.push(file);
    files.push(file);
    const meta = {
      id: thread.id,
      cwd: '/srv/bakery',
      history_mode: 'paginated',
      history_base: null,
      ...about,
    };
    say(file, 'session_meta', meta);
    return file;
  };

  const turn = (thread: MadeThread) => {
    const file = thread.files.at(-1);
    if (!file) return;
    const number = ++turns;
    const used = 100 + number;
    const last = { input_tokens: used, output_tokens: 0 };
    say(file, 'event_msg', { type: 'task_started', turn_id: id() });
    const said = (role: string, text: string) => ({
      type: 'message',
      role,
      content: [{ type: 'input_text', text }],
    });
    say(file, 'response_item', said('user', `Question ${number}`));
    say(file, 'response_item', said('assistant', `Answer ${number}`));
    if (below(2) === 0) say(file, 'token_usage_record', { response_id: `resp_${number}`, usage: last });
    thread.used += used;
    const info = {
      total_token_usage: { input_tokens: thread.used, output_tokens: 0 },
      last_token_usage: last,
    };
    for (let again = below(3); again >= 0; again--) say(file, 'event_msg', { type: 'token_count', info });
    thread.ends.push({ rollout: file.rollout, ordinal: file.next, used: thread.used });
  };

  const start = (about: object, base?: { readonly of: MadeThread; readonly at: number }): MadeThread => {
    const from = base?.of.ends[base.at];
    const thread: MadeThread = { id: id(), files: [], ends: [], used: from && below(4) > 0 ? from.used : 0 };
    threads.push(thread);
    const inherited = from &&
      base && {
        forked_from_id: base.of.id,
        history_base: { thread_id: from.rollout, end_ordinal_exclusive: from.ordinal },
      };
    begin(thread, { ...about, ...inherited }, from?.ordinal ?? 0);
    for (let count = below(3); count >= 0; count--) turn(thread);
    return thread;
  };

  const goOn = (thread: MadeThread) => {
    const from = thread.ends[below(2) === 0 ? thread.ends.length - 1 : below(thread.ends.length)];
    if (!from) return;
    if (below(2) === 0) thread.used = from.used;
    begin(
      thread,
      { history_base: { thread_id: from.rollout, end_ordinal_exclusive: from.ordinal } },
      from.ordinal,
    );
    for (let count = below(3); count >= 0; count--) turn(thread);
  };

  start({});
  for (let steps = 2 + below(6); steps > 0; steps--) {
    const of = threads[below(threads.length)];
    if (!of) break;
    const what = below(4);
    if (what === 0) start({}, { of, at: below(of.ends.length) });
    else if (what === 1) goOn(of);
    else if (what === 2) turn(of);
    else {
      const spawn = { parent_thread_id: of.id, depth: 1, agent_nickname: 'Rye' };
      const about = {
        thread_source: 'subagent',
        parent_thread_id: of.id,
        source: { subagent: { thread_spawn: spawn } },
      };
      start(about, below(2) === 0 ? { of, at: below(of.ends.length) } : undefined);
    }
  }
  return files.map(({ path, lines }) => ({ path, lines }));
}
