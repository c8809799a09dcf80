import { isObject } from '../../core/message.js';
import { fields, number, objects, text, time, timeIn, type Fields } from '../reading/fields.js';
import type { Usage } from '../../core/usage.js';
import { plainWord, wordForRole } from '../reading/roleWords.js';
import { amountsOf, anthropicUsage, usageWith } from './usage.js';

/** The keys under which a message says who speaks, in words of its own or by name. */
const SPEAKERS = [
  'role',
  'Role',
  '_role',
  'author',
  'from',
  'sender',
  'speaker',
  'source',
  'role_type',
  'characterId',
];

/** The keys under which it says so among words for other things, so that only words for roles count. */
const KINDS = ['type', 'kind', 'messageType', 'message_type', 'author_role', 'event', 'event_type', 'name'];

/** The kinds of lines that call a tool: a name in one is the tool's, and nobody's who speaks. */
const CALLS = /^(?:function|tool)calls?$/;

/** The flags that say so. */
const IS_USER = ['isCreatedByUser', 'is_user', 'isUser', 'fromUser', 'from_user'];

/** The keys under which a message has its words, those that are most specific first. */
const CONTENTS = [
  'content',
  'Content',
  '_content',
  'contents',
  'Contents',
  'parts',
  'Items',
  'blocks',
  'segments',
  'steps',
  'items',
  'text',
  'Text',
  'value',
  'message',
  'body',
  'msg',
  'markdown',
  'output_text',
  'utterance',
  'reasoning',
  'mes',
  'tool_plan',
  'system_prompt',
];

/** A role, and the name of the speaker where it is one. */
export interface Speaker {
  readonly role: string;
  readonly name: string | undefined;
  /** Whether a word for a role says so; otherwise somebody speaks, who may be anybody. */
  readonly isCertain: boolean;
}

/** Who speaks in an object; undefined where nothing says so. */
export function speakerIn(item: Fields): Speaker | undefined {
  const isPerson = isPersonIn(item);
  if (isPerson !== undefined)
    return { role: isPerson ? 'user' : 'assistant', name: nameIn(item), isCertain: true };
  const said = SPEAKERS.map((key) => wordIn(item[key])).filter((word) => word !== undefined);
  const certain = said.find((word) => wordForRole(word) !== undefined);
  const kinds = KINDS.map((key) => plainWord(item[key]));
  const kind = kinds.map((word) => wordForRole(word)).find((role) => role !== undefined);
  const isCall = kinds.some((word) => CALLS.test(word));
  const name =
    nameIn(isCall ? { ...item, name: undefined } : item) ??
    said.find((word) => wordForRole(word) === undefined);
  if (certain !== undefined) {
    // In data sets of spoken dialogs the system is who answers.
    const isSystem = item.speaker === certain && plainWord(certain) === 'system';
    const role = isSystem ? 'assistant' : (wordForRole(certain) ?? 'assistant');
    return {
      role: kind === 'tool' ? 'tool' : role,
      name: wordForRole(name) !== undefined ? undefined : name,
      isCertain: true,
    };
  }
  if (kind !== undefined) return { role: kind, name, isCertain: true };
  const [somebody] = said;
  return somebody === undefined ? undefined : { role: 'assistant', name: somebody, isCertain: false };
}

/** Whether a person speaks, as far as a flag of the message or of its author says so. */
function isPersonIn(item: Fields): boolean | undefined {
  const flag = IS_USER.find((key) => typeof item[key] === 'boolean');
  if (flag !== undefined) return item[flag] === true;
  const { isBot, bot } = fields(item.author);
  const isProgram = isBot ?? bot;
  if (typeof isProgram === 'boolean') return !isProgram;
  // Slack names its users and bots by ids; only bots have `bot_id`.
  if (item.type !== 'message' || typeof item.ts !== 'string') return undefined;
  return typeof item.bot_id === 'string' ? false : typeof item.user === 'string' || undefined;
}

/** The name of an agent in a message, under the keys that are only used for names. */
function nameIn(item: Fields): string | undefined {
  const { author, agent, name } = item;
  const names = [
    item.agent_name,
    item.agentName,
    item.AuthorName,
    item.senderName,
    item.role_name,
    item.speaker_name,
    fields(author).name,
    fields(item.senderInfo).senderName,
    agent,
    fields(agent).name,
    name,
  ];
  return names.map((each) => text(each)).find((each) => each !== undefined && each.length <= 100);
}

/** What Magentic-One adds to a speaker's name: that it thinks, to whom it speaks, or that it ends the work. */
const BESIDE_NAME = / \((?:thought|-> [^()]+|termination condition)\)$/;

/** What Letta calls the part of a model that reasons, which is no speaker. */
const NO_SPEAKERS = /^(?:non_)?reasoner_model$/;

function wordIn(value: unknown): string | undefined {
  if (typeof value === 'string')
    return value.length <= 100 && !NO_SPEAKERS.test(value) ? text(value.replace(BESIDE_NAME, '')) : undefined;
  const { role, Label, label, name, type } = fields(value);
  return [role, Label, label, name, type].map((each) => text(each)).find((each) => each !== undefined);
}

/** The key under which an object has its words; the first that says anything, else the first that is there. */
export function contentKey(item: Fields): string | undefined {
  // Where both are there, the parts say more than the text that they add up to.
  if (Array.isArray(item.parts) && item.parts.length > 0) return 'parts';
  const there = CONTENTS.filter((key) => key in item && isContent(item[key]));
  return there.find((key) => !isEmpty(item[key])) ?? there[0];
}

function isContent(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'object';
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** When something was said, under any key that tools have for it. */
export function looseTime(item: Fields): number | undefined {
  const known = timeIn(item);
  if (known !== undefined) return known;
  const { metadata, meta, timing } = item;
  const inner = fields(item.time);
  const others = [
    item.created,
    item.date,
    item.datetime,
    item.sent_at,
    item.start_time,
    item.started_at,
    item.Timestamp,
    item.send_date,
    item.user_sent_time,
    item.ts,
    item.created_time,
    item.createTime,
    item.startTime,
    item.time_created,
    item.CreatedAt,
    item.at,
    inner.created,
    inner.start,
    fields(metadata).timestamp,
    fields(meta).timestamp,
    fields(timing).start_time,
  ];
  return others.map((each) => time(each)).find((each) => each !== undefined);
}

/** The model that a message names. */
export function looseModel(item: Fields): string | undefined {
  const holders = [
    item,
    item.metadata,
    item.meta,
    item._meta,
    item.Metadata,
    item.response_metadata,
    item.genInfo,
    fields(item.extra).response,
    item.providerData,
  ];
  for (const holder of holders) {
    const about = fields(holder);
    const named = [
      about.model,
      about.model_name,
      about.modelName,
      about.modelId,
      about.model_id,
      about.modelID,
      about.ModelId,
      about.ai_model_id,
      about.model_slug,
      about.modelSlug,
      fields(about.model).id,
    ];
    const found = named.map((each) => text(each)).find((each) => each !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The usage of a message or an answer, in any spelling. */
export function looseUsage(item: Fields): Usage | undefined {
  const { metadata, meta, response_metadata, Metadata, step_metrics } = item;
  const candidates = [
    item.usage,
    item.models_usage,
    item.usage_metadata,
    item.usageMetadata,
    item.token_usage,
    item.tokenUsage,
    item.metrics,
    item.tokens,
    step_metrics,
    item.llm_usage,
    fields(metadata).usage,
    fields(meta).usage,
    fields(item._meta).usage,
    fields(response_metadata).token_usage,
    fields(response_metadata).usage,
    fields(fields(item.extra).response).usage,
    fields(Metadata).Usage,
    fields(item.info).usage,
    objects(item.Contents ?? item.contents).find(({ $type }) => $type === 'usage')?.Details,
    fields(fields(item.genInfo).stats),
    // Ollama writes its numbers beside the message.
    typeof item.eval_count === 'number' ? item : undefined,
  ];
  return candidates.map((each) => anyUsage(each)).find((each) => each !== undefined);
}

const INPUT =
  'inputtokens prompttokens requesttokens prompttokencount inputtokencount promptevalcount prompttokenscount input prompt sent'.split(
    ' ',
  );
const OUTPUT =
  'outputtokens completiontokens responsetokens candidatestokencount outputtokencount evalcount predictedtokenscount output completion candidates received'.split(
    ' ',
  );
/** A usage with any names for its numbers; those of Anthropic's API count the input without what was cached. */
export function anyUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if ('cache_read_input_tokens' in value && !('prompt_tokens' in value)) return anthropicUsage(value);
  const numbers = new Map<string, number>();
  const named: Record<string, number> = {};
  for (const part of [value, ...Object.values(value).filter(isObject)]) {
    for (const [key, each] of Object.entries(part)) {
      const amount = number(each);
      if (amount === undefined || numbers.has(plainWord(key))) continue;
      numbers.set(plainWord(key), amount);
      named[key] = amount;
    }
  }
  const of = (names: readonly string[]) => {
    const name = names.find((each) => numbers.has(each));
    return name === undefined ? undefined : numbers.get(name);
  };
  const input = of(INPUT);
  const output = of(OUTPUT);
  return usageWith(amountsOf(named), input, output);
}

/** A result of Zed's, whose content is what the model was given; its output is for Zed itself. */
function shownResult(result: Fields): Fields {
  return 'content' in result && 'output' in result ? { ...result, output: undefined } : result;
}

/** The tool calls beside a message's words, under any key that tools have for them. */
export function callsBeside(item: Fields): readonly Fields[] {
  const lists = [
    item.tool_calls,
    item.toolCalls,
    item.ToolCalls,
    item.tool_uses,
    item.toolUses,
    item.toolRequests,
    item.function_calls,
    item.functionCalls,
    item.toolInvocations,
  ];
  const found = lists.map((each) => objects(each)).find((each) => each.length > 0) ?? [];
  const single = [item.function_call, item.functionCall].filter(isObject);
  const more = objects(fields(item.additional_kwargs).tool_calls);
  return found.length > 0 ? found : single.length > 0 ? single : more;
}

/** The results of tools beside a message's words: a list, or a map by the ids of the calls. */
export function resultsBeside(item: Fields): readonly Fields[] {
  const given = item.tool_results ?? item.toolResults ?? item.ToolResults;
  if (Array.isArray(given)) return objects(given);
  if (given === undefined && isObject(item.tool_result)) return [item.tool_result];
  return Object.entries(fields(given)).flatMap(([id, each]) =>
    isObject(each) ? [{ tool_use_id: id, ...shownResult(each) }] : [],
  );
}
