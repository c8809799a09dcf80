import { message, type Message } from '../../core/l10n.js';
import type { RowKind } from './syntax.js';

/** What the values of a field are, and so how they are written and compared. */
export type ValueType =
  | 'text'
  | 'name'
  | 'choice'
  | 'count'
  | 'money'
  | 'duration'
  | 'date'
  | 'path'
  | 'program'
  | 'argument';

/**
 * Whose a field is in a row larger than a message or a call: of one message or call in it, the same for all terms that
 * stand side by side (`witness`); of the row itself (`own`); of the session that it is in (`session`).
 */
export type Reach = 'witness' | 'own' | 'session';

/** The values that completion offers: a written list, or those that occur in the transcripts at hand. */
export type ValueSource = readonly string[] | 'occurring' | undefined;

/** A field of the language. Parser, completion, hover, documentation and tests are made from it. */
export interface Field {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly type: ValueType;
  readonly reach: Reach;
  /** Whether a record has it, and whether a call of a tool has. */
  readonly ofRecords: boolean;
  readonly ofToolCalls: boolean;
  /** What it asks for, as the end of the sentence `It asks for …`. */
  readonly meaning: Message;
  /** A term that is right. */
  readonly example: string;
  readonly values: ValueSource;
}

/** Whether a row has the field in some way: of its own, through one message or call in it, or through its session. */
export function appliesTo(field: Field, rows: RowKind): boolean {
  if (rows === 'toolCalls') return field.ofToolCalls;
  return rows === 'messages' || rows === 'records' ? field.ofRecords : true;
}

type Draft = Pick<Field, 'name' | 'type' | 'meaning' | 'example'> & Partial<Field>;

const field = (draft: Draft): Field => ({
  aliases: [],
  reach: 'witness',
  ofRecords: true,
  ofToolCalls: true,
  values: undefined,
  ...draft,
});

/** The roles that messages have; other tools may make up more. */
export const ROLES: readonly string[] = ['user', 'assistant', 'tool', 'system', 'developer', 'injected'];

/** What `is:` may ask for. */
export const IS_VALUES = [
  'error',
  'failed',
  'denied',
  'cancelled',
  'timeout',
  'open',
  'message',
  'partial',
  'compaction',
  'injected',
  'subagent',
  'live',
] as const;

/** What `approval:` may ask for: the decision, or who or what made it. */
export const APPROVAL_VALUES = [
  ...(['approved', 'denied', 'person', 'policy', 'remembered', 'rule', 'hook', 'stopped'] as const),
] as const;
/** What `has:` may ask for. */
export const HAS_VALUES = ['image', 'reasoning', 'calls', 'result', 'note'] as const;

/** All fields, in the order in which they are listed. */
export const FIELDS: readonly Field[] = [
  field({
    name: 'text',
    type: 'text',
    meaning: message`a text anywhere in what is shown: content, reasoning, refusal, names and arguments of calls, results, tasks, titles and reasons of failures. A bare word asks the same`,
    example: 'text:"too small"',
  }),
  field({
    name: 'word',
    type: 'text',
    meaning: message`a text like \`text:\` does, with no letter, digit or \`_\` before or after it`,
    example: 'word:rm',
  }),
  field({
    name: 'content',
    type: 'text',
    ofToolCalls: false,
    meaning: message`a text in what a message says; of other records, in the reason of a failure`,
    example: 'content:cookies',
  }),
  field({
    name: 'content.word',
    type: 'text',
    ofToolCalls: false,
    meaning: message`a text like \`content:\` does, with no letter, digit or \`_\` before or after it`,
    example: 'content.word:small',
  }),
  field({
    name: 'agent',
    type: 'name',
    meaning: message`the agent that speaks or works`,
    example: 'agent:Cookie',
    values: 'occurring',
  }),
  field({
    name: 'tool',
    type: 'name',
    meaning: message`a tool: of a message, the tools that it calls or whose call it answers`,
    example: 'tool:Bash',
    values: 'occurring',
  }),
  field({
    name: 'role',
    type: 'name',
    ofToolCalls: false,
    meaning: message`the role of a message; \`injected\` for one that a tool sent in a person’s name`,
    example: 'role:user',
    values: ROLES,
  }),
  field({
    name: 'model',
    type: 'name',
    meaning: message`the model that answered; of a tool call, the one that made it`,
    example: 'model:gpt-5*',
    values: 'occurring',
  }),
  field({
    name: 'is',
    type: 'choice',
    meaning: message`\`error\`: what counts as an error everywhere; \`failed\`, \`denied\` (the same as \`approval:denied\`), \`cancelled\`, \`timeout\`, \`open\`: a tool call of which this became, and what makes or answers it; \`message\`: a record that carries a message; \`partial\`: an answer that was cut off; \`compaction\`: a record that tells that what was said before is no longer sent as it was; \`injected\`: words in a person’s name that a tool put there, all or some of a message; \`subagent\`: work of an agent that another one started; \`live\`: a session in which an agent is at work now`,
    example: 'is:error',
    values: IS_VALUES,
  }),
  field({
    name: 'has',
    type: 'choice',
    meaning: message`\`image\`: a picture in the content; \`reasoning\`: the model’s reasoning; \`calls\`: calls of tools; \`result\`: of a tool call, that it was answered; of a message, that it is an answer of a tool; \`note\`: a note or a bookmark of yours on it`,
    example: 'has:image',
    values: HAS_VALUES,
  }),
  field({
    name: 'note',
    type: 'text',
    meaning: message`a text in a note of yours: on a message, or on a tool call; of a message also on the tool calls that it makes or answers`,
    example: 'note:"look again"',
  }),
  field({
    name: 'tokens',
    type: 'count',
    reach: 'own',
    ofToolCalls: false,
    meaning: message`the tokens that were reported, in and out together; never met where none were`,
    example: 'tokens:>1000',
  }),
  field({
    name: 'tokens.in',
    type: 'count',
    reach: 'own',
    ofToolCalls: false,
    meaning: message`the tokens that were reported of what went into the model`,
    example: 'tokens.in:>=10k',
  }),
  field({
    name: 'tokens.out',
    type: 'count',
    reach: 'own',
    ofToolCalls: false,
    meaning: message`the tokens that were reported of what the model wrote`,
    example: 'tokens.out:<50',
  }),
  field({
    name: 'context',
    type: 'count',
    ofToolCalls: false,
    meaning: message`how many tokens a request sent, those from a cache included, as reported: in a session, a run or a call, those of any request in it`,
    example: 'context:>100k',
  }),
  field({
    name: 'cost',
    type: 'money',
    reach: 'own',
    ofToolCalls: false,
    meaning: message`what the row itself cost in US dollars, as far as that is known: of a call of an agent without the calls that it dispatched; with parts unknown it can only be more than something`,
    example: 'cost:>0.10',
  }),
  field({
    name: 'cost.total',
    type: 'money',
    reach: 'own',
    ofToolCalls: false,
    meaning: message`what it cost with all calls of subagents below it; else the same as \`cost:\``,
    example: 'cost.total:>=$2',
  }),
  field({
    name: 'duration',
    type: 'duration',
    reach: 'own',
    meaning: message`how long it took: a tool without waiting for a person, a request, a call of an agent, a run, a session; never met where it is unknown`,
    example: 'duration:>30s',
  }),
  field({
    name: 'since',
    type: 'date',
    meaning: message`what happened at that time or later; a tool call happens when it is made`,
    example: 'since:7d',
  }),
  field({
    name: 'before',
    type: 'date',
    meaning: message`what happened before that time; a day is excluded`,
    example: 'before:2026-11-01',
  }),
  field({
    name: 'began.since',
    type: 'date',
    reach: 'own',
    meaning: message`what itself began at that time or later: a session with the first record in it. Of a message or a tool call the same as \`since:\``,
    example: 'began.since:today',
  }),
  field({
    name: 'began.before',
    type: 'date',
    reach: 'own',
    meaning: message`what itself began before that time; a day is excluded`,
    example: 'began.before:2026-11-01',
  }),
  field({
    name: 'session',
    type: 'name',
    reach: 'session',
    meaning: message`the id of the session, here or in the tool that recorded it`,
    example: 'session:2026*',
    values: 'occurring',
  }),
  field({
    name: 'title',
    type: 'text',
    reach: 'session',
    meaning: message`a text in the title of the session`,
    example: 'title:cookies',
  }),
  field({
    name: 'source',
    type: 'name',
    reach: 'session',
    meaning: message`the tool that recorded the session, where it was imported`,
    example: 'source:codex',
    values: 'occurring',
  }),
  field({
    name: 'project',
    type: 'name',
    reach: 'session',
    meaning: message`the project that the session worked in, where it says so`,
    example: 'project:bakery',
    values: 'occurring',
  }),
  field({
    name: 'run',
    type: 'name',
    meaning: message`the id of the run, as its records have it; of an imported session \`r1\`, \`r1.2\`, \`r1.3\`, prompt by prompt`,
    example: 'run:=r_1',
  }),
  field({
    name: 'call',
    type: 'name',
    meaning: message`the id of the call of an agent, as its records have it`,
    example: 'call:=k_1',
  }),
  field({
    name: 'depth',
    type: 'count',
    meaning: message`how deep a call of an agent is nested: 0 for the one that a person talks to`,
    example: 'depth:>1',
  }),
  field({
    name: 'file',
    aliases: ['path'],
    type: 'path',
    meaning: message`a file that the arguments of a tool call name. \`*\` and \`?\` stay within a name, \`**\` crosses folders; a path that does not begin with \`/\` may stand at the end of a longer one. Letter case counts`,
    example: 'file:src/**/*.ts',
    values: 'occurring',
  }),
  field({
    name: 'command',
    type: 'program',
    meaning: message`a program that a command line runs, as the shell reads the line, also by \`sudo\`, \`xargs\`, \`find -exec\`, \`sh -c\` and their like: not a word that only stands in it. Letter case counts; \`*\` stands for any characters`,
    example: 'command:rm',
    values: 'occurring',
  }),
  field({
    name: 'approval',
    type: 'choice',
    meaning: message`whether the tool call was approved or denied, or who decided: a \`person\`, the \`policy\` of the settings, what was \`remembered\` for the session, an allow \`rule\`, a \`hook\`, or the end of the run (\`stopped\`)`,
    example: 'approval:denied',
    values: APPROVAL_VALUES,
  }),
  field({
    name: 'args',
    type: 'argument',
    meaning: message`an argument of a tool call by its path, in lists the argument of any entry; \`args:\` alone is all of them as they are written`,
    example: 'args.path:scale',
  }),
];

const BY_NAME: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((each) => [each.name, ...each.aliases].map((name) => [name, each] as const)),
);

/** What stands before a colon besides fields, and what it does. */
export const KEYWORDS: readonly {
  readonly name: string;
  readonly meaning: Message;
  readonly example: string;
}[] = [
  {
    name: 'in',
    meaning: message`what belongs to a call of an agent that matches what stands in the brackets`,
    example: 'in:(agent:reviewer)',
  },
  {
    name: 'under',
    meaning: message`what belongs to a call anywhere below a call of an agent that matches what stands in the brackets`,
    example: 'under:(agent:planner)',
  },
  {
    name: 'with',
    meaning: message`one message or tool call in it to match everything that stands in the brackets`,
    example: 'with:(tool:Bash duration:>30s)',
  },
  {
    name: 'same',
    meaning: message`both sides of an order to have the same agent, call, run, tool or path`,
    example: 'tool:edit after tool:read same:path',
  },
  {
    name: 'within',
    meaning: message`at most so many rows, or so much time, between the sides of an order`,
    example: 'is:error after tool:Bash within:5',
  },
];

/** The words of an order, which have no colon; `before:` is a field besides. */
export const ORDER_WORDS: typeof KEYWORDS = [
  {
    name: 'after',
    meaning: message`what begins after something else has ended, in the same session`,
    example: 'tool:edit after tool:read',
  },
  {
    name: 'before',
    meaning: message`what has ended before something else begins, in the same session`,
    example: 'tool:read before tool:edit',
  },
];

/** The field with this name or alias, letter case ignored. */
export function fieldNamed(name: string): Field | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** The field of a parsed term. Throws where there is none, which no parsed term has. */
export function fieldOf({ field: name }: { readonly field: string }): Field {
  const found = BY_NAME.get(name);
  if (!found) throw new Error(`There is no field '${name}'.`);
  return found;
}
