import type { StatedSession } from '../../capture/discovery/stateFinder.js';
import { byNeed } from '../../capture/discovery/sessionState.js';
import type { Clock } from '../../core/clock.js';
import type { Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import type { ChatConnector } from '../../core/ports/chatConnector.js';
import type { Log } from '../../core/ports/log.js';
import { firstCodePoints, messageOf, preview } from '../../core/text.js';
import { delay, type Timers } from '../../core/timers.js';
import { RECORDINGS, toolHome } from '../../import/toolHomes.js';
import type { Settings } from '../ports/settings.js';
import { windowWords } from '../../query/numbers/quotas.js';
import { formatMoment } from '../text/format.js';
import { plain, type PlainText } from '../text/plainText.js';
import { stateText } from './stateWords.js';
import {
  eventsOf,
  isQuiet,
  severalLine,
  usedUp,
  watchSetting,
  type Action,
  type ChatPlatformId,
  type CostOf,
  type Holding,
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
/** How long after the first run here it may be watched, in milliseconds: what watches is loaded for it. */
const LOADING_MS = 5_000;
/** How long a notice waits for the terminal of its session, in milliseconds. */
const TERMINAL_MS = 1_000;
/** From which part of a budget on it is warned. */
const WARN_AT = 0.8;
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
export type Watched = Omit<StatedSession, 'tool'> & {
  readonly tool: StatedSession['tool'] | typeof OWN;
  /** The models that agents here have asked. */
  readonly models?: ReadonlySet<string>;
};

/** What is told. */
export interface Told {
  readonly rule: WatchRule;
  /** Of which session; undefined for what several have spent, and for one that is not live. */
  readonly session?: Watched;
  /** What is said in place of its state, where the rule is about something else. */
  readonly what?: string;
  /** The same as it may leave the machine, where that is less. */
  readonly outside?: string;
  /** The path of the session that may be muted, where that is not the one that is live. */
  readonly path?: string | undefined;
}

/** What was spent, by what has a budget. */
export interface Spent {
  readonly of: CostOf;
  /** What it is called: a day, a project, a model or the title of a session. */
  readonly name: string;
  readonly dollars: number;
  /** What tells apart what has one name; where it is left out, the name does. */
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
  notify(message: PlainText, buttons: readonly string[]): Promise<string | undefined>;
  /** Whether nobody looks at the window. */
  isAway(): boolean;
  /** Whether the person looks at a session at this moment. */
  isLookedAt(session: Watched): boolean;
  open(session: Watched): void;
  /** What shows the terminal of this window in which a session runs; undefined where that is none of its. */
  terminalOf(session: Watched): Promise<(() => void) | undefined>;
}

/** What was told, and of which sessions nobody wants to hear, for all windows of a person. */
export interface ToldToAll {
  /** Whether this is the first to take an event. */
  take(event: string): Promise<boolean>;
  mute(path: string): Promise<void>;
  isMuted(path: string): Promise<boolean>;
}

/** What a watch needs. */
export interface WatchOptions {
  readonly view: WatchView;
  readonly settings: Settings;
  readonly log: Log;
  readonly claims: ToldToAll;
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
  #began: number;
  readonly #told = new Set<string>();
  readonly #waiting = new Map<string, Told>();
  #setting = watchSetting({});
  #read: unknown;
  /** The tools whose sessions were looked at before: what was so then is not told. */
  readonly #looked = new Set<Watched['tool']>([OWN]);
  /** What runs here, or has. */
  #own: readonly Watched[] = [];
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
    this.#keepTime(now);
    const own = sessions.filter(({ tool }) => tool !== 'vscode-chat' && tool !== RECORDINGS);
    // Those that run here have a place of their own in the status bar.
    const waits = own.filter(
      ({ tool, state }) => tool !== OWN && state.isLive && state.state === 'waiting' && !state.isChild,
    );
    const holding = new Set<string>();
    const noted: Watched[] = [];
    for (const rule of this.#setting.rules)
      for (const session of own) {
        const events = holdingOf(rule, session, now);
        const isNoted =
          events.some(({ isOver }) => isOver !== true) && rule.actions.some(({ kind }) => kind === 'status');
        if (isNoted && session.tool !== OWN) noted.push(session);
        for (const event of events) {
          holding.add(event.key);
          this.#notice(event.key, { rule, session, ...event.said }, event.since);
        }
      }
    // What was said stays said, and what was spent is spent.
    for (const [key, { rule }] of Array.from(this.#waiting))
      if (!holding.has(key) && !isLasting(rule)) this.#waiting.delete(key);
    for (const { tool } of own) this.#looked.add(tool);
    this.#own = own.filter(({ tool }) => tool === OWN);
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

  /** Of a clock that was set back, what is to come is as far away as ever. */
  #keepTime(now: number): void {
    if (now < this.#began) this.#began = now;
    if (this.#nextAt > now + APART_MS) this.#nextAt = now + APART_MS;
    if (this.#spentAt > now) this.#spentAt = Number.NEGATIVE_INFINITY;
    if (this.#askedAt > now) this.#askedAt = now - QUESTIONS_MS;
  }

  /** Notes an event to be told, unless it was, is older than this watch, or somebody has seen it. */
  #notice(key: string, told: Told & { readonly session: Watched }, since?: number): void {
    if (!this.#isNew(key)) return;
    const { condition, actions } = told.rule;
    const { view } = this.#options;
    const { session } = told;
    const { tool } = session;
    const began = tool === OWN ? this.#began - LOADING_MS : this.#began;
    const isOld = (since ?? began) < began || (condition.kind !== 'state' && !this.#looked.has(tool));
    const isSeen = condition.kind === 'state' && condition.isAway && !view.isAway();
    // A limit is the person's, whatever session tells of it.
    const isLookedAt = condition.kind !== 'quota' && view.isLookedAt(session);
    if (isOld) return;
    // That runs here are held or stopped is not only told, so it waits for nothing.
    const [onRuns, others] = [actions.filter(isOnRuns), actions.filter((action) => !isOnRuns(action))];
    if (onRuns.length > 0 && !isSeen) void this.#act([{ ...told, rule: { ...told.rule, actions: onRuns } }]);
    // Whoever looks at a session need not be told of it.
    if (others.length > 0 && !isSeen && !isLookedAt)
      this.#waiting.set(key, { ...told, rule: { ...told.rule, actions: others } });
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
        const path = pathOf(told);
        if (path !== undefined && (await claims.isMuted(path))) continue;
        const actions = await this.#claimed(key, told.rule.actions);
        if (actions.length > 0) found.push({ ...told, rule: { ...told.rule, actions } });
      }
      if (found.length > 0 && !this.#isQuiet()) await this.#act(found);
      else {
        // Nobody was told, so that what comes next need not wait.
        this.#nextAt = time.now();
        this.#timer?.dispose();
        this.#timer = undefined;
        this.#tellSoon();
      }
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
      if (await claims.take(`${event} ${JSON.stringify(action)}`)) mine.push(action);
    }
    return mine;
  }

  /** What several rules want of the same events is done once for all of them. */
  async #act(found: readonly Told[]): Promise<void> {
    const byAction = new Map<string, { action: Action; told: Told[] }>();
    for (const told of found)
      for (const action of told.rule.actions) {
        const key = JSON.stringify(action);
        const known = byAction.get(key) ?? { action, told: [] };
        const isSame = (each: Told) => pathOf(each) === pathOf(told) && each.what === told.what;
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
        const news = told.filter(
          ({ session, rule }) =>
            rule.condition.kind !== 'state' || session?.tool !== OWN || session.state.state !== 'waiting',
        );
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
    const words = told.length === 1 ? hereLine(first) : severalLine(told);
    const [session, path] = [told.find((each) => each.session)?.session, pathOf(first)];
    try {
      const acts = new Map<string, () => void | Promise<void>>();
      if (session) acts.set(t`Open`, () => view.open(session));
      if (told.length === 1 && path !== undefined) {
        const show = session?.state.state === 'waiting' ? await this.#terminalOf(session) : undefined;
        if (show) acts.set(t`Answer in Its Terminal`, show);
        acts.set(t`Mute This Session`, () => claims.mute(path));
      }
      const pressed = await view.notify(plain(words), [...acts.keys()]);
      await acts.get(pressed ?? '')?.();
    } catch (error) {
      log.error('A notice could not be shown', error);
    }
  }

  /** What shows the terminal of a session, as far as that is told soon: a notice is shown without it. */
  async #terminalOf(session: Watched): Promise<(() => void) | undefined> {
    const { view, log, time } = this.#options;
    const asked = view.terminalOf(session).catch((error: unknown) => {
      log.warn(`The terminal of a session could not be told: ${messageOf(error)}`);
      return undefined;
    });
    return await Promise.race([asked, delay(time, TERMINAL_MS).then(() => undefined)]);
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
    const sessions = told.flatMap(({ session }) =>
      session
        ? [{ tool: session.tool, state: session.state.state, since: Math.round(session.state.since) }]
        : [],
    );
    const text = await this.#outside(told);
    // These are what chats show; no title of a session calls all that are in one.
    const shown = text.replaceAll(/<(?=[!@#])/g, '< ');
    return { v: 1, content: shown, text: shown, allowed_mentions: { parse: [] }, sessions };
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
    const rules = this.#setting.rules.filter(
      ({ condition: { kind } }) => kind === 'question' || kind === 'at',
    );
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
    for (const rule of rules) {
      const { condition } = rule;
      if (condition.kind !== 'question' && condition.kind !== 'at') continue;
      const asked = condition.kind === 'at' ? sessions.filter(isReadWhole) : sessions;
      if (asked.length === 0) continue;
      for (const { path, position, words } of await this.#options.found(condition.text, asked, since)) {
        const session = byPath.get(path);
        if (!session) continue;
        const what = whatOf(rule.when, words);
        this.#notice(`${rule.when} ${path} ${position}`, { rule, session, what, outside: rule.when });
      }
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
      .then((all) => {
        this.#tellSpent(all);
      })
      .catch((error: unknown) => log.warn(`What was spent is not known: ${messageOf(error)}`))
      .finally(() => (this.#isCounting = false));
  }

  #tellSpent(all: readonly Spent[]): void {
    const { stopRuns, pauseRuns, time } = this.#options;
    const { rules, says } = this.#setting;
    const day = new Date(time.now()).toDateString();
    for (const rule of rules) {
      const { condition, when, actions } = rule;
      if (condition.kind !== 'cost') continue;
      for (const spent of all.filter(({ of }) => of === condition.of)) {
        const { name, key = name, path, dollars } = spent;
        const share = dollars / condition.dollars;
        if (share < WARN_AT) continue;
        const isOver = share >= 1;
        const sentence = (what: string) =>
          t`${what}: $${dollars.toFixed(2)} of $${condition.dollars} are spent, ${Math.floor(share * 100)} %.`;
        const here = sentence(preview(name, MAX_TITLE));
        const runs = isOver ? this.#runsOf(spent) : [];
        // Once a run is stopped for it, the next that goes on is stopped, too; whoever let it go on knows of it.
        if (actions.some(({ kind }) => kind === 'stop')) runs.forEach(stopRuns);
        for (const run of actions.some(({ kind }) => kind === 'pause') ? runs : [])
          if (this.#isNew(JSON.stringify([when, key, day, run]))) pauseRuns(run, heldLine(when, here));
        const period = condition.of === 'session' ? '' : day;
        const event = `${when} ${key} ${period} ${isOver ? 100 : 80}`;
        const others = actions.filter((action) => !isOnRuns(action));
        if (others.length === 0 || !this.#isNew(event)) continue;
        const outside = sentence(says === 'state' ? condition.of : name);
        this.#waiting.set(event, { rule: { ...rule, actions: others }, what: here, outside, path });
      }
    }
    this.#tellSoon();
  }

  /** What runs here of what has a budget. */
  #runsOf({ of, name, key = name, conversation }: Spent): readonly string[] {
    if (of === 'session') return conversation === undefined ? [] : [conversation];
    return this.#own.flatMap(({ path, about, models }) =>
      of === 'today' || (of === 'project' ? about.workspace === name : models?.has(key)) ? [path] : [],
    );
  }

  /** Whether an event is none of those that were told of last; from now on it is. */
  #isNew(event: string): boolean {
    const isNew = !this.#told.delete(event);
    // Those that hold no more are forgotten first.
    this.#told.add(event);
    const [oldest] = this.#told;
    if (this.#told.size > MAX_TOLD && oldest !== undefined) this.#told.delete(oldest);
    return isNew;
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

/** Whether the ends of a session's file tell no calls, so that only whoever reads all of it finds them. */
function isReadWhole({ tool }: Watched): boolean {
  return tool !== OWN && toolHome(tool).tellsCalls !== true;
}

/** Whether a rule is about what stays so once it is. */
function isLasting({ condition: { kind } }: WatchRule): boolean {
  return kind === 'question' || kind === 'at' || kind === 'cost';
}

/** Why a run is held. */
function heldLine(when: string, line: string): string {
  return t`Your rule “${when}” holds the run. ${line}`;
}

/** Whether what is told is about what runs here: about a run, or about the person's limit, which all runs use up. */
function isAboutRuns({ session, rule }: Told): boolean {
  return session?.tool === OWN || rule.condition.kind === 'quota';
}

/** The conversation that it is about; undefined for all. */
function runOf({ session, rule }: Told): string | undefined {
  return rule.condition.kind === 'quota' ? undefined : session?.path;
}

/** The path of the session that it is about. */
function pathOf({ session, path }: Told): string | undefined {
  return session?.path ?? path;
}

/** What is told in a line at the window. */
function hereLine({ session, what }: Told): string {
  if (!session) return what ?? '';
  const { about, state } = session;
  const words = what === undefined ? preview(state.words ?? '', MAX_WORDS) : '';
  return lineOf(session, preview(about.title, MAX_TITLE), [what ?? doingOf(session), words]);
}

/** The same as it may leave the machine, whole: it is cleaned before it is cut. An excerpt may begin within a secret, and stays. */
function outsideLine({ session, what, outside = what }: Told, says: Says): string {
  if (!session) return outside ?? '';
  const { about, state } = session;
  const title = says === 'state' ? '' : about.title;
  if (outside !== undefined) return lineOf(session, title, [outside]);
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
function holdingOf(
  { condition, when }: WatchRule,
  { tool, path, about, state }: Watched,
  now: number,
): readonly (Omit<Holding, 'what'> & { readonly said: Pick<Told, 'what' | 'outside'> })[] {
  if (condition.kind === 'quota')
    return usedUp(condition.percent, about.quotas, now).map(({ limit, minutes, percent, resetsAt }) => ({
      key: [when, tool, limit, minutes, resetsAt].join(' '),
      said: {
        what: t`${Math.round(percent)} % of its limit of ${windowWords(minutes)} are used, until ${formatMoment(resetsAt)}.`,
      },
    }));
  const asked = { state, context: about.context, life: about.life };
  return eventsOf(condition, asked, now).map(({ what, ...event }) => ({
    ...event,
    key: `${when} ${path} ${event.key}`,
    said: what === undefined ? {} : { what: whatOf(when, what), outside: when },
  }));
}

/** What is told of something in a session: the rule, and an excerpt. */
function whatOf(when: string, words: string): string {
  return t`${when}: ${preview(words, MAX_WORDS)}`;
}
