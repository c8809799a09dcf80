import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SessionState } from '../../src/capture/discovery/sessionState.js';
import type { StatedSession } from '../../src/capture/discovery/stateFinder.js';
import { Claims } from '../../src/app/discovery/openWatch.js';
import {
  Watch,
  type Spent,
  type Told,
  type Watched,
  type WatchOptions,
} from '../../src/app/discovery/watch.js';
import type { ToolId } from '../../src/import/toolHomes.js';
import { memorySettings } from './appHost.js';
import { ManualTime } from './manualTime.js';
import { RecordingLog } from './recordingLog.js';
import { temporaryFolder } from './storeFixture.js';

export const SECOND = 1_000;
export const T0 = Date.UTC(2026, 10, 20, 12);

/** A window that watches, by a clock of the test's own; `folder` is what several windows share. */
export async function watching(
  rules: readonly object[],
  more: {
    folder?: string;
    settings?: object;
    spent?: readonly Spent[];
    found?: WatchOptions['found'];
    /** By default in files, as several windows share them. */
    claims?: WatchOptions['claims'];
    /** When it begins, in milliseconds since 1970. */
    at?: number;
    /** What this window is connected to. */
    chat?: Awaited<ReturnType<WatchOptions['chatOf']>>;
    isConnected?: boolean;
    isDown?: boolean;
  } = {},
) {
  const folder = more.folder ?? join(await temporaryFolder(), 'watch');
  const time = new ManualTime(more.at ?? T0);
  const log = new RecordingLog();
  const notices: string[] = [];
  const shown: { waiting: string[]; noted: string[] }[] = [];
  const sent: [string, object][] = [];
  const posted: [string, string][] = [];
  const ran: [string, readonly Told[]][] = [];
  const stopped: (string | undefined)[] = [];
  const paused: [string | undefined, string][] = [];
  const opened: string[] = [];
  const offered: (readonly string[])[] = [];
  const shownTerminals: string[] = [];
  const window = {
    isAway: false,
    lookedAt: '',
    press: undefined as string | undefined,
    terminals: [] as string[],
    /** In place of those. */
    terminalOf: undefined as (() => Promise<undefined>) | undefined,
  };
  const watch = new Watch({
    view: {
      show: (waiting, noted) => {
        shown.push({ waiting: waiting.map(({ path }) => path), noted: noted.map(({ path }) => path) });
      },
      notify: (message, buttons) => {
        notices.push(message);
        offered.push(buttons);
        return Promise.resolve(window.press);
      },
      isAway: () => window.isAway,
      isLookedAt: ({ path }) => window.lookedAt === path,
      open: ({ path }) => opened.push(path),
      terminalOf: ({ path }) =>
        window.terminalOf?.() ??
        Promise.resolve(window.terminals.includes(path) ? () => void shownTerminals.push(path) : undefined),
    },
    settings: memorySettings({ watch: { rules, ...more.settings } }),
    log,
    claims: more.claims ?? new Claims(folder),
    shared: (text) => Promise.resolve(text.replaceAll('hunter2', '***')),
    send: (address, body) => {
      if (more.isDown === true) return Promise.reject(new Error('It is down.'));
      sent.push([address, body]);
      return Promise.resolve();
    },
    chatOf: () =>
      Promise.resolve(
        more.chat ??
          (more.isConnected === true
            ? {
                maxMessageLength: 60,
                post: (chat, text) => {
                  posted.push([chat, text]);
                  return Promise.resolve();
                },
              }
            : undefined),
      ),
    run: (line, told) => {
      ran.push([line, told]);
      return Promise.resolve();
    },
    spent: () => Promise.resolve(more.spent ?? []),
    found: more.found ?? (() => Promise.resolve([])),
    stopRuns: (conversation) => stopped.push(conversation),
    pauseRuns: (conversation, why) => paused.push([conversation, why]),
    time,
  });
  onTestFinished(() => watch.dispose());
  /** Time goes by, second by second, with these sessions. */
  const goOn = async (seconds: number, ...sessions: readonly Watched[]) => {
    for (let at = 0; at < seconds; at++) {
      await time.advance(SECOND);
      watch.take(sessions);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  return {
    folder,
    time,
    log,
    notices,
    shown,
    sent,
    posted,
    ran,
    stopped,
    paused,
    opened,
    offered,
    shownTerminals,
    window,
    watch,
    goOn,
  };
}

/** A session in a state since so many seconds after the beginning. */
export const session = (
  path: string,
  since: number,
  state: Partial<SessionState> = {},
  tool: ToolId = 'claude-code',
) =>
  ({
    tool,
    path,
    id: path,
    changed: T0,
    about: { title: path, isEstimated: false },
    state: {
      state: 'waiting',
      source: 'record',
      marks: [],
      isLive: true,
      isChild: false,
      since: T0 + since * SECOND,
      ...state,
    },
  }) as unknown as StatedSession;
