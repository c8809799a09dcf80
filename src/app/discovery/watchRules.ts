import type { SessionState } from '../../capture/discovery/sessionState.js';
import { planQuery } from '../../query/language/plan.js';
import type { ContextFill, Life, LifeCall, QuotaReading } from '../../import/tools/life.js';
import { isObject } from '../../core/message.js';
import { t } from '../../core/l10n.js';

/** What a rule is about. */
export type Condition =
  | {
      readonly kind: 'state';
      readonly state: 'waiting' | 'finished' | 'broken' | 'limited';
      /** How long it must have lasted, in milliseconds. */
      readonly ms: number;
      /** Whether only where nobody was at the window. */
      readonly isAway: boolean;
    }
  | { readonly kind: 'mark'; readonly mark: 'stalled' | 'looping' }
  | { readonly kind: 'context'; readonly share?: number; readonly tokens?: number }
  /** It calls a tool; `text`: the same as a question, for tools whose files are only read whole. */
  | { readonly kind: 'at'; readonly tool?: string; readonly command?: string; readonly text: string }
  /** How much of a limit of the person's plan is used. */
  | { readonly kind: 'quota'; readonly percent: number }
  /** Something new matches a question of the language. */
  | { readonly kind: 'question'; readonly text: string }
  | { readonly kind: 'cost'; readonly of: CostOf; readonly dollars: number };

/** What has a budget: what today cost, of it each project and each model, or a session as a whole. */
export type CostOf = 'today' | 'project' | 'model' | 'session';

/** A chat platform that agents may be written to from. */
export type ChatPlatformId = 'telegram' | 'discord';

/** What is done where a rule holds. */
export type Action =
  | { readonly kind: 'notify' | 'status' | 'pause' | 'stop' }
  | { readonly kind: 'webhook'; readonly address: string }
  /** A chat as its platform calls it. */
  | { readonly kind: 'chat'; readonly platform: ChatPlatformId; readonly chat: string }
  | { readonly kind: 'command'; readonly line: string };

/** A rule of the settings. */
export interface WatchRule {
  /** As the person wrote it. */
  readonly when: string;
  readonly condition: Condition;
  readonly actions: readonly Action[];
}

/** How long a state is held before it is told, in milliseconds: most questions that answer themselves do so sooner. */
const HOLD_MS = 2_000;
const HOLD_FINISHED_MS = 5_000;

/** How much of what a call does tells it from others, in UTF-16 code units. */
const MAX_KEY = 200;

const UNITS = { s: 1_000, min: 60_000, h: 3_600_000 } as const;

const STATES = {
  waits: 'waiting',
  finished: 'finished',
  'broken off': 'broken',
  limited: 'limited',
} as const;

/** What a rule may be about, for whoever wrote another. */
const KNOWN = [
  'waits > 30s',
  'finished while away',
  'broken off',
  'limited',
  'stalled',
  'looping',
  'tokens of context > 80 %',
  'cost of today > 50',
  'tool:Bash',
  'command:"git push"',
  'limit > 80 %',
  'is:error tool:Edit',
].join(', ');

/** What is told of a session outside of this machine. */
export type Says = (typeof SAYS)[number];

const SAYS = ['state', 'title', 'words'] as const;
const PARTS = ['rules', 'quietHours', 'says'];

/** What the setting says, and what of it cannot be understood, in words: that is left out, and no more is told for it. */
export function watchSetting(setting: Readonly<Record<string, unknown>>): {
  readonly rules: readonly WatchRule[];
  readonly quietHours: string;
  readonly says: Says;
  readonly problems: readonly string[];
} {
  const { rules = [], quietHours = '', says = 'state' } = setting;
  const found = watchRules(Array.isArray(rules) ? rules : [rules]);
  const unknown = Object.keys(setting).filter((key) => !PARTS.includes(key));
  const isKnown = SAYS.some((each) => each === says);
  return {
    rules: found.rules,
    quietHours: typeof quietHours === 'string' ? quietHours : '',
    says: SAYS.find((each) => each === says) ?? 'state',
    problems: [
      ...found.problems,
      ...unknown.map(
        (key) => t`agentLogbook.watch: “${key}” is nothing that it has; it has rules, quietHours and says.`,
      ),
      ...(isKnown ? [] : [t`agentLogbook.watch, says: “${String(says)}” is none of state, title and words.`]),
    ],
  };
}

/** The rules of a setting, and what of it is no rule, in words. */
export function watchRules(setting: readonly unknown[]): {
  readonly rules: readonly WatchRule[];
  readonly problems: readonly string[];
} {
  const rules: WatchRule[] = [];
  const problems: string[] = [];
  for (const [at, given] of setting.entries()) {
    const found = ruleIn(given);
    if (typeof found === 'string') problems.push(t`agentLogbook.watch, rule ${at + 1}: ${found}`);
    else rules.push(found);
  }
  return { rules, problems };
}

function ruleIn(given: unknown): WatchRule | string {
  if (!isObject(given)) return t`It is no object with “when” and “then”.`;
  const unknown = Object.keys(given).find((key) => key !== 'when' && key !== 'then');
  if (unknown !== undefined) return t`“${unknown}” is nothing that a rule has; it has “when” and “then”.`;
  const { when, then } = given;
  if (typeof when !== 'string') return t`“when” is missing.`;
  const condition = conditionIn(when.trim());
  if (!condition) return t`“${when}” is no condition; write one as ${KNOWN}.`;
  const words = Array.isArray(then) ? (then as unknown[]) : [then];
  const actions = words.map(actionIn);
  const wrong = words.find((_, index) => !actions[index]);
  if (words.length === 0 || wrong !== undefined || actions.includes(undefined))
    return t`“${String(wrong)}” is no action; write notify, status, pause, stop, webhook: and an address, telegram: or discord: and the number of a chat, or command: and a line.`;
  const found = actions.filter((action) => action !== undefined);
  const unfit = found.find(({ kind }) => UNFIT[condition.kind]?.includes(kind));
  if (unfit)
    return t`“${unfit.kind}” cannot follow on “${when}”; write notify, webhook:, telegram: or discord:.`;
  return { when, condition, actions: found };
}

/** What cannot be done about what is no state of a session. */
const UNFIT: Partial<Record<Condition['kind'], readonly Action['kind'][]>> = {
  cost: ['status', 'command'],
  question: ['status'],
};

function conditionIn(when: string): Condition | undefined {
  const state =
    /^(waits|finished|broken off|limited)( while away)?(?:\s*>\s*(\d+(?:\.\d+)?)\s*(s|min|h))?$/.exec(when);
  if (state) {
    const [, name = '', away, amount, unit = 's'] = state;
    const held = name === 'finished' ? HOLD_FINISHED_MS : HOLD_MS;
    const ms = Math.max(held, Number(amount ?? 0) * UNITS[unit as keyof typeof UNITS]);
    return { kind: 'state', state: STATES[name as keyof typeof STATES], ms, isAway: away !== undefined };
  }
  if (when === 'stalled' || when === 'looping') return { kind: 'mark', mark: when };
  const [, fill, part] = /^tokens of context\s*>\s*(\d+(?:\.\d+)?)\s*(%?)$/.exec(when) ?? [];
  if (fill !== undefined)
    return part === '%'
      ? { kind: 'context', share: Number(fill) / 100 }
      : { kind: 'context', tokens: Number(fill) };
  const [cost, of = 'session', dollars] =
    /^cost(?:\s+of\s+(today|project|model|session))?\s*>\s*(\d+(?:\.\d+)?)$/.exec(when) ?? [];
  if (cost !== undefined && Number(dollars) > 0)
    return { kind: 'cost', of: of as CostOf, dollars: Number(dollars) };
  const [, percent] = /^limit\s*>\s*(\d+(?:\.\d+)?)\s*%$/.exec(when) ?? [];
  if (percent !== undefined) return { kind: 'quota', percent: Number(percent) };
  const at = /^(?:tool:([\w.-]+))?\s*(?:command:(?:"([^"]+)"|(\S+)))?$/.exec(when);
  const [, tool, quoted, plain] = at ?? [];
  const command = quoted ?? plain;
  if (tool === undefined && command === undefined) return questionIn(when);
  return {
    kind: 'at',
    ...(tool !== undefined && { tool }),
    ...(command !== undefined && { command }),
    text: [when, 'role:assistant'].join(' '),
  };
}

/** A question of which a part names a field: words alone are more likely a condition that is written otherwise. */
function questionIn(when: string): Condition | undefined {
  if (!when.includes(':')) return undefined;
  const planned = planQuery(when, { rows: 'records', now: 0, timeZone: 'UTC' });
  return planned.ok ? { kind: 'question', text: when } : undefined;
}

function actionIn(given: unknown): Action | undefined {
  if (given === 'notify' || given === 'status' || given === 'pause' || given === 'stop')
    return { kind: given };
  if (typeof given !== 'string') return undefined;
  const [, platform, chat = ''] = /^(telegram|discord):\s*(-?\d{1,30})$/.exec(given) ?? [];
  if (platform === 'telegram' || platform === 'discord') return { kind: 'chat', platform, chat };
  const [, kind, rest = ''] = /^(webhook|command):\s*(\S.*)$/.exec(given) ?? [];
  if (kind === 'command') return { kind, line: rest };
  return kind === 'webhook' && isWebhook(rest) ? { kind, address: rest } : undefined;
}

/** Encrypted, or to a program on this machine. */
function isWebhook(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return (
    protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname))
  );
}

/** What a condition is asked of. */
export interface Asked {
  readonly state: SessionState;
  readonly context?: ContextFill | undefined;
  readonly life?: Life | undefined;
}

/** That a condition holds for a session. */
export interface Holding {
  /** Stays the same as long as it is the same event. */
  readonly key: string;
  /** Since when, in milliseconds since 1970; left out where that is not known. */
  readonly since?: number | undefined;
  /** What is said of it, where that is not the state. */
  readonly what?: string;
  /** Whether it has happened, and is so no more. */
  readonly isOver?: boolean;
}

/**
 * What makes a condition hold for a session at a time. What only silence says holds for no rule: it may colour, and no more.
 */
export function eventsOf(
  condition: Condition,
  { state, context, life }: Asked,
  now: number,
): readonly Holding[] {
  if (state.source === 'silence' || state.isChild) return [];
  const { since } = state;
  switch (condition.kind) {
    case 'state':
      return state.state === condition.state && now - since >= condition.ms
        ? [{ key: `${state.state} ${since}`, since }]
        : [];
    case 'mark': {
      const isMarked = state.marks.some(
        ({ kind, source }) => kind === condition.mark && source !== 'silence',
      );
      // It is asked for approvals meanwhile, and goes on.
      const began = condition.mark === 'looping' ? life?.turn : life?.since;
      return isMarked ? [{ key: `${condition.mark} ${began ?? since}` }] : [];
    }
    case 'context': {
      const { share, tokens = Number.POSITIVE_INFINITY } = condition;
      const most = share === undefined ? tokens : share * (context?.window ?? Number.POSITIVE_INFINITY);
      return context && context.used > most ? [{ key: 'context' }] : [];
    }
    case 'at': {
      const of = (calls: readonly LifeCall[] = [], isOver = false) =>
        calls
          .filter((call) => isAt(condition, call))
          .map((call) => ({
            // Of one that has ended less is kept; what its session does now tells nothing of it.
            key: `at ${call.since ?? `#${call.order ?? 0}`} ${(call.text ?? '').slice(0, MAX_KEY)}`,
            since: call.since,
            what: call.text ?? call.tool ?? '',
            isOver,
          }));
      return [...of(life?.lately, true), ...of(life?.calls)];
    }
    case 'quota':
    case 'question':
    case 'cost':
      return [];
  }
}

function isAt({ tool, command = '' }: Extract<Condition, { kind: 'at' }>, call: LifeCall): boolean {
  return (tool === undefined || call.tool === tool) && (call.text ?? '').includes(command);
}

/** The limits of which more than a part is used, as they were read last, and whose windows are not over. */
export function usedUp(
  percent: number,
  quotas: readonly QuotaReading[] = [],
  now: number,
): readonly QuotaReading[] {
  return quotas.filter((each) => each.percent > percent && each.resetsAt > now);
}

/** Whether a time of the day, in minutes since midnight, is in quiet hours such as `22:00-07:00`; undefined where these are none. */
export function isQuiet(hours: string, minute: number): boolean | undefined {
  if (hours === '') return false;
  const [, ...parts] = /^([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)$/.exec(hours) ?? [];
  if (parts.length < 4) return undefined;
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = parts.map(Number);
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}

/** What is told of several at once. */
export function severalLine(
  told: readonly {
    readonly rule: WatchRule;
    readonly session?: { readonly state: SessionState };
    readonly what?: string;
  }[],
): string {
  const waits = told.filter(
    ({ session, what }) => what === undefined && session?.state.state === 'waiting',
  ).length;
  if (waits === told.length) return t`${waits} sessions wait for you.`;
  const budgets = told.filter(({ rule }) => rule.condition.kind === 'cost').length;
  if (budgets === told.length) return t`${budgets} budgets are used up, or nearly.`;
  if (budgets > 0)
    return waits === 0
      ? t`${told.length} sessions and budgets have news.`
      : t`${told.length} sessions and budgets have news, ${waits} wait for you.`;
  return waits === 0
    ? t`${told.length} sessions have news.`
    : t`${told.length} sessions have news, ${waits} wait for you.`;
}
