import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StatedSession } from '../../capture/discovery/stateFinder.js';
import { byNeed } from '../../capture/discovery/sessionState.js';
import type { Clock } from '../../core/clock.js';
import { errorCode } from '../../core/errorCode.js';
import type { Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import type { ChatConnector } from '../../core/ports/chatConnector.js';
import type { Log } from '../../core/ports/log.js';
import { firstCodePoints, messageOf, preview } from '../../core/text.js';
import type { Timers } from '../../core/timers.js';
import { RECORDINGS, toolHome } from '../../import/toolHomes.js';
import type { Settings } from '../ports/settings.js';
import { windowWords } from '../../query/numbers/quotas.js';
import { formatMoment } from '../text/format.js';
import { plain, type PlainText } from '../text/plainText.js';
import { stateText } from './stateWords.js';
import {
  eventOf,
  isQuiet,
  usedUp,
  watchSetting,
  type Action,
  type ChatPlatformId,
  type CostOf,
  type Says,
  type WatchRule,
} from './watchRules.js';

/** At most one notice is shown within so many milliseconds; what comes meanwhile is joined. */
const APART_MS = 10_000;
/** How often it is asked what was spent, where a rule wants to know, in milliseconds. */
const SPENT_MS = 60_000;
/** How often rules with a question are asked of what was written since, in milliseconds. */
const QUESTIONS_MS = 10_000;
/** How much later than it happened something may come into a file, in milliseconds. */
const LATE_MS = 60_000;
/** From which part of a budget on it is warned. */
const WARN_AT = 0.8;
/** How long it is remembered what was told, in milliseconds. */
const REMEMBER_MS = 7 * 24 * 60 * 60_000;
/** How many events are remembered. */
const MAX_TOLD = 10_000;
/** How much of a title and of words is told, in code points. */
const MAX_TITLE = 60;
const MAX_WORDS = 160;
/** How much of a line leaves the machine, in code points. */
const MAX_LINE = 300;

/** In place of a tool, for what agents do that run here; its path is the id of the conversation. */
export const OWN = 'agent-logbook';

/** A session that is watched: of a tool, or one that runs here. */
export type Watched = Omit<StatedSession, 'tool'> & { readonly tool: StatedSession['tool'] | typeof OWN };

/** A session of which something is told. */
export interface Told {
  readonly session: Watched;
  readonly rule: WatchRule;
  /** What is said in place of its state, where the rule is about something else. */
  readonly what?: string;
}

/** What was spent, by what has a budget. */
export interface Spent {
  readonly of: CostOf;
  /** What it is called: a day, a project, a model or the title of a session. */
  readonly name: string;
  readonly dollars: number;
  /** What tells sessions of one title apart; where it is left out, the name does. */
  readonly key?: string;
  /** The path of a session of a tool. */
  readonly path?: string;
  /** The conversation that runs here of which a session is, where it is one. */
  readonly conversation?: string;
}

/** The last of a session that matches a question. */
export interface FoundNow {
  readonly path: string;
  readonly position: number;
  readonly words: string;
}

/** How a watch speaks to the person at a window. */
export interface WatchView {
  /** Shows the sessions that wait, the oldest first, and those of which a rule wants the status bar to tell. */
  show(waiting: readonly Watched[], noted: readonly Watched[]): void;
  /** Shows a notice; resolves with the button that was pressed. */
  notify(message: PlainText, ...buttons: string[]): Promise<string | undefined>;
  /** Whether nobody looks at the window. */
  isAway(): boolean;
  /** Whether the person looks at a session at this moment. */
  isLookedAt(session: Watched): boolean;
  open(session: Watched): void;
}

/** What a watch needs. */
export interface WatchOptions {
  readonly view: WatchView;
  readonly settings: Settings;
  readonly log: Log;
  readonly claims: Claims;
  /** What leaves this machine of a text: never a secret. */
  readonly shared: (text: string) => Promise<string>;
  readonly send: (address: string, body: object) => Promise<void>;
  /** What this window is connected to of a platform; undefined where it is not. */
  readonly chatOf: (
    platform: ChatPlatformId,
  ) => Promise<Pick<ChatConnector, 'post' | 'maxMessageLength'> | undefined>;
  /** Runs a line of the person's that a person has approved once; resolves when it has ended. */
  readonly run: (line: string, told: readonly Told[]) => Promise<void>;
  readonly spent: (of: ReadonlySet<CostOf>) => Promise<readonly Spent[]>;
  /** What matches a question and happened since a time, in milliseconds since 1970: the last of each file. */
  readonly found: (text: string, sessions: readonly Watched[], since: number) => Promise<readonly FoundNow[]>;
  /** Stops what runs here: of a conversation, or all. */
  readonly stopRuns: (conversation: string | undefined) => void;
  /** Holds what runs here before its next step, of a conversation or all, until a person says, who is told why. */
  readonly pauseRuns: (conversation: string | undefined, why: string) => void;
  readonly time: Clock & Timers;
}

/**
 * Looks at what sessions do, shows who waits, and tells what the person's rules say: once for each event, however many windows
 * there are, nothing of what was so at the start, and of many at once in one notice. What clears before it was told is not told.
 */
export class Watch implements Disposable {
  readonly #options: WatchOptions;
  readonly #began: number;
  readonly #told = new Set<string>();
  readonly #waiting = new Map<string, Told>();
  #setting = watchSetting({});
  #read: unknown;
  /** The tools whose sessions were looked at before: what was so then is not told. */
  readonly #looked = new Set<Watched['tool']>();
  #nextAt = 0;
  #timer: Disposable | undefined;
  #spentAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isCounting = false;
  #isDisposed = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#began = options.time.now();
  }

  /** Takes what sessions do now. */
  take(sessions: readonly Watched[]): void {
    const { view, time } = this.#options;
    const now = time.now();
    this.#readSetting();
    const own = sessions.filter(({ tool }) => tool !== 'vscode-chat' && tool !== RECORDINGS);
    // Those that run here have a place of their own in the status bar.
    const waits = own.filter(
      ({ tool, state }) => tool !== OWN && state.isLive && state.state === 'waiting' && !state.isChild,
    );
    const holding = new Set<string>();
    const noted: Watched[] = [];
    for (const rule of this.#setting.rules)
      for (const session of own) {
        const events = eventsOf(rule, session, now);
        const isNoted = events.length > 0 && rule.actions.some(({ kind }) => kind === 'status');
        if (isNoted && session.tool !== OWN) noted.push(session);
        for (const { key, ...more } of events) {
          holding.add(key);
          this.#notice(key, { rule, session, ...more });
        }
      }
    // What was found by a question stays found.
    for (const [key, { rule }] of Array.from(this.#waiting))
      if (!holding.has(key) && rule.condition.kind !== 'question') this.#waiting.delete(key);
    for (const { tool } of own) this.#looked.add(tool);
    view.show(
      waits.sort((a, b) => byNeed(a.state, b.state)),
      noted,
    );
    this.#tellSoon();
    this.#lookAtCosts(now);
    this.#lookAtQuestions(own, now);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#timer?.dispose();
  }

  /** Notes an event to be told, unless it was, is older than this watch, or somebody has seen it. */
  #notice(key: string, told: Told): void {
    if (this.#told.has(key)) return;
    if (this.#told.size >= MAX_TOLD) this.#told.clear();
    this.#told.add(key);
    const { condition } = told.rule;
    const { view } = this.#options;
    const { tool, state } = told.session;
    const isOld = condition.kind === 'state' ? state.since < this.#began : !this.#looked.has(tool);
    const isSeen = condition.kind === 'state' && condition.isAway && !view.isAway();
    // A limit is the person's, whatever session tells of it.
    const isLookedAt = condition.kind !== 'quota' && view.isLookedAt(told.session);
    // Whoever looks at a run need not be told of it; that it is held or stopped is not only told.
    const actions = told.rule.actions.filter((action) => !isLookedAt || isOnRuns(action));
    if (!isOld && !isSeen && actions.length > 0)
      this.#waiting.set(key, { ...told, rule: { ...told.rule, actions } });
  }

  #tellSoon(): void {
    if (this.#waiting.size === 0 || this.#timer || this.#isDisposed) return;
    const { time } = this.#options;
    const wait = this.#nextAt - time.now();
    if (wait <= 0) void this.#tell();
    else
      this.#timer = time.after(wait, () => {
        this.#timer = undefined;
        void this.#tell();
      });
  }

  /** Tells what is to be told by now. */
  async #tell(): Promise<void> {
    const { claims, log, time } = this.#options;
    const due = [...this.#waiting];
    this.#waiting.clear();
    this.#nextAt = time.now() + APART_MS;
    const found: Told[] = [];
    try {
      for (const [key, told] of due) {
        if (await claims.isMuted(told.session.path)) continue;
        const actions = await this.#claimed(key, told.rule.actions);
        if (actions.length > 0) found.push({ ...told, rule: { ...told.rule, actions } });
      }
      if (found.length === 0) return;
      const isQuiet = this.#isQuiet();
      await this.#act(found, (action) => !isQuiet || isOnRuns(action));
    } catch (error) {
      log.error('What sessions do could not be told', error);
    }
  }

  /** Those that no other window does: to a chat posts whichever is connected. */
  async #claimed(event: string, actions: readonly Action[]): Promise<readonly Action[]> {
    const { claims, chatOf } = this.#options;
    const mine: Action[] = [];
    for (const action of actions) {
      if (action.kind === 'chat' && !(await chatOf(action.platform))) continue;
      // Each window does it to what runs in it.
      if (isOnRuns(action)) mine.push(action);
      else if (await claims.take(`${event} ${JSON.stringify(action)}`)) mine.push(action);
    }
    return mine;
  }

  /** What several rules want of the same events is done once for all of them. */
  async #act(found: readonly Told[], isDone: (action: Action) => boolean): Promise<void> {
    const byAction = new Map<string, { action: Action; told: Told[] }>();
    for (const told of found)
      for (const action of told.rule.actions.filter(isDone)) {
        const key = JSON.stringify(action);
        const known = byAction.get(key) ?? { action, told: [] };
        const isSame = ({ session, what }: Told) => session.path === told.session.path && what === told.what;
        if (!known.told.some(isSame)) known.told.push(told);
        byAction.set(key, known);
      }
    // Nobody's notice waits for the address of another.
    await Promise.all(
      Array.from(byAction.values(), ({ action, told }) => this.#followed(this.#do(action, told))),
    );
  }

  /** What one rule wants and cannot have keeps nothing from the others. */
  async #followed(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#options.log.warn(`A rule of agentLogbook.watch could not be followed: ${messageOf(error)}`);
    }
  }

  async #do(action: Action, told: readonly Told[]): Promise<void> {
    const { send, run, stopRuns, pauseRuns } = this.#options;
    switch (action.kind) {
      case 'notify': {
        // What an agent here wants to be allowed is asked by a notice already.
        const news = told.filter(({ session }) => session.tool !== OWN || session.state.state !== 'waiting');
        // It stands until somebody answers it: what comes next does not wait for that.
        void this.#notify(news);
        return;
      }
      case 'webhook':
        await send(action.address, await this.#bodyOf(told));
        return;
      case 'chat':
        await this.#post(action, await this.#outside(told));
        return;
      case 'command':
        await run(action.line, told);
        return;
      case 'pause':
        for (const each of told.filter(isAboutRuns))
          pauseRuns(runOf(each), heldLine(each.rule.when, hereLine(each)));
        return;
      case 'stop':
        for (const each of told.filter(isAboutRuns)) stopRuns(runOf(each));
        return;
      case 'status':
    }
  }

  async #post({ platform, chat }: Extract<Action, { kind: 'chat' }>, text: string): Promise<void> {
    const connected = await this.#options.chatOf(platform);
    await connected?.post(`${platform}:${chat}`, firstCodePoints(text, connected.maxMessageLength));
  }

  async #notify(told: readonly Told[]): Promise<void> {
    const { view, claims, log } = this.#options;
    const [first] = told;
    if (!first) return;
    const [open, mute] = [t`Open`, t`Mute This Session`];
    const words = told.length === 1 ? hereLine(first) : severalLine(told);
    try {
      const pressed = await view.notify(plain(words), open, ...(told.length === 1 ? [mute] : []));
      if (pressed === open) view.open(first.session);
      if (pressed === mute) await claims.mute(first.session.path);
    } catch (error) {
      log.error('A notice could not be shown', error);
    }
  }

  /** What leaves this machine, a line for each session. */
  async #outside(told: readonly Told[]): Promise<string> {
    const { says } = this.#setting;
    const lines = await Promise.all(told.map((each) => this.#cleaned(outsideLine(each, says))));
    return lines.join('\n');
  }

  /** A line as it leaves this machine. A secret that is cut is none that is found: it is cut when it is clean. */
  async #cleaned(line: string): Promise<string> {
    return preview(await this.#options.shared(line), MAX_LINE);
  }

  /** What a webhook gets of sessions. */
  async #bodyOf(told: readonly Told[]): Promise<object> {
    const sessions = told.map(({ session: { tool, state } }) => ({
      tool,
      state: state.state,
      since: Math.round(state.since),
    }));
    return { ...bodyWith(await this.#outside(told)), sessions };
  }

  #isQuiet(): boolean {
    const { log, time } = this.#options;
    const { quietHours: hours } = this.#setting;
    const now = new Date(time.now());
    const isIt = isQuiet(hours, now.getHours() * 60 + now.getMinutes());
    if (isIt === undefined)
      log.warn(t`agentLogbook.watch, quietHours: ${hours} is no time as 22:00-07:00; it is not kept.`);
    return isIt === true;
  }

  /** Asks rules with a question of what was written since they were asked last. */
  #lookAtQuestions(sessions: readonly Watched[], now: number): void {
    const { log } = this.#options;
    const rules = this.#setting.rules.filter(({ condition }) => condition.kind === 'question');
    if (rules.length === 0 || this.#isAsking || now - this.#askedAt < QUESTIONS_MS) return;
    const since = Math.max(this.#began, this.#askedAt - LATE_MS);
    const written = sessions.filter(({ changed, state }) => changed >= since && !state.isChild);
    this.#askedAt = now;
    if (written.length === 0) return;
    this.#isAsking = true;
    this.#ask(rules, written, since)
      .catch((error: unknown) => log.warn(`Rules with a question could not be asked: ${messageOf(error)}`))
      .finally(() => (this.#isAsking = false));
  }

  async #ask(rules: readonly WatchRule[], sessions: readonly Watched[], since: number): Promise<void> {
    const byPath = new Map(sessions.map((session) => [session.path, session]));
    for (const rule of rules)
      for (const { path, position, words } of await this.#options.found(rule.when, sessions, since)) {
        const session = byPath.get(path);
        if (!session) continue;
        const what = t`${rule.when}: ${preview(words, MAX_WORDS)}`;
        this.#notice(`${rule.when} ${path} ${position}`, { rule, session, what });
      }
    this.#tellSoon();
  }

  /** Warns at a part of a budget, and tells when it is used up: once for each day, or each session. */
  #lookAtCosts(now: number): void {
    const { spent, log } = this.#options;
    const of = new Set(
      this.#setting.rules.flatMap(({ condition }) => (condition.kind === 'cost' ? [condition.of] : [])),
    );
    if (of.size === 0 || this.#isCounting || now - this.#spentAt < SPENT_MS) return;
    this.#spentAt = now;
    this.#isCounting = true;
    spent(of)
      .then((all) => this.#tellSpent(all))
      .catch((error: unknown) => log.warn(`What was spent is not known: ${messageOf(error)}`))
      .finally(() => (this.#isCounting = false));
  }

  async #tellSpent(all: readonly Spent[]): Promise<void> {
    const { claims, stopRuns, pauseRuns, time } = this.#options;
    const { rules, says } = this.#setting;
    const day = new Date(time.now()).toDateString();
    for (const { condition, when, actions } of rules) {
      if (condition.kind !== 'cost') continue;
      for (const { name, key = name, path, dollars, conversation } of all.filter(
        ({ of }) => of === condition.of,
      )) {
        const share = dollars / condition.dollars;
        if (share < WARN_AT) continue;
        const isOver = share >= 1;
        const sentence = (what: string) =>
          t`${what}: $${dollars.toFixed(2)} of $${condition.dollars} are spent, ${Math.floor(share * 100)} %.`;
        const here = sentence(preview(name, MAX_TITLE));
        const isOfRuns = isOver && (conversation !== undefined || condition.of !== 'session');
        // Once a run is stopped for it, the next that goes on is stopped, too; whoever let it go on knows of it.
        if (isOfRuns && actions.some(({ kind }) => kind === 'stop')) stopRuns(conversation);
        const held = JSON.stringify([when, key, day]);
        if (isOfRuns && actions.some(({ kind }) => kind === 'pause') && !this.#told.has(held)) {
          this.#told.add(held);
          pauseRuns(conversation, heldLine(when, here));
        }
        if (path !== undefined && (await claims.isMuted(path))) continue;
        const period = condition.of === 'session' ? '' : day;
        const mine = await this.#claimed(`${when} ${key} ${period} ${isOver ? 100 : 80}`, actions);
        if (this.#isQuiet()) continue;
        const text = await this.#cleaned(sentence(says === 'state' ? condition.of : name));
        for (const action of mine) await this.#followed(this.#tellCost(action, here, text));
      }
    }
  }

  async #tellCost(action: Action, here: string, text: string): Promise<void> {
    const { view, send, log } = this.#options;
    if (action.kind === 'chat') await this.#post(action, text);
    else if (action.kind === 'webhook') await send(action.address, bodyWith(text));
    else if (action.kind === 'notify')
      // It stands until somebody answers it.
      view.notify(plain(here)).catch((error: unknown) => log.error('A notice could not be shown', error));
  }

  #readSetting(): void {
    const setting = this.#options.settings.get('watch');
    const read = JSON.stringify(setting);
    if (read === this.#read) return;
    this.#read = read;
    this.#setting = watchSetting(setting);
    for (const problem of this.#setting.problems) this.#options.log.warn(problem);
  }
}

/** Whether an action is one on what runs in this window. */
function isOnRuns({ kind }: Action): boolean {
  return kind === 'stop' || kind === 'pause';
}

/** Why a run is held. */
function heldLine(when: string, line: string): string {
  return t`Your rule “${when}” holds the run. ${line}`;
}

/** Whether what is told is about what runs here: about a run, or about the person's limit, which all runs use up. */
function isAboutRuns({ session, rule }: Told): boolean {
  return session.tool === OWN || rule.condition.kind === 'quota';
}

/** The conversation that it is about; undefined for all. */
function runOf({ session, rule }: Told): string | undefined {
  return rule.condition.kind === 'quota' ? undefined : session.path;
}

/** What a webhook gets; `content` and `text` are what chats show. */
function bodyWith(text: string) {
  return { v: 1, content: text, text };
}

/** What is told of a session in a line at the window. */
function hereLine({ session, what }: Told): string {
  const { about, state } = session;
  const words = what === undefined ? preview(state.words ?? '', MAX_WORDS) : '';
  return lineOf(session, preview(about.title, MAX_TITLE), [what ?? doingOf(session), words]);
}

/** The same as it may leave the machine, whole: it is cleaned before it is cut. An excerpt may begin within a secret, and stays. */
function outsideLine({ session, rule, what }: Told, says: Says): string {
  const { about, state } = session;
  const title = says === 'state' ? '' : about.title;
  if (what !== undefined)
    return lineOf(session, title, [rule.condition.kind === 'question' ? rule.when : what]);
  return lineOf(session, title, [
    doingOf(session, says !== 'state'),
    says === 'words' ? (state.words ?? '') : '',
  ]);
}

function doingOf({ state }: Watched, namesTool = true): string {
  return stateText({ ...state, ...(!namesTool && { tool: '' }) }, state.since);
}

function lineOf({ tool }: Watched, title: string, parts: readonly string[]): string {
  const name = title === '' ? t`A session` : title;
  return t`${name} (${sourceOf(tool)}): ${parts.filter((part) => part !== '').join(': ')}`;
}

function sourceOf(tool: Watched['tool']): string {
  return tool === OWN ? t`run here` : toolHome(tool).name;
}

/** What makes a rule hold for a session now, with what is said of it; a limit is that of a person, whichever sessions tell of it. */
function eventsOf(
  { condition, when }: WatchRule,
  { tool, path, about, state }: Watched,
  now: number,
): readonly ({ readonly key: string } & Pick<Told, 'what'>)[] {
  if (condition.kind === 'quota')
    return usedUp(condition.percent, about.quotas, now).map(({ limit, minutes, percent, resetsAt }) => ({
      key: [when, tool, limit, minutes, resetsAt].join(' '),
      what: t`${Math.round(percent)} % of its limit of ${windowWords(minutes)} are used, until ${formatMoment(resetsAt)}.`,
    }));
  const event = eventOf(condition, { state, context: about.context }, now);
  return event === undefined ? [] : [{ key: `${when} ${path} ${event}` }];
}

function severalLine(told: readonly Told[]): string {
  const waits = told.filter(({ session }) => session.state.state === 'waiting').length;
  if (waits === told.length) return t`${waits} sessions wait for you.`;
  return waits === 0
    ? t`${told.length} sessions have news.`
    : t`${told.length} sessions have news, ${waits} wait for you.`;
}

/**
 * What was told, and of which sessions nobody wants to hear, for all windows of a person: a file for each, which only one can
 * make.
 */
export class Claims {
  readonly #folder: string;
  #isReady: Promise<void> | undefined;

  /** `folder` is one of the application's own, absolute. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Whether this is the first to take an event. */
  async take(event: string): Promise<boolean> {
    return this.#make(`told-${nameOf(event)}`);
  }

  async mute(path: string): Promise<void> {
    await this.#make(`muted-${nameOf(path)}`);
  }

  async isMuted(path: string): Promise<boolean> {
    const found = await stat(join(this.#folder, `muted-${nameOf(path)}`)).catch(() => undefined);
    return found !== undefined;
  }

  async #make(name: string): Promise<boolean> {
    await (this.#isReady ??= this.#prepare());
    try {
      await writeFile(join(this.#folder, name), '', { flag: 'wx', mode: 0o600 });
      return true;
    } catch (error) {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Makes the folder, and forgets what was told long ago. */
  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const about = await stat(path).catch(() => undefined);
      // Another window may have removed it already.
      if (about && Date.now() - about.mtimeMs > REMEMBER_MS) await unlink(path).catch(() => undefined);
    }
  }
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
