import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { knownAmount, NO_COST } from '../../core/cost.js';
import { errorCode } from '../../core/errorCode.js';
import type { Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { inDollars } from '../../core/money.js';
import type { Log } from '../../core/ports/log.js';
import { firstCodePoints, messageOf, preview } from '../../core/text.js';
import { systemTimers } from '../../core/timers.js';
import { visibleLine } from '../../core/visibleText.js';
import type { SearchEngine } from '../../page/panel/search/searchSession.js';
import type { SearchGroup, SearchUpdate, SessionLocation } from '../../page/protocol/search.js';
import type { Host } from '../ports/host.js';
import type { SharingPolicy, SharingRules } from '../../export/sharing/sharingPolicy.js';
import type { Memory, Settings } from '../ports/settings.js';
import { plain } from '../text/plainText.js';
import type { SessionDiscovery } from './sessionDiscovery.js';
import { projectOfStore, type OwnRuns } from './ownRuns.js';
import {
  OWN,
  Watch,
  type FoundNow,
  type Spent,
  type Told,
  type ToldToAll,
  type Watched,
  type WatchOptions,
  type WatchView,
} from './watch.js';
import type { CostOf } from './watchRules.js';

/** Under which key the lines are kept that a person has approved, by their hashes. */
const APPROVED = 'watch.commands';
/** How long a command, or an address, may take, in milliseconds. */
const COMMAND_MS = 30_000;
const ADDRESS_MS = 10_000;
/** How long a command may be, in characters as they are shown: a person who is asked sees all of it. */
const MAX_LINE = 300;
/** How much of the rule is shown with it, and of titles told to it, in code points. */
const MAX_WHEN = 100;
const MAX_TITLE = 200;
/** How much of the sessions a command is told, in bytes: systems start none with much more in one variable. */
const MAX_TOLD_BYTES = 24_000;
/** How many sessions, projects and models are asked what they cost. */
const MAX_SPENT = 2_000;
/** How many matches of a session are looked at between two questions of a rule. */
const MAX_NEW = 200;

/** How long it is remembered what was told, in milliseconds. */
const REMEMBER_MS = 7 * 24 * 60 * 60_000;

/** What watching the sessions of a window needs. */
export interface OpenWatchOptions extends Host {
  readonly discovery: SessionDiscovery;
  readonly own: OwnRuns;
  readonly view: WatchView;
  readonly log: Log;
  /** The application's own folder for all that this person has on this machine, absolute. */
  readonly storage: string;
  readonly memory: Memory;
  readonly engine: () => Promise<SearchEngine>;
  readonly chatOf: WatchOptions['chatOf'];
  readonly stopRuns: WatchOptions['stopRuns'];
  /** What leaves this machine of a text: never a secret. */
  readonly shared: (text: string) => Promise<string>;
}

/** What leaves out secrets of a text; loaded when the first one leaves. */
type Redaction = () => Promise<{
  readonly sharedText: (text: string, rules: SharingRules) => { readonly text: string };
  readonly sharingPolicyOf: (settings: Settings) => SharingPolicy;
  readonly sharingRules: (policy: SharingPolicy) => Promise<SharingRules>;
}>;

/** What leaves this machine of texts, by what the person has settled. */
export function sharedTexts(settings: Settings, redaction: Redaction): OpenWatchOptions['shared'] {
  return async (text) => {
    const { sharedText, sharingPolicyOf, sharingRules } = await redaction();
    return sharedText(text, await sharingRules(sharingPolicyOf(settings))).text;
  };
}

/** Watches the sessions of the tools that the person allowed, until what is given is disposed. */
export function openWatch(options: OpenWatchOptions): Disposable {
  const { discovery, own, view, settings, log, storage, stopRuns } = options;
  const began = Date.now();
  const asked: LineAnswers = new Map();
  const watch = new Watch({
    view,
    settings,
    log,
    claims: new Claims(join(storage, 'watch')),
    shared: options.shared,
    send,
    chatOf: options.chatOf,
    run: (line, told) => runApproved(options, asked, line, told),
    spent: (of) => spentOf(options, of),
    found: (text, sessions, since) => foundSince(options, { text, sessions, since }),
    stopRuns,
    pauseRuns: (conversation, why) => own.hold(conversation, why),
    time: { now: () => Date.now(), after: (ms, act) => systemTimers.after(ms, act) },
  });
  const take = () => watch.take([...discovery.states.values(), ...ownSince(own, began)]);
  const parts = [discovery.onDidLook(take), own.follow(take), discovery.watch(), watch];
  return {
    dispose() {
      for (const part of parts) part.dispose();
    },
  };
}

/** What runs here, and what has since a time. */
function ownSince(own: OwnRuns, began: number): Watched[] {
  return own
    .entries()
    .filter(
      ({ recordedHere, state, endedAt }) =>
        recordedHere && (state === 'running' || state === 'waiting' || endedAt >= began),
    )
    .map((entry) => own.session(entry));
}

/** Sends to an address of the person's; an answer that is no success is an error. */
async function send(address: string, body: object): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(ADDRESS_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(t`${new URL(address).host} answered ${response.status}.`);
}

/** Whether lines may run that a person was asked about, by their hashes: in a window one is asked about once. */
type LineAnswers = Map<string, Promise<boolean>>;

/** Whether a line may run: a person has approved it on this machine, or approves it now. */
async function isApproved(
  { memory, dialogs }: OpenWatchOptions,
  line: string,
  when: string,
): Promise<boolean> {
  const hash = lineHash(line);
  const approved = () => {
    const kept = memory.get(APPROVED);
    return Array.isArray(kept) ? (kept as unknown[]) : [];
  };
  if (approved().includes(hash)) return true;
  const allow = t`Allow`;
  const question = plain(
    t`A rule of yours runs a command whenever “${preview(when, MAX_WHEN)}” holds: ${line}`,
    3 * MAX_LINE,
  );
  if ((await dialogs.showWarning(question, allow, t`Not Now`)) !== allow) return false;
  await memory.update(APPROVED, [...approved(), hash]);
  return true;
}

function lineHash(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Runs a line that a person has approved. What is told stands in its environment, so no shell reads it. */
async function runApproved(
  options: OpenWatchOptions,
  asked: LineAnswers,
  line: string,
  told: readonly Told[],
): Promise<void> {
  const { workspace, log } = options;
  if (!workspace.isTrusted) return;
  // Blanks are folded where it is shown, and what is invisible is written out.
  if (Math.max(line.length, visibleLine(line).length) > MAX_LINE)
    throw new Error(
      t`A command may be ${MAX_LINE} characters long, so that you see all of what you allow; put more into a script: ${preview(line, MAX_WHEN)}`,
    );
  const hash = lineHash(line);
  const answer = asked.get(hash) ?? isApproved(options, line, told[0]?.rule.when ?? '');
  asked.set(hash, answer);
  if (!(await answer)) return;
  await new Promise<void>((resolve, reject) => {
    const child = spawn(line, {
      shell: true,
      stdio: 'ignore',
      timeout: COMMAND_MS,
      env: { ...process.env, ...environmentOf(told, process.platform) },
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code !== 0) log.warn(`A command of agentLogbook.watch ended with ${code ?? signal}: ${line}`);
      resolve();
    });
  }).catch((error: unknown) => {
    throw new Error(t`A command could not be started: ${messageOf(error)}: ${line}`);
  });
}

/**
 * What a command is told. The shell of Windows reads what stands in a variable as if it stood in the line, so nothing is left there
 * that it acts on.
 */
export function environmentOf(
  told: readonly Pick<Told, 'session'>[],
  platform: NodeJS.Platform,
): Readonly<Record<string, string>> {
  const acts = platform === 'win32' ? /[\p{Cc}"%&|<>^!]/gu : /\0/g;
  const all = told.flatMap(({ session }) => {
    if (!session) return [];
    const { tool, about, state } = session;
    const title = firstCodePoints(about.title, MAX_TITLE).replaceAll(acts, ' ');
    return [{ tool, title, state: state.state, since: Math.round(state.since) }];
  });
  let bytes = 0;
  const sessions = all.filter(
    (each) => (bytes += Buffer.byteLength(JSON.stringify(each)) + 1) <= MAX_TOLD_BYTES,
  );
  return {
    AGENT_LOGBOOK_STATE: all[0]?.state ?? '',
    AGENT_LOGBOOK_TITLE: all[0]?.title ?? '',
    AGENT_LOGBOOK_SESSIONS: JSON.stringify(sessions),
    AGENT_LOGBOOK_MORE: String(all.length - sessions.length),
  };
}

/** The last of each file that matches a question since a time. */
async function foundSince(
  { engine, own }: OpenWatchOptions,
  { text, sessions, since }: { text: string; sessions: readonly Watched[]; since: number },
): Promise<readonly FoundNow[]> {
  const places = await Promise.all(
    sessions.map(async ({ path, tool }): Promise<SessionLocation> =>
      tool === OWN
        ? { kind: 'stored', root: await own.rootOf(path), conversation: path }
        : { kind: 'file', root: path, conversation: '0' },
    ),
  );
  const question = `(${text}) since:${new Date(since).toISOString()}`;
  const answer = await answerOf(await engine(), question, places, MAX_NEW);
  if (!answer) throw new Error(t`The search ended without an answer.`);
  return answer.groups.flatMap(({ place, hits }) => {
    const last = hits.at(-1);
    const path = place.kind === 'stored' ? place.conversation : place.root;
    return last ? [{ path, position: last.position, words: last.excerpt.text }] : [];
  });
}

/** What was spent today, and on what, by the one index of requests; and what the sessions of today cost as a whole. */
async function spentOf({ engine }: OpenWatchOptions, of: ReadonlySet<CostOf>): Promise<readonly Spent[]> {
  const asked = await engine();
  const today = await answerOf(asked, 'since:today');
  if (!today) throw new Error(t`The search ended without an answer.`);
  const { totals, facets } = today.update;
  const dollarsOf = (cost = NO_COST) => inDollars(knownAmount(cost));
  const valuesOf = (field: 'project' | 'model') => facets.find((each) => each.field === field)?.values ?? [];
  // What runs here says nothing of its project: that is the folder in which it is kept.
  const projects = new Map(valuesOf('project').map(({ value, cost }) => [value, dollarsOf(cost)]));
  for (const { place, project, cost } of today.groups) {
    const own = place.kind === 'stored' && project === undefined ? projectOfStore(place.root) : undefined;
    if (own !== undefined) projects.set(own, (projects.get(own) ?? 0) + dollarsOf(cost));
  }
  const places = today.groups.map(({ place }) => place);
  const sessions = of.has('session') && places.length > 0 ? await answerOf(asked, '', places) : undefined;
  return [
    { of: 'today', name: t`Today`, dollars: dollarsOf(totals.cost) },
    ...Array.from(projects, ([name, dollars]) => ({ of: 'project' as const, name, dollars })),
    ...valuesOf('model').map(({ value, name = value, cost }) => ({
      of: 'model' as const,
      name,
      key: value,
      dollars: dollarsOf(cost),
    })),
    ...(sessions?.groups ?? []).map(({ place, title, cost }) => ({
      of: 'session' as const,
      name: title,
      key: `${place.root} ${place.conversation}`,
      ...(place.kind === 'file' && { path: place.root }),
      dollars: dollarsOf(cost),
      ...(place.kind === 'stored' && { conversation: place.conversation }),
    })),
  ];
}

/** The whole answer to a question about what was spent; undefined where it could not be answered. */
export async function answerOf(
  engine: SearchEngine,
  text: string,
  only?: readonly SearchGroup['place'][],
  hitsOfSession = 0,
): Promise<{ update: SearchUpdate; groups: readonly SearchGroup[] } | undefined> {
  const groups: SearchGroup[] = [];
  let last: SearchUpdate | undefined;
  const question = {
    text,
    rows: 'records',
    now: Date.now(),
    timeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    order: 'newest',
    limits: { sessions: MAX_SPENT, hitsOfSession, costliest: MAX_SPENT },
    ...(only && { only }),
  } as const;
  for await (const update of engine.ask(question, new AbortController().signal)) {
    for (const group of update.groups) groups.push(group);
    last = update;
  }
  return last?.state === 'done' ? { update: last, groups } : undefined;
}

/**
 * What was told, and of which sessions nobody wants to hear, for all windows of a person: a file for each, which only one can
 * make.
 */
export class Claims implements ToldToAll {
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
