import { callsOf, rawArgumentsOf } from '../analysis/toolCalls.js';
import { messageIn, roleOf } from '../analysis/transcriptItem.js';
import { costShape } from '../export/costShape.js';
import type { NamedSession } from '../app/sources/namedSessions.js';
import { UserError } from '../app/userError.js';
import { addCosts, NO_COST } from '../core/cost.js';
import { textOf } from '../core/message.js';
import { withoutHalfAtEnd } from '../core/halves.js';
import type { CatalogEntry, ReadRecord, Transcript } from '../ports/transcript.js';
import { loadPrices } from '../pricing/loadPrices.js';
import { planQuery } from '../query/language/plan.js';
import { problemWords } from '../query/language/problemWords.js';
import { ROW_KINDS } from '../query/language/syntax.js';
import { Asking, hitsAt } from '../search/asking.js';
import { Excerpts } from '../search/excerpts.js';
import { markedPrices } from '../search/markedPrices.js';
import { restoreTexts } from '../store/read/restoreTexts.js';
import {
  COST_ANSWER,
  FOUND_SESSIONS,
  LISTED_SESSIONS,
  MESSAGES,
  OVERVIEW,
  TOOL_CALL,
} from './answerSchemas.js';
import { Cursors } from './cursor.js';
import type { McpLibrary } from './library.js';
import { Page } from './page.js';
import { boolean, choice, text, whole, type ReadTool } from './readTool.js';

/** The most characters of one text. */
const MAX_TEXT = 2_000;
/** How many hits of a session a search tells. */
const HITS = 3;

const SESSION = text('The "session" of a result of list_sessions or search_sessions.');
const CURSOR = text('The "next_cursor" of the page before, for the page behind it.');
const MAX_TOKENS = whole('About so many tokens at most; the rest is on the next page.', 500, 100_000);
const INCLUDE_ACTIVE = boolean(
  'Also sessions in which something was said in the last 10 minutes; one of them may be this conversation.',
);

/** The tools of the server: all of them read, none of them changes anything. */
export const readTools: readonly ReadTool[] = [
  {
    name: 'search_sessions',
    title: 'Search recorded agent sessions',
    description:
      'Finds recorded agent sessions in which a question matches, with the first matches of each. A question is words, "exact phrases", /patterns/ and fields side by side, all of which must hold: role:user, agent:NAME, tool:NAME, is:error, model:NAME, since:7d, before:2026-11-01, cost:>1, duration:>30s, args.command:text; a leading - negates, (a OR b) is either.',
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
      'Tells what a session is as a whole: agents, models, tools with their failures, tokens, cost, what went wrong first. Call it before get_messages.',
    properties: { session: SESSION },
    required: ['session'],
    answer: OVERVIEW,
    run: overview,
  },
  {
    name: 'get_messages',
    title: 'Messages of a session',
    description:
      'Reads messages of a session in order. Texts of more than 2,000 characters are cut, which is said as "cut n of m"; get_tool_call reads on in arguments and results.',
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
    properties: { session: SESSION, include_active: INCLUDE_ACTIVE },
    required: [],
    answer: COST_ANSWER,
    run: cost,
  },
];

type Args = Parameters<ReadTool['run']>[1];

function about({ id }: NamedSession, entry: CatalogEntry): object {
  const { title, source, project, agents, state, startedAt, endedAt, messages: count, tokens } = entry;
  return { session: id, title, source, project, agents, state, startedAt, endedAt, messages: count, tokens };
}

async function listSessions(library: McpLibrary, args: Args): Promise<object> {
  const cursors = new Cursors('list_sessions', args.has('include_active'));
  const from = cursors.offset(args.text('cursor'));
  const page = new Page(args, 20);
  let at = 0;
  for await (const { session, entry } of library.sessions(args.has('include_active'))) {
    if (at >= from && !page.add(about(session, entry)))
      return { sessions: page.all, next_cursor: cursors.at(at) };
    at++;
  }
  return { sessions: page.all };
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
  const page = new Page(args, 10);
  const not_searched: object[] = [];
  let at = 0;
  for await (const { session, entry } of library.sessions(args.has('include_active'))) {
    const answer = await asking.ask(session.session, library.signal);
    if (answer?.problem) not_searched.push({ session: session.id, why: answer.problem.message });
    if (!answer || answer.indexes.length === 0) continue;
    if (at++ < from) continue;
    if (page.isFull) return { sessions: page.all, not_searched, next_cursor: cursors.at(at - 1) };
    const clean = <T>(record: T) => library.clean(record);
    const hits = await hitsAt(answer, answer.indexes.slice(0, HITS), { text: question, excerpts, clean });
    const isTaken = page.add({
      ...about(session, entry),
      matches: answer.indexes.length,
      first: hits.map(({ position, role, agent, tools, id, isError, time, excerpt }) => ({
        ...{ position, role, agent, tools, id, isError, time, text: excerpt.text },
      })),
    });
    if (!isTaken) return { sessions: page.all, not_searched, next_cursor: cursors.at(at - 1) };
  }
  return { sessions: page.all, not_searched };
}

async function overview(library: McpLibrary, args: Args): Promise<object> {
  return library.withSession(args.text('session') ?? '', async (session, entry) => {
    const totals = await library.totals(session, await loadPrices());
    const { statistics, tools, turns, turnCount, durationMs, trouble, records, unreadable } = totals;
    const { byAgent, byModel, errors, toolCalls, tokens } = statistics;
    return {
      ...about(session, entry),
      ...{ records, durationMs, turns: turnCount, toolCalls, errors, tokens },
      cost: costShape(statistics.cost),
      by_agent: byAgent
        .slice(0, 50)
        .map(({ name, messages: count, tokens: used }) => ({ name, messages: count, tokens: used })),
      by_model: byModel.slice(0, 50).map(({ name, requests, failures }) => ({ name, requests, failures })),
      tools: tools.slice(0, 50).map(({ tool, calls, failures }) => ({ tool, calls, failures })),
      prompts: turns.map(({ position, errors: failed, state }) => ({ position, errors: failed, state })),
      ...(trouble && { first_trouble: trouble }),
      unreadable_places: unreadable,
    };
  });
}

/** A text of others, without secrets, cut where it is long. */
function shown(whole: string, offset = 0): { readonly text: string; readonly cut?: string } {
  const part = withoutHalfAtEnd(whole.slice(offset, offset + MAX_TEXT));
  if (part.length === whole.length) return { text: part };
  return { text: part, cut: `cut ${whole.length - part.length} of ${whole.length}` };
}

async function messages(library: McpLibrary, args: Args): Promise<object> {
  return library.withSession(args.text('session') ?? '', async (session) =>
    library.withTranscript(session, async (transcript) => {
      const cursor = args.text('cursor');
      const cursors = new Cursors('get_messages', session.id);
      const from = cursor === undefined ? (args.number('from_position') ?? 0) : cursors.offset(cursor);
      const page = new Page(args, 20);
      for (let at = from; at < transcript.length; at++) {
        const [record] = await transcript.read(at, at + 1);
        if (record?.type !== 'message') continue;
        const message = messageShape(library, at, (await restoreTexts(record, transcript)).record);
        if (!page.add(message))
          return { session: session.id, messages: page.all, next_cursor: cursors.at(at) };
      }
      return { session: session.id, messages: page.all };
    }),
  );
}

function messageShape(library: McpLibrary, position: number, record: ReadRecord): object {
  const clean = library.clean(record) as ReadRecord & { readonly isError?: unknown };
  const message = messageIn(clean) ?? {};
  const { agent, time } = clean;
  const calls = callsOf(message).map(({ id, name, input }) => {
    const { text: given, cut } = shown(rawArgumentsOf(input));
    return { id, tool: name, arguments: given, ...(cut !== undefined && { cut }) };
  });
  return {
    ...{ position, role: roleOf(message), agent, time, ...shown(textOf(message.content)) },
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(typeof message.tool_call_id === 'string' && { answers: message.tool_call_id }),
    ...(clean.isError === true && { isError: true }),
  };
}

async function toolCall(library: McpLibrary, args: Args): Promise<object> {
  const wanted = args.text('id') ?? '';
  const offset = args.number('offset') ?? 0;
  return library.withSession(args.text('session') ?? '', async (session) =>
    library.withTranscript(session, async (transcript) => {
      const found = await callIn(library, transcript, wanted, offset);
      if (found) return { session: session.id, id: wanted, ...found };
      throw new UserError(
        `The session has no tool call ${wanted}. Use an "id" of tool_calls in get_messages.`,
      );
    }),
  );
}

async function callIn(
  library: McpLibrary,
  transcript: Transcript,
  wanted: string,
  offset: number,
): Promise<object | undefined> {
  let made: object | undefined;
  for (let from = 0; from < transcript.length; from += 200) {
    library.signal.throwIfAborted();
    for (const [at, record] of (await transcript.read(from, from + 200)).entries()) {
      const message = messageIn(record);
      if (!message) continue;
      const isCall = callsOf(message).some(({ id }) => id === wanted);
      const isResult = made !== undefined && message.tool_call_id === wanted;
      if (!isCall && !isResult) continue;
      const whole = messageIn(library.clean((await restoreTexts(record, transcript)).record)) ?? {};
      if (isResult) {
        const result = shown(textOf(whole.content), offset);
        return {
          ...made,
          result: {
            position: from + at,
            ...result,
            isError: (record as { isError?: unknown }).isError === true,
          },
        };
      }
      const call = callsOf(whole).find(({ id }) => id === wanted);
      made = { position: from + at, tool: call?.name, arguments: shown(rawArgumentsOf(call?.input), offset) };
    }
  }
  return made;
}

async function cost(library: McpLibrary, args: Args): Promise<object> {
  const id = args.text('session');
  const prices = await loadPrices();
  const byModel = new Map<string, typeof NO_COST>();
  let total = NO_COST;
  let sessions = 0;
  const add = async (session: NamedSession) => {
    const { statistics } = await library.totals(session, prices);
    total = addCosts(total, statistics.cost);
    sessions++;
    for (const each of statistics.byModel)
      byModel.set(each.name, addCosts(byModel.get(each.name) ?? NO_COST, each.cost));
  };
  if (id !== undefined) await library.withSession(id, add);
  else for await (const { session } of library.sessions(args.has('include_active'))) await add(session);
  const models = [...byModel].map(([model, spent]) => ({ model, ...costShape(spent) }));
  return { sessions, ...costShape(total), by_model: models, prices: prices.version };
}
