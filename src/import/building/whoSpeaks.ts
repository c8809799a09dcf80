import { withoutInjected, type Injected, type InjectedKind } from '../../core/injected.js';
import { isObject, textOf } from '../../core/message.js';

/** What a tool's own marks say of a message in a person's name, or of a text in it. */
export interface SpeakerMark {
  /** `person`: a person has written it; else what the tool put there. */
  readonly kind: InjectedKind | 'person';
  /** The agent or program that speaks. */
  readonly by?: string | undefined;
}

/** One mark for all of a message, or one for each of its texts, where those have any. */
export type SpeakerMarks = SpeakerMark | readonly (SpeakerMark | undefined)[];

/** How a tool writes what it puts into a person's message; only at the head of a text, because people quote it. */
interface Block {
  readonly kind: InjectedKind;
  /** Matches at the head, to the end of the block. */
  readonly form: RegExp;
  /** The groups of `form` that are a person's words all the same. */
  readonly own?: readonly string[];
  /** The groups of which the first that is there names who speaks. */
  readonly by?: readonly string[];
  /** Whether elements of its name may stand within it: then it goes to the end that is its own. */
  readonly isNested?: boolean;
  /** Whether its words are such as people write too: it counts where another block stands in the message. */
  readonly isCommon?: boolean;
}

/** What stands in the tag of an element behind its name; a value may hold what would end the tag. */
const ATTRIBUTES = '(?:\\s(?:[^<>"]|"[^"<]*")*)?';

/** An element with any of these names, to its end; one that does not end is none. */
function element(kind: InjectedKind, names: string): Block {
  return { kind, form: new RegExp(`^<(${names})${ATTRIBUTES}>[^]*?</\\1>`), isNested: true };
}

/** An element whose words a person has written: only its tags were put there. */
function around(kind: InjectedKind, names: string): Block {
  return { kind, form: new RegExp(`^<(${names})${ATTRIBUTES}>(?<own>[^]*?)</\\1>`), own: ['own'] };
}

/** A block whose tags people write too. */
function common(block: Block): Block {
  return { ...block, isCommon: true };
}

/** An element of another agent, with its name in an attribute. */
function fromAgent(names: string, attribute: string): Block {
  const form = new RegExp(
    `^<(${names})(?:(?=(?:[^<>"]|"[^"<]*")*\\s(?:${attribute})="(?<name>[^"<]*)")|)${ATTRIBUTES}>[^]*?</\\1>`,
  );
  return { kind: 'agent', form, by: ['name'], isNested: true };
}

/** All blocks, by what they are. */
const BLOCKS: readonly Block[] = [
  element(
    'reminder',
    'system-reminder|system_reminder|reminderInstructions|EPHEMERAL_MESSAGE|local-command-caveat',
  ),
  common(element('reminder', 'reminder|system')),
  element(
    'environment',
    'environment_context|environment_details|session_context|current_datetime|user_info|USER_INFORMATION|environment_info|workspace_info',
  ),
  element(
    'instructions',
    'user_instructions|INSTRUCTIONS|explicit_instructions|recommended_plugins|skill-context|permissions instructions|skills_instructions|collaboration_mode|toolReferences',
  ),
  element(
    'context',
    'ide_opened_file|ide_selection|ide_diagnostics|attached_files|open_and_recently_viewed_files|goal_context|codex_internal_context|extension_context|editorContext|ADDITIONAL_METADATA|USER_SETTINGS_CHANGE|fetched-web-content|persisted-output',
  ),
  common(element('context', 'context|attachments?')),
  common(element('environment', 'timestamp')),
  common(element('instructions', 'skill')),
  // Codex names the skill that it puts there.
  { kind: 'instructions', form: /^<skill>\s*<name>[^<]*<\/name>[^]*?<\/skill>/ },
  element('hook', 'user-prompt-submit-hook|hook_context|hook_prompt'),
  element(
    'output',
    'local-command-stdout|local-command-stderr|bash-stdout|bash-stderr|user_shell_command|tool_response|tool_results?|function_results?|execution_results?',
  ),
  element('notification', 'task-notification|subagent_notification|slack-tag-message'),
  element('interruption', 'turn_aborted'),
  around('command', 'bash-input'),
  {
    kind: 'notification',
    form: /^<(channel)\s[^<>]*source="(?<name>[^"<>]*)"[^<>]*>[^]*?<\/\1>/,
    by: ['name'],
  },
  around('context', 'user_query|user_request|userRequest|USER_REQUEST|user_input|user_message'),
  common(around('context', 'task|feedback|answer|prompt')),
  fromAgent('teammate-message', 'teammate_id'),
  fromAgent('agent-message', 'from'),
  fromAgent('cross-session-message', 'from-name|from'),
  {
    kind: 'command',
    form: /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>(?<name>[^<]*)<\/command-name>(?:\s*<command-message>[^<]*<\/command-message>)?(?:\s*<command-args>(?<args>[^]*?)<\/command-args>)?(?:\s*<(?<tag>command-message|command-contents|skill-format)>[^]*?<\/\k<tag>>)*/,
    own: ['name', 'args'],
  },
  {
    kind: 'command',
    form: /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-args>(?<args>[^]*?)<\/command-args>\s*(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>(?<name>[^<]*)<\/command-name>(?:\s*<(?<tag>command-message|command-contents|skill-format)>[^]*?<\/\k<tag>>)*/,
    own: ['args', 'name'],
  },
  {
    kind: 'instructions',
    form: /^# AGENTS\.md instructions(?: for [^\n]*)?\s*(?:<INSTRUCTIONS>[^]*?<\/INSTRUCTIONS>|$)/,
  },
  {
    kind: 'context',
    form: /^# (?:Context from my IDE setup|Files mentioned by the user):[^]*?^## My request for [^\n:]{1,40}:/m,
  },
  {
    kind: 'agent',
    form: /^Message Type: (?:NEW_TASK|MESSAGE|FINAL_ANSWER)\n(?:Task name: [^\n]*\n)?(?:Sender: (?<name>[^\n]*)\n)?Payload:[^]*$/,
    by: ['name'],
  },
  {
    kind: 'agent',
    form: /^(?:Another Claude session sent a message|A peer session sent a message while you were working):?\s*(?:<cross-session-message(?:(?=[^<>]*\sfrom(?:-name)?="(?<name>[^"<>]*)")|)[^<>]*>)?[^]*$/,
    by: ['name'],
  },
  {
    kind: 'agent',
    form: /^The (?<name>coordinator) sent a message while you were working:[^]*$/,
    by: ['name'],
  },
  { kind: 'agent', form: /^\[Subagent Context\][^]*$/ },
  {
    kind: 'reminder',
    form: /^Caveat: The messages below were generated by the user while running local commands[^]*$/,
  },
  { kind: 'hook', form: /^(?:Stop hook feedback:|[A-Z][A-Za-z]+ hook additional context:)[^]*$/ },
  { kind: 'interruption', form: /^\[Request interrupted by user(?: for tool use)?\]/ },
  { kind: 'interruption', form: /^\d+ background agents? (?:was|were) stopped by the user\.?/ },
  {
    kind: 'interruption',
    form: /^\[TASK RESUMPTION\][^]*?(?=<(?:user_message|feedback|environment_details)>|$)/,
  },
  {
    kind: 'reminder',
    form: /^Warning: (?:The maximum number of unified exec processes|apply_patch was requested via|Your account was flagged for)[^]*$/,
  },
  // A channel's stamp before what somebody wrote in it.
  {
    kind: 'environment',
    form: /^\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]* \d{4}-\d\d-\d\d[^\]\n]{0,40}\](?=\s)/,
  },
  // What code gave that AutoGen ran, and what mini-SWE-agent's commands gave.
  { kind: 'output', form: /^exitcode: -?\d+ \([^)\n]{1,40}\)\s*\n\s*Code output:[^]*$/ },
  { kind: 'output', form: /^<returncode>[^<]{0,20}<\/returncode>[^]*$/ },
  { kind: 'output', form: /^\[Function Response: [^\]\n]{1,80}\][^]*$/ },
  { kind: 'notification', form: /^\[Terminal [^\]\n]{1,80} notification: [^\]\n]*\]/ },
  {
    kind: 'reminder',
    form: /^\[ERROR\] You did not use a tool in your previous response![^]*?(?=<environment_details>|$)/,
  },
  { kind: 'summary', form: /^This session is being continued from a previous conversation[^]*$/ },
  { kind: 'summary', form: /^\[CONTEXT COMPACTION\s*[-\u2013\u2014]\s*REFERENCE ONLY\][^]*$/ },
  {
    kind: 'instructions',
    form: /^\[SYSTEM: The user has invoked the "[^"\n]*" skill[^]*?(?:instruction alongside the skill invocation:|$)/,
  },
];

/** How a text has to begin, so that most prompts cost one look. */
const MAY_BE_BLOCK =
  /^\s*(?:[<[#]|Message Type:|Another |A peer |The coordinator |Caveat: |Stop hook |Warning: |[A-Z][A-Za-z]+ hook |\d+ background |This session |exitcode: )/;

/**
 * Whose words the text of a message in a person's name is: the one place where that is decided, for all readers. Gives the
 * parts that a tool put there, in UTF-16 code units of `textOf(content)`. A tool's own marks decide; tags at the head of each
 * text do where no mark stands, and within what a mark says a person sent, as long as that leaves a word of that person.
 */
export function whoSpeaks(message: unknown, marks?: SpeakerMarks): readonly Injected[] {
  if (!isObject(message) || message.role !== 'user') return [];
  const texts = textsOf(message.content);
  if (marks === undefined && !texts.some((text) => MAY_BE_BLOCK.test(text))) return [];
  const hasBlock = texts.some(
    (text) => RESULT_HEAD.test(text) || spansByTags(text, true).some(({ isCommon }) => !isCommon),
  );
  const spans: Injected[] = [];
  let at = 0;
  texts.forEach((text, index) => {
    const mark = (isList(marks) ? marks[index] : marks) ?? markOfResult(texts, index);
    for (const { from, to, kind, by } of spansIn(text, mark, hasBlock))
      spans.push({ from: at + from, to: at + to, kind, ...(by !== undefined && { by }) });
    at += text.length;
  });
  return spans;
}

/** How Cline writes, in a person's name, that the text behind is what a tool gave. */
const RESULT_HEAD = /^\[\w[\w.-]{0,60}(?: for '[^]{0,2000}')?\] Result:\s*$/;

/** What says that a text is a tool's result, by itself or by the text before it; blocks in it are told by their tags. */
function markOfResult(texts: readonly string[], index: number): SpeakerMark | undefined {
  const isResult = (text: string | undefined) => text !== undefined && RESULT_HEAD.test(text);
  const isGiven = isResult(texts[index - 1]) && !MAY_BE_BLOCK.test(texts[index] ?? '');
  return isResult(texts[index]) || isGiven ? { kind: 'output' } : undefined;
}

function isList(marks: SpeakerMarks | undefined): marks is readonly (SpeakerMark | undefined)[] {
  return Array.isArray(marks);
}

/** The texts that `textOf` joins. */
function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [textOf(content)];
  return content.flatMap((part) => (isObject(part) && part.type === 'text' ? [textOf([part])] : []));
}

interface BlockSpan extends Injected {
  readonly isCommon: boolean;
}

function spansIn(text: string, mark: SpeakerMark | undefined, takesCommon: boolean): readonly BlockSpan[] {
  if (text.trim() === '') return [];
  const byTags = spansByTags(text, takesCommon);
  if (mark === undefined) return byTags;
  if (mark.kind === 'person') return withoutInjected(text, byTags) === '' ? [] : byTags;
  const by = mark.by ?? byTags[0]?.by;
  const kind = mark.kind === 'reminder' ? (byTags[0]?.kind ?? mark.kind) : mark.kind;
  return [{ from: 0, to: text.length, kind, ...(by !== undefined && { by }), isCommon: false }];
}

/** The blocks at the head of a text; behind a person's own words only further ones. */
function spansByTags(text: string, takesCommon: boolean): readonly BlockSpan[] {
  const spans: BlockSpan[] = [];
  let at = 0;
  for (;;) {
    const rest = text.slice(at);
    if (!MAY_BE_BLOCK.test(rest)) return spans;
    const from = at + rest.length - rest.trimStart().length;
    const found = blockAt(text.slice(from), takesCommon);
    if (!found) return spans;
    for (const span of found.spans) spans.push({ ...span, from: from + span.from, to: from + span.to });
    at = from + found.length;
  }
}

/** How deep elements of one name may stand one within the other; hostile texts nest without an end. */
const MAX_NESTED = 20;

/** An element to its own end, where others of its name stand within it; to the first end where too few end. */
function nested(text: string, found: string, tag: string): string {
  const tags = new RegExp(`<(/?)${tag}(?:\\s[^<>]*)?>`, 'g');
  let depth = 0;
  for (const match of text.matchAll(tags)) {
    depth += match[1] === '/' ? -1 : 1;
    if (depth === 0) return text.slice(0, match.index + match[0].length);
    if (depth > MAX_NESTED) return found;
  }
  return found;
}

function blockAt(
  text: string,
  takesCommon: boolean,
): { readonly spans: readonly BlockSpan[]; readonly length: number } | undefined {
  for (const { kind, form, own = [], by = [], isCommon = false, isNested = false } of BLOCKS) {
    const match = form.exec(text);
    if (!match || match[0] === '') continue;
    const [found, tag = ''] = match;
    // Of what is all there is, the tags alone are put there, and nothing is lost of the words within.
    const isAll = own.length > 0 && found.trim() === text.trim();
    if (isCommon && !takesCommon && !isAll) continue;
    const whole = isNested ? nested(text, found, tag) : found;
    const name = by.map((group) => match.groups?.[group]?.trim() ?? '').find((each) => each !== '');
    const spans: BlockSpan[] = [];
    let at = 0;
    for (const group of own) {
      const words = match.groups?.[group] ?? '';
      const from = words.trim() === '' ? 0 : whole.indexOf(`>${words}<`, at) + 1;
      if (from === 0) continue;
      spans.push({ from: at, to: from, kind, isCommon });
      at = from + words.length;
    }
    spans.push({ from: at, to: whole.length, kind, ...(name !== undefined && { by: name }), isCommon });
    return { spans, length: whole.length };
  }
  return undefined;
}
