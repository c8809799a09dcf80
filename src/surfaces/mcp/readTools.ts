import { Quotas } from '../../query/numbers/quotas.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import { costShape } from '../../export/costShape.js';
import type { NamedSession } from '../../app/stores/namedSessions.js';
import { UserError } from '../../app/userError.js';
import { addCosts, NO_COST } from '../../core/cost.js';
import { WastedSums } from '../../query/numbers/detours.js';
import type { CatalogEntry, Transcript } from '../../core/ports/transcript.js';
import { loadPrices } from '../../query/pricing/loadPrices.js';
import { FIELDS } from '../../query/language/fields.js';
import { planQuery } from '../../query/language/plan.js';
import { problemWords } from '../../query/language/problemWords.js';
import { ROW_KINDS } from '../../query/language/syntax.js';
import { Asking, hitsAt } from '../../search/asking.js';
import { Excerpts } from '../../search/excerpts.js';
import { markedPrices } from '../../search/markedPrices.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import {
  COST_ANSWER,
  FOUND_SESSIONS,
  LISTED_SESSIONS,
  MESSAGES,
  OVERVIEW,
  TOOL_CALL,
} from './answerSchemas.js';
import { Cursors, fitted, Page, roomOf } from './page.js';
import { blameTool } from './blameTool.js';
import { compareTool } from './compareTool.js';
import { liveTool } from './liveTool.js';
import { emptyHint, whatEachFinds } from './emptyAnswer.js';
import { EXAMPLES } from './explained.js';
import { failuresIn, failureShape, troubleShape } from './failuresIn.js';
import type { McpLibrary } from './library.js';
import { costOfMessage, decisionIn, messageShape, outcomeShape } from './messageShape.js';
import { NotRead } from './notRead.js';
import {
  DamageBetween,
  MAX_TEXT,
  QUOTED,
  shownId,
  shownName,
  shownText,
  shownTime,
  stateOf,
  isMeant,
} from './shown.js';
import { boolean, choice, text, whole, type ReadTool } from './readTool.js';
import { callsOf, rawArgumentsOf } from '../../query/numbers/toolCalls.js';
import { textOf } from '../../core/message.js';

/** The most agents, tools or models of a list in an overview. */
const MAX_LISTED = 50;
/** The most models whose costs are told apart. */
const MAX_MODELS = 200;
/** The most agents or tools that are named with a session or a hit. */
const MAX_NAMED = 20;
/** How many hits of a session a search tells. */
const HITS = 3;

const SESSION = text('The "session" of a result of list_sessions or search_sessions.');
const CURSOR = text('The "next_cursor" of the page before, for the page behind it.');
const MAX_TOKENS = whole(
  'About so many tokens at most; the rest is on the next page. 20,000 where nothing else is said.',
  500,
  100_000,
);
const MAX_WHOLE_TOKENS = whole(
  'About so many tokens at most; lists and texts are shortened for that, which is said. 20,000 where nothing else is said.',
  500,
  100_000,
);
const INCLUDE_ACTIVE = boolean(
  'Also sessions in which something was said in the last 10 minutes; one of them may be this conversation.',
);

/** The tools of the server: all of them read, none of them changes anything. */
export const readTools: readonly ReadTool[] = [
  {
    name: 'search_sessions',
    title: 'Search recorded agent sessions',
    description: `Finds recorded agent sessions in which a question matches, with the first matches of each. A question is words, "exact phrases", /patterns/ and fields side by side, all of which must hold; a leading - negates, (a OR b) is either. All fields: ${FIELDS.map(({ example }) => example).join(', ')}. Examples: ${EXAMPLES.map(([each]) => each).join('; ')}.`,
    properties: {
      question: text('What is looked for, such as: is:error tool:Bash since:7d'),
      rows: choice('What is asked for; messages where nothing else is said.', ROW_KINDS),
      limit: whole('At most so many sessions; 10 where nothing else is said.', 1, 50),
      max_tokens: MAX_TOKENS,
      include_active: INCLUDE_ACTIVE,
      cursor: CURSOR,
    },
    required: ['question'],
    answer: FOUND_SESSIONS,
    run: searchSessions,
  },
  {
    name: 'list_sessions',
    title: 'List recorded agent sessions',
    description:
      'Lists recorded agent sessions, the newest first, with title, agents, state, messages and tokens.',
    properties: {
      limit: whole('At most so many sessions; 20 where nothing else is said.', 1, 100),
      max_tokens: MAX_TOKENS,
      include_active: INCLUDE_ACTIVE,
      cursor: CURSOR,
    },
    required: [],
    answer: LISTED_SESSIONS,
    run: listSessions,
  },
  {
    name: 'get_session_overview',
    title: 'Overview of a session',
    description:
      'Tells what a session is as a whole: agents, models, tools with their failures, tokens, cost, who approved, and the first failures with their words and what was decided about them. Call it before get_messages.',
    properties: { session: SESSION, max_tokens: MAX_WHOLE_TOKENS },
    required: ['session'],
    answer: OVERVIEW,
    run: overview,
  },
  {
    name: 'get_messages',
    title: 'Messages of a session',
    description:
      'Reads messages of a session in order, 2,000 characters of each: what is left out of its text, of the arguments of a call or of its calls is said as "cut n of m". get_tool_call reads on in arguments and results.',
    properties: {
      session: SESSION,
      from_position: whole('The "position" to begin with; 0 is the first.', 0, Number.MAX_SAFE_INTEGER),
      limit: whole('At most so many messages; 20 where nothing else is said.', 1, 100),
      max_tokens: MAX_TOKENS,
      cursor: CURSOR,
    },
    required: ['session'],
    answer: MESSAGES,
    run: messages,
  },
  {
    name: 'get_tool_call',
    title: 'A tool call with its result',
    description:
      'Reads one tool call: its arguments and its result, 2,000 characters of each from an offset on.',
    properties: {
      session: SESSION,
      id: text('The "id" of a tool call, as get_messages tells it.'),
      offset: whole('From which character on; 0 is the first.', 0, Number.MAX_SAFE_INTEGER),
      max_tokens: MAX_WHOLE_TOKENS,
    },
    required: ['session', 'id'],
    answer: TOOL_CALL,
    run: toolCall,
  },
  {
    name: 'get_cost',
    title: 'What sessions cost',
    description:
      'Tells what a session, or all of them together, cost in dollars by model, and how that is known: exact, priced, estimated or unknown. Unknown is never zero.',
    properties: { session: SESSION, include_active: INCLUDE_ACTIVE, max_tokens: MAX_WHOLE_TOKENS },
    required: [],
    answer: COST_ANSWER,
    run: cost,
  },
  compareTool,
  liveTool,
  blameTool,
];

type Args = Parameters<ReadTool['run']>[1];

/** What is listed of a session; `size` is as in `fitted`. */
function about({ id }: NamedSession, entry: CatalogEntry, size = 1): object {
  const { title, source, project, agents, startedAt, endedAt, messages: count, runs, damaged } = entry;
  return {
    session: shownId(id),
    title: shownName(title, size),
    ...(source !== undefined && { source: shownName(source, size) }),
    ...(project !== undefined && { project: shownName(project, size) }),
    agents: named(agents, size),
    state: stateOf(entry),
    ...shownTime('startedAt', startedAt),
    ...shownTime('endedAt', endedAt),
    messages: count,
    runs,
    damaged,
  };
}

/** The same with its tokens as one number. */
function listed(session: NamedSession, entry: CatalogEntry, size: number): object {
  const { tokens, tokensEstimated: tokens_estimated } = entry;
  return { ...about(session, entry, size), tokens, tokens_estimated };
}

function named(names: readonly string[], size: number): string[] {
  return names.slice(0, Math.floor(MAX_NAMED * size)).map((name) => shownName(name, size));
}

async function listSessions(library: McpLibrary, args: Args): Promise<object> {
  const cursors = new Cursors('list_sessions', args.has('include_active'));
  const from = cursors.offset(args.text('cursor'));
  const page = new Page(library, args, 20);
  const notRead = new NotRead();
  let at = 0;
  for await (const { session, entry } of library.sessions(args.has('include_active'), notRead)) {
    if (at >= from && !page.add((size) => listed(session, entry, size)))
      return { recorded: QUOTED, sessions: page.all, ...page.told(notRead), next_cursor: cursors.at(at) };
    at++;
  }
  return { recorded: QUOTED, sessions: page.all, ...emptyHint(at, notRead), ...page.told(notRead) };
}

async function searchSessions(library: McpLibrary, args: Args): Promise<object> {
  const question = args.text('question') ?? '';
  const rows = ROW_KINDS.find((kind) => kind === args.text('rows')) ?? 'messages';
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const planned = planQuery(question, { rows, now: library.now(), timeZone });
  if (!planned.ok) throw new UserError(problemWords(question, planned.problems));
  const asking = new Asking(planned.plan, await markedPrices(''), 'not told');
  const excerpts = new Excerpts(planned.plan);
  const cursors = new Cursors('search_sessions', question, rows, args.has('include_active'));
  const from = cursors.offset(args.text('cursor'));
  const page = new Page(library, args, 10);
  const notRead = new NotRead();
  let at = 0;
  for await (const { session, entry } of library.sessions(args.has('include_active'), notRead, 'counted')) {
    const answer = await library.attempt(notRead, session.id, async () =>
      asking.ask(session.session, library.signal),
    );
    if (answer?.problem) notRead.add({ source: session.id, why: answer.problem.message });
    if (answer && answer.damaged > 0) notRead.add({ source: session.id, why: damageWords(answer.damaged) });
    if (!answer || answer.indexes.length === 0) continue;
    if (at++ < from) continue;
    const rest = () => ({ ...page.told(notRead), next_cursor: cursors.at(at - 1) });
    if (page.isFull) return { recorded: QUOTED, sessions: page.all, ...rest() };
    const clean = <T>(record: T) => library.clean(record);
    const hits = await hitsAt(answer, answer.indexes.slice(0, HITS), { text: question, excerpts, clean });
    const isTaken = page.add((size) => ({
      ...listed(session, entry, size),
      matches: answer.indexes.length,
      first: hits
        .slice(0, Math.ceil(HITS * size))
        .map(({ position, role, agent, tools, id, isError, time, excerpt }) => ({
          position,
          isError,
          ...shownTime('time', time),
          tools: named(tools, size),
          ...(role !== undefined && { role: shownName(role, size) }),
          ...(agent !== undefined && { agent: shownName(agent, size) }),
          ...(id !== undefined && { id: shownId(id) }),
          ...(rows !== 'agentCalls' && rows !== 'runs' && rows !== 'sessions' && alsoIn(session, position)),
          text: shownText(excerpt.text, Math.floor(MAX_TEXT * size)).text,
        })),
    }));
    if (!isTaken) return { recorded: QUOTED, sessions: page.all, ...rest() };
  }
  const tried =
    at === 0 ? await whatEachFinds(library, question, rows, args.has('include_active')) : undefined;
  return {
    recorded: QUOTED,
    sessions: page.all,
    ...emptyHint(at, notRead, tried?.words),
    ...(tried && tried.nearest.length > 0 && { nearest: tried.nearest }),
    ...page.told(notRead),
  };
}

/** Where else a row stands; nothing where that is nowhere. */
function alsoIn(session: NamedSession, position: number): { also_in?: string[] } {
  const others = session.alsoIn?.(position) ?? [];
  return others.length > 0 ? { also_in: others.slice(0, HITS).map(shownId) } : {};
}

/** What is said of a session of which places cannot be read. */
function damageWords(places: number): string {
  return `${places} of its lines cannot be read; nothing is found in them.`;
}

async function overview(library: McpLibrary, args: Args): Promise<object> {
  return library.withSession(args.text('session') ?? '', async (session, entry) => {
    const totals = await library.totals(session, await markedPrices(''));
    const { statistics, tools, turns, turnCount, durationMs, trouble, records, damaged, approvals } = totals;
    const { byAgent, byModel, errors, states, spanMs, activeMs, toolCalls, tokens, runs } = statistics;
    const failures =
      errors === 0
        ? []
        : await library.withTranscript(session, (transcript) => failuresIn(library, transcript));
    return fitted(library, roomOf(args), (size) => {
      const most = Math.floor(MAX_LISTED * size);
      const name = (whole: string) => shownName(whole, size);
      const left_out = leftOut({
        by_agent: byAgent.length - most,
        by_model: byModel.length - most,
        tools: tools.length - most,
        prompts: turnCount - Math.min(turns.length, most),
      });
      return {
        recorded: QUOTED,
        ...about(session, entry, size),
        damaged,
        approvals: {
          approved: approvals.approved,
          denied: approvals.denied,
          by_decider: approvals.byDecider
            .slice(0, Math.max(1, most))
            .map((each) => ({ ...each, decidedBy: name(each.decidedBy) })),
        },
        runs,
        records,
        durationMs,
        spanMs,
        activeMs,
        turns: turnCount,
        toolCalls,
        errors,
        states,
        tokens,
        cost: costShape(statistics.cost),
        by_agent: byAgent
          .slice(0, most)
          .map((each) => ({ name: name(each.name), messages: each.messages, tokens: each.tokens })),
        by_model: byModel
          .slice(0, most)
          .map((each) => ({ name: name(each.name), requests: each.requests, failures: each.failures })),
        tools: tools
          .slice(0, most)
          .map(({ tool, calls, failures, states }) => ({ tool: name(tool), calls, failures, states })),
        prompts: turns
          .slice(0, most)
          .map(({ position, errors: failed, state }) => ({ position, errors: failed, state })),
        ...(failures.length > 0 && {
          failures: failures
            .slice(0, Math.ceil(failures.length * size))
            .map((each) => failureShape(each, size)),
        }),
        ...(trouble && { first_trouble: troubleShape(trouble, size) }),
        ...(left_out && { left_out }),
      };
    });
  });
}

/** How much of each list is left out; undefined where nothing is. */
function leftOut(counts: Readonly<Record<string, number>>): object | undefined {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.length > 0 ? Object.fromEntries(some) : undefined;
}

async function messages(library: McpLibrary, args: Args): Promise<object> {
  return library.withSession(args.text('session') ?? '', async (session) =>
    library.withTranscript(session, async (transcript) => {
      const cursor = args.text('cursor');
      const cursors = new Cursors('get_messages', session.id);
      const from = cursor === undefined ? (args.number('from_position') ?? 0) : cursors.offset(cursor);
      if (from > transcript.length)
        throw new UserError(
          `from_position must be at most ${transcript.length}, as many records as this session has, not ${from}. Write {"from_position":0} for its beginning.`,
        );
      const page = new Page(library, args, 20);
      const prices = await loadPrices();
      const decided = new Map<string, object>();
      const whole = () => ({
        recorded: QUOTED,
        session: shownId(session.id),
        damaged: transcript.damaged.length,
        messages: page.all,
      });
      const damages = new DamageBetween(transcript, from);
      // What is damaged is told with the message behind it, so that a page goes on behind the last message.
      let behind = from;
      for (let at = from; at < transcript.length; at++) {
        const [record] = await transcript.read(at, at + 1);
        if (record?.type !== 'message') {
          if (!record) continue;
          const clean = library.clean(record);
          damages.look(clean);
          const decision = decisionIn(clean);
          if (decision) decided.set(decision.of, decision.shape);
          continue;
        }
        if (page.isFull) return { ...whole(), next_cursor: cursors.at(behind) };
        const clean = library.clean((await restoreTexts(record, transcript)).record);
        const damage = damages.before(at);
        const answers = messageIn(clean)?.tool_call_id;
        const decision = typeof answers === 'string' ? decided.get(answers) : undefined;
        const besides = { ...costOfMessage(record, prices), ...(decision && { approval: decision }) };
        if (
          !page.add((size) => ({
            ...messageShape(at, clean, size, besides),
            ...damage('damage_before', size),
          }))
        )
          return { ...whole(), next_cursor: cursors.at(behind) };
        behind = at + 1;
      }
      const damage = damages.before(Infinity);
      return { ...whole(), ...page.besides((size) => damage('damage_behind', size)) };
    }),
  );
}

async function toolCall(library: McpLibrary, args: Args): Promise<object> {
  const wanted = args.text('id') ?? '';
  const offset = args.number('offset') ?? 0;
  return library.withSession(args.text('session') ?? '', async (session) =>
    library.withTranscript(session, async (transcript) => {
      const found = await callIn(library, transcript, wanted);
      if (!found)
        throw new UserError(
          `The session has no tool call ${shownId(wanted)}. Use an "id" of tool_calls in get_messages.`,
        );
      const { position, tool, input, result } = found;
      return fitted(library, roomOf(args), (size) => {
        const shown = (text: string) => shownText(text, Math.floor(MAX_TEXT * size), offset);
        return {
          recorded: QUOTED,
          session: shownId(session.id),
          id: shownId(found.id),
          position,
          ...found.about,
          ...(tool !== undefined && { tool: shownName(tool, size) }),
          arguments: shown(input),
          ...(result && { result: { ...result, ...shown(result.text) } }),
        };
      });
    }),
  );
}

async function cost(library: McpLibrary, args: Args): Promise<object> {
  const id = args.text('session');
  const prices = await markedPrices('');
  const byModel = new Map<string, typeof NO_COST>();
  const priceRows = new Map<string, Set<string>>();
  const notRead = new NotRead();
  let [total, delegated, sessions, damaged] = [NO_COST, NO_COST, 0, 0];
  const wasted = new WastedSums();
  const quotas = new Quotas();
  const add = async (session: NamedSession) => {
    const { statistics, ...told } = await library.totals(session, prices);
    wasted.add(session.id, told.wasted);
    for (const each of told.quotas) quotas.take(each);
    total = addCosts(total, statistics.cost);
    delegated = addCosts(delegated, statistics.delegated);
    sessions++;
    damaged += told.damaged;
    for (const each of statistics.byModel) {
      byModel.set(each.name, addCosts(byModel.get(each.name) ?? NO_COST, each.cost));
      priceRows.set(each.name, new Set([...(priceRows.get(each.name) ?? []), ...each.priceRows]));
    }
  };
  const ahead = (session: NamedSession) => library.totals(session, prices);
  if (id !== undefined) await library.withSession(id, add);
  else
    for await (const { session } of library.sessions(args.has('include_active'), notRead, 'counted', ahead))
      await library.attempt(notRead, session.id, () => add(session));
  return fitted(library, roomOf(args), (size) => {
    const most = Math.floor(MAX_MODELS * size);
    const left_out = leftOut({ by_model: byModel.size - most });
    return {
      sessions,
      damaged,
      ...costShape(total),
      delegated: costShape(delegated),
      wasted: wasted.list().map(({ cost: spent, ...told }) => ({ ...told, ...costShape(spent) })),
      by_model: [...byModel].slice(0, most).map(([model, spent]) => ({
        model: shownName(model, size),
        ...costShape(spent),
        price_rows: [...(priceRows.get(model) ?? [])].map((row) => shownName(row, size)),
      })),
      limits: quotas.list.map(({ limit, minutes, usedPercent, at, resetsAt }) => ({
        limit: shownName(limit, size),
        minutes,
        used_percent: usedPercent,
        ...shownTime('at', at),
        ...shownTime('resetsAt', resetsAt),
      })),
      prices: shownName(prices.prices.version, size),
      ...notRead.told(library, (roomOf(args) * size) / 4),
      ...(left_out && { left_out }),
    };
  });
}

/** A tool call as it was recorded, without secrets. */
interface CallMatch {
  readonly id: string;
  readonly position: number;
  readonly tool: string | undefined;
  readonly input: string;
  /** Who made it, when, what that cost and what was decided, as it is told. */
  readonly about: object;
  readonly result?: { readonly position: number; readonly text: string; readonly isError: boolean };
}

/** The call with an id, its decision and its result; undefined where the transcript has none. */
async function callIn(
  library: McpLibrary,
  transcript: Transcript,
  wanted: string,
): Promise<CallMatch | undefined> {
  let made: CallMatch | undefined;
  const prices = await loadPrices();
  for (let from = 0; from < transcript.length; from += 200) {
    library.signal.throwIfAborted();
    for (const [at, record] of (await transcript.read(from, from + 200)).entries()) {
      const decision = made && decisionIn(library.clean(record));
      if (made && decision && isMeant(wanted, decision.of))
        made = { ...made, about: { ...made.about, approval: decision.shape } };
      const message = messageIn(record);
      if (!message) continue;
      const order = callsOf(message).findIndex(({ id }) => isMeant(wanted, id));
      const { tool_call_id: answered } = message;
      const isResult = made !== undefined && typeof answered === 'string' && isMeant(wanted, answered);
      if (order < 0 && !isResult) continue;
      const whole = messageIn(library.clean((await restoreTexts(record, transcript)).record)) ?? {};
      const position = from + at;
      if (made && isResult) {
        const isError = (record as { isError?: unknown }).isError === true;
        const outcome = { ...shownTime('time', record.time), ...outcomeShape(record) };
        return { ...made, result: { position, text: textOf(whole.content), isError, ...outcome } };
      }
      const call = callsOf(whole)[order];
      const { agent } = record;
      const about = {
        ...(typeof agent === 'string' && { agent: shownName(library.clean(agent)) }),
        ...shownTime('time', record.time),
        ...costOfMessage(record, prices),
      };
      made = { id: wanted, position, tool: call?.name, input: rawArgumentsOf(call?.input), about };
    }
  }
  return made;
}
