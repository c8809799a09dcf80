import type {
  SessionState,
  StateMark,
  StateName,
  StateSource,
} from '../../capture/discovery/sessionState.js';

export { isSameState } from '../../capture/discovery/sameState.js';
export type { SessionState } from '../../capture/discovery/sessionState.js';
import { preview } from '../../core/text.js';
import { formatDuration } from '../../core/duration.js';
import { inLanguage, message, t, type Message } from '../../core/l10n.js';
import { toolHome, type ToolId } from '../../import/toolHomes.js';
import { formatMoment, formatShortMoment, formatTime } from '../text/format.js';
import { joined } from '../text/plainText.js';

/** The icon of each state, and its colour. */
export const stateIcons: Readonly<Record<StateName, readonly [icon: string, color?: string]>> = {
  working: ['record', 'charts.red'],
  waiting: ['question', 'problemsWarningIcon.foreground'],
  limited: ['watch', 'problemsWarningIcon.foreground'],
  finished: ['pass', 'charts.green'],
  broken: ['debug-disconnect', 'problemsWarningIcon.foreground'],
  idle: ['circle-outline'],
  gone: ['circle-slash'],
  unknown: ['comment-discussion'],
};

const names: Readonly<Record<StateName, Message>> = {
  working: message`working`,
  waiting: message`waits for you`,
  limited: message`limited`,
  finished: message`finished`,
  broken: message`broken off`,
  idle: message`idle`,
  gone: message`gone`,
  unknown: message`unknown`,
};

const reasons: Readonly<Record<NonNullable<SessionState['reason']>, Message | undefined>> = {
  approval: message`waits for your approval`,
  question: message`waits for your answer`,
  dialog: message`waits for you in a dialog`,
  children: message`its agents work`,
  retrying: message`tries again`,
  interrupted: message`interrupted`,
  failed: message`failed`,
  silent: message`without an answer`,
  shell: message`idle, a command of its runs`,
  ended: undefined,
};

const sources: Readonly<Record<StateSource, Message>> = {
  registry: message`its tool's list of open sessions`,
  record: message`what its file says`,
  hook: message`a hook`,
  silence: message`silence: nothing says so`,
};

const marks: Readonly<Record<StateMark['kind'], Message>> = {
  stalled: message`stalled`,
  looping: message`looping`,
  context: message`context nearly full`,
};

/** What a session does at a time, in few words. */
export function stateText(state: SessionState, now: number): string {
  const { quiet, since } = state;
  return wordsOf(state, now, {
    waits: state.state === 'waiting' && now > since ? formatDuration(now - since) : '',
    quiet: quiet === undefined ? '' : t`quiet for ${formatDuration(quiet)}`,
  });
}

/** The same for what is not drawn again each second: with the times since when it is so. */
export function lastingStateText(state: SessionState, now: number): string {
  const { quiet, since } = state;
  return wordsOf(state, now, {
    waits: state.state === 'waiting' ? t`since ${formatShortMoment(since, now)}` : '',
    quiet: quiet === undefined ? '' : t`quiet since ${formatShortMoment(now - quiet, now)}`,
  });
}

function wordsOf(
  { state, reason, tool, until, marks: seen }: SessionState,
  now: number,
  times: { readonly waits: string; readonly quiet: string },
): string {
  const said = reason === undefined ? undefined : reasons[reason];
  return joined(
    [
      inLanguage(said ?? names[state]),
      state === 'working' && tool !== undefined ? tool : '',
      times.waits,
      until !== undefined && until > now ? t`until ${formatTime(until)}` : '',
      times.quiet,
      ...seen.map(({ kind }) => inLanguage(marks[kind])),
    ],
    ', ',
  );
}

/** How much of what is asked or done is shown, in code points. */
const MAX_SHOWN = 300;

/** What is known of a state besides, a line each. */
export function stateDetails(state: SessionState, tool: ToolId): readonly string[] {
  const { words, command, since, source } = state;
  const home = toolHome(tool);
  const isAtIt = state.state === 'working' && source !== 'hook';
  const offered = t`Whether it waits for your approval cannot be told without a hook; Choose Tools… installs it.`;
  const untold = t`Whether it waits for your approval cannot be told without a hook, which ${home.name} has none of here.`;
  return [
    words === undefined ? '' : `“${preview(words, MAX_SHOWN)}”`,
    command === undefined ? '' : t`At: ${preview(command, MAX_SHOWN)}`,
    t`Since: ${formatMoment(since)}`,
    t`Known from: ${inLanguage(sources[source])}`,
    isAtIt && home.approvals === 'hook' ? offered : '',
    isAtIt && home.approvals === 'untold' ? untold : '',
  ].filter((line) => line !== '');
}

/** What a person had seen of a session last, see `KeptSession`. */
type Seen = { readonly at: number; readonly records: number } | undefined;

/** A row of the list of sessions, as far as news are concerned. */
type ListedRow =
  | {
      readonly kind: 'session';
      readonly file: { readonly changed: number };
      readonly kept?: { readonly seen: Seen } | undefined;
    }
  | {
      readonly kind: 'conversation';
      readonly entry: { readonly endedAt: number; readonly records?: number };
      readonly seen?: Seen;
    };

/** Since when something came to a session that a person looked at, in milliseconds since 1970; 0 where nothing did. */
export function unreadSince(row: ListedRow): number {
  const seen = row.kind === 'session' ? row.kept?.seen : row.seen;
  if (!seen) return 0;
  const hasNews =
    row.kind === 'session'
      ? row.file.changed > seen.at
      : row.entry.endedAt > seen.at && (row.entry.records ?? Infinity) > seen.records;
  return hasNews ? seen.at : 0;
}

/** That something came to a session since a person looked at it, as its row says it; '' where nothing did. */
export function newsWords(row: ListedRow, now: number): string {
  const since = unreadSince(row);
  return since > 0 ? t`new since ${formatShortMoment(since, now)}` : '';
}
