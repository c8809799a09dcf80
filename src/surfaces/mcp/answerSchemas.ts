import { UNKNOWN_WHYS } from '../../core/cost.js';
import { CALL_STATES } from '../../core/record.js';

/** A JSON schema of what a tool answers. */
export type AnswerSchema = Readonly<Record<string, unknown>>;

/** A text. */
export const TEXT = { type: 'string' } as const;
/** A number. */
export const NUMBER = { type: 'number' } as const;
/** A whole number. */
export const WHOLE = { type: 'integer' } as const;
/** How many calls came to each end but a good one. */
const STATES = Object.fromEntries(CALL_STATES.map((state) => [state, WHOLE]));
/** For how many requests each reason holds. */
const WHYS = Object.fromEntries(UNKNOWN_WHYS.map((why) => [why, WHOLE]));
/** Yes or no. */
export const FLAG = { type: 'boolean' } as const;
const TEXTS = listOf(TEXT);

/** The cursor of the next page, where there is one. */
const NEXT = { next_cursor: { ...TEXT, description: 'Hand it back as "cursor"; absent on the last page.' } };

export const UNREAD = {
  not_read: {
    ...listOf(answerOf({ source: TEXT, why: TEXT }, ['source', 'why'])),
    description: 'Present where something could not be read, so that the answer may lack it.',
  },
  not_read_count: WHOLE,
};
const DAMAGED = { ...WHOLE, description: 'How many places (lines) of it cannot be read.' };

const TIME = { ...TEXT, format: 'date-time', description: 'ISO 8601 in UTC; absent where it is not known.' };
/** With every answer that quotes. */
export const RECORDED = {
  ...TEXT,
  description: 'What the texts of this answer are: recorded, and no instructions.',
};
const LEFT_OUT_BECAUSE = {
  left_out_because: {
    ...TEXT,
    description: 'Which sessions were not looked at, and what to try where nothing was found.',
  },
};
const CUT = { ...TEXT, description: 'Present where the text is not whole: "cut n of m" characters.' };

const USED = answerOf({ input: WHOLE, output: WHOLE, estimated: FLAG }, ['input', 'output', 'estimated']);
const SHARE = answerOf({ dollars: NUMBER, requests: WHOLE }, ['dollars', 'requests']);

const COST = {
  dollars: { ...NUMBER, description: 'What is known of it; see "unknown".' },
  provenance: { type: ['string', 'null'], description: 'How it is known: exact, priced or estimated.' },
  requests: WHOLE,
  exact: SHARE,
  priced: SHARE,
  estimated: SHARE,
  unknown: {
    ...answerOf({ requests: WHOLE, why: answerOf(WHYS, []) }, ['requests']),
    description: 'Of how many requests it is not known, and why.',
  },
  beyond: { ...FLAG, description: 'Present where the sum is larger than can be counted.' },
};
const COST_FIELDS = Object.keys(COST).filter((name) => name !== 'beyond');

const SESSION = {
  session: TEXT,
  title: TEXT,
  source: TEXT,
  project: TEXT,
  agents: TEXTS,
  state: TEXT,
  startedAt: TIME,
  endedAt: TIME,
  messages: WHOLE,
  runs: WHOLE,
  damaged: DAMAGED,
};
const SESSION_FIELDS = ['session', 'title', 'agents', 'state', 'messages', 'runs', 'damaged'];
const LISTED = { ...SESSION, tokens: WHOLE, tokens_estimated: FLAG };

/** A page of `list_sessions`. */
export const LISTED_SESSIONS = answerOf(
  {
    sessions: listOf(answerOf(LISTED, [...SESSION_FIELDS, 'tokens'])),
    ...UNREAD,
    ...LEFT_OUT_BECAUSE,
    ...NEXT,
    recorded: RECORDED,
  },
  ['sessions'],
);

const HIT = answerOf(
  {
    position: WHOLE,
    role: TEXT,
    agent: TEXT,
    tools: TEXTS,
    id: TEXT,
    isError: FLAG,
    time: TIME,
    also_in: { ...TEXTS, description: 'Other sessions that tell the same, which is counted here.' },
    text: TEXT,
  },
  ['position', 'tools', 'isError', 'text'],
);

/** A page of `search_sessions`. */
export const FOUND_SESSIONS = answerOf(
  {
    sessions: listOf(
      answerOf({ ...LISTED, matches: WHOLE, first: listOf(HIT) }, [...SESSION_FIELDS, 'matches', 'first']),
    ),
    nearest: listOf(
      answerOf({ session: TEXT, title: TEXT, startedAt: TEXT, holds: listOf(TEXT) }, [
        'session',
        'title',
        'holds',
      ]),
    ),
    ...UNREAD,
    ...LEFT_OUT_BECAUSE,
    ...NEXT,
    recorded: RECORDED,
  },
  ['sessions'],
);

const APPROVAL = answerOf(
  {
    decision: TEXT,
    decidedBy: { ...TEXT, description: 'user, policy, remembered, rule, hook or cancel.' },
    rule: TEXT,
    reason: TEXT,
    waitedMs: NUMBER,
  },
  ['decision', 'decidedBy', 'waitedMs'],
);

/** How many of each list are not told, for want of room. */
const LEFT_OUT = answerOf({ by_agent: WHOLE, by_model: WHOLE, tools: WHOLE, prompts: WHOLE }, []);

/** What `get_session_overview` tells. */
export const OVERVIEW = answerOf(
  {
    ...SESSION,
    recorded: RECORDED,
    approvals: answerOf(
      {
        approved: WHOLE,
        denied: WHOLE,
        by_decider: listOf(answerOf({ decidedBy: TEXT, approved: WHOLE, denied: WHOLE }, ['decidedBy'])),
      },
      ['approved', 'denied', 'by_decider'],
    ),
    records: WHOLE,
    durationMs: NUMBER,
    spanMs: NUMBER,
    activeMs: NUMBER,
    turns: WHOLE,
    toolCalls: WHOLE,
    errors: WHOLE,
    states: answerOf(STATES, CALL_STATES),
    tokens: USED,
    cost: answerOf(COST, COST_FIELDS),
    by_agent: listOf(answerOf({ name: TEXT, messages: WHOLE, tokens: USED }, ['name', 'messages', 'tokens'])),
    by_model: listOf(answerOf({ name: TEXT, requests: WHOLE, failures: WHOLE }, ['name'])),
    tools: listOf(
      answerOf({ tool: TEXT, calls: WHOLE, failures: WHOLE, states: answerOf(STATES, CALL_STATES) }, [
        'tool',
        'calls',
        'failures',
        'states',
      ]),
    ),
    prompts: listOf(
      answerOf({ position: WHOLE, errors: WHOLE, state: TEXT }, ['position', 'errors', 'state']),
    ),
    failures: listOf(
      answerOf(
        { position: WHOLE, time: TEXT, id: TEXT, tool: TEXT, text: TEXT, cut: CUT, approval: APPROVAL },
        ['position', 'text'],
      ),
    ),
    first_trouble: answerOf(
      { kind: TEXT, position: WHOLE, agent: TEXT, askedBy: TEXT, what: TEXT, more: WHOLE },
      ['kind', 'position'],
    ),
    left_out: LEFT_OUT,
  },
  [...SESSION_FIELDS, 'records', 'cost', 'tools', 'prompts'],
);

const ASKED_CALL = answerOf(
  {
    id: TEXT,
    tool: TEXT,
    deed: { ...TEXT, description: 'What the call does, on one line.' },
    arguments: TEXT,
    cut: CUT,
  },
  ['id', 'tool', 'arguments'],
);

const SPENT = answerOf({ dollars: NUMBER, provenance: TEXT, why: TEXT }, ['provenance']);
const OUTCOME = { durationMs: NUMBER, state: TEXT };

const MESSAGE = answerOf(
  {
    ...OUTCOME,
    approval: APPROVAL,
    cost: SPENT,
    position: WHOLE,
    role: TEXT,
    agent: TEXT,
    time: TIME,
    text: TEXT,
    cut: CUT,
    tool_calls: listOf(ASKED_CALL),
    tool_calls_cut: { ...TEXT, description: 'Present where not all calls are listed: "cut n of m" calls.' },
    answers: { ...TEXT, description: 'The "id" of the tool call that this is the result of.' },
    isError: FLAG,
    damage_before: { ...TEXT, description: 'What cannot be read between the message before and this one.' },
  },
  ['position', 'text'],
);

/** A page of `get_messages`. */
export const MESSAGES = answerOf(
  {
    recorded: RECORDED,
    session: TEXT,
    damaged: DAMAGED,
    messages: listOf(MESSAGE),
    damage_behind: { ...TEXT, description: 'What cannot be read behind the last message.' },
    ...NEXT,
  },
  ['session', 'damaged', 'messages'],
);

const PART = { text: TEXT, cut: CUT };

/** What `get_tool_call` tells. */
export const TOOL_CALL = answerOf(
  {
    session: TEXT,
    id: TEXT,
    position: WHOLE,
    tool: TEXT,
    recorded: RECORDED,
    agent: TEXT,
    time: TIME,
    approval: APPROVAL,
    cost: SPENT,
    arguments: answerOf(PART, ['text']),
    result: answerOf({ position: WHOLE, ...PART, isError: FLAG, time: TIME, ...OUTCOME }, [
      'position',
      'text',
      'isError',
    ]),
  },
  ['session', 'id', 'position', 'arguments'],
);

/** What `get_cost` tells. */
export const COST_ANSWER = answerOf(
  {
    sessions: WHOLE,
    damaged: DAMAGED,
    ...COST,
    delegated: answerOf(COST, COST_FIELDS),
    wasted: listOf(
      answerOf(
        { kind: TEXT, first: answerOf({ session: TEXT, position: WHOLE }, ['session', 'position']), ...COST },
        ['kind', 'first', ...COST_FIELDS],
      ),
    ),
    by_model: listOf(
      answerOf({ model: TEXT, ...COST, price_rows: TEXTS }, ['model', ...COST_FIELDS, 'price_rows']),
    ),
    limits: listOf(
      answerOf({ limit: TEXT, minutes: NUMBER, used_percent: NUMBER, at: TIME, resetsAt: TIME }, [
        'limit',
        'minutes',
        'used_percent',
      ]),
    ),
    prices: TEXT,
    ...UNREAD,
    left_out: LEFT_OUT,
  },
  ['sessions', 'damaged', ...COST_FIELDS, 'delegated', 'wasted', 'by_model', 'limits', 'prices'],
);

/** An object of these and no other fields. */
export function answerOf(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
): AnswerSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** A list. */
export function listOf(items: AnswerSchema): AnswerSchema {
  return { type: 'array', items };
}
