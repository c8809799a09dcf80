import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { runCommandLine } from '../../src/surfaces/cli/runCommandLine.js';
import { ClosedPipe, type TextSink } from '../../src/surfaces/cli/terminal.js';
import { STORY_START, StoryTeller } from './storyTeller.js';
import { temporaryFolder, temporaryStore } from './storeFixture.js';

/** How a command is run in a test. */
export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which what is worked out is kept; left out: nothing is. */
  readonly cache?: string | undefined;
  readonly stdin?: string | Uint8Array;
  /** How many columns the terminal has that it writes to; undefined: it is a pipe. */
  readonly columns?: number;
  /** The same of standard error. */
  readonly columnsBeside?: number;
  /** After so many writes nobody reads on, or the disk is full. */
  readonly writes?: { readonly of: number; readonly then: 'closed' | 'full' };
  readonly signal?: AbortSignal;
  /** What the person at the terminal answers; undefined: nobody is there. */
  readonly ask?: (question: string) => Promise<string>;
  /** Called with each text that is written to standard output. */
  readonly onWrite?: (text: string) => void;
  /** The same of standard error. */
  readonly onError?: (text: string) => void;
}

/** What a command did. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The lines of JSON. */
  readonly json: readonly Record<string, unknown>[];
}

/** Runs a command in this process. */
export async function agentLogbook(args: readonly string[], options: CommandOptions = {}): Promise<Ran> {
  const {
    cwd = '/',
    env = {},
    cache,
    stdin = '',
    columns,
    writes,
    signal = new AbortController().signal,
  } = options;
  const texts = { out: '', err: '' };
  let left = writes?.of ?? Infinity;
  const out: TextSink = {
    isTerminal: columns !== undefined,
    columns,
    write(text) {
      if (left-- <= 0)
        return Promise.reject(
          writes?.then === 'full'
            ? Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
            : new ClosedPipe('Nobody reads on.'),
        );
      texts.out += text;
      options.onWrite?.(text);
      return Promise.resolve();
    },
  };
  const err: TextSink = {
    isTerminal: options.columnsBeside !== undefined,
    columns: options.columnsBeside,
    write: (text) => {
      texts.err += text;
      options.onError?.(text);
      return Promise.resolve();
    },
  };
  const code = await runCommandLine({
    version: '1.2.3',
    args,
    cwd,
    env: { ...env, ...(cache !== undefined && { AGENT_LOGBOOK_CACHE: cache }) },
    ...(cache !== undefined && { program: 'of this test' }),
    out,
    err,
    signal,
    stdin: () => Readable.from([Buffer.from(stdin)]),
    ask: options.ask,
    takeSignals: () => ({ dispose: () => undefined }),
    now: () => STORY_START + 60_000,
  });
  const json = args.includes('--json')
    ? texts.out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    : [];
  return { code, ...texts, json };
}

/** An agent that has a scale mended: two agents, a failing tool, a costly model. */
export function bakery(conversation?: string): StoryTeller {
  const story = new StoryTeller(conversation);
  const baker = story.run('Baker', 'Why are the cookies so small?');
  baker.useTool('read_file', { path: 'src/scale.ts' }, 'factor = serves / people', { ms: 50 });
  const { child, call } = baker.dispatch('Fixer', 'turn the factor around');
  child.useTool('edit_file', { path: 'src/scale.ts' }, 'no such line', { isError: true, ms: 80 });
  child.say('It is turned around.');
  child.end();
  baker.answer(call, 'It is turned around.');
  baker.say('They are larger now.');
  baker.end();
  return story;
}

/** A folder with a store of these conversations. */
export async function workspaceWith(...stories: readonly StoryTeller[]): Promise<string> {
  const { store, root } = await temporaryStore();
  for (const story of stories) await store.importConversation(story.conversation, story.records);
  return dirname(root);
}

/** A folder with files of these names and texts; gives its path. */
export async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

/** A transcript as many tools write it: a message a line. */
export function messageLines(...messages: readonly (readonly [role: string, content: string])[]): string {
  return messages.map(([role, content]) => `${JSON.stringify({ role, content })}\n`).join('');
}
