/** Who decided on a tool call, as the result of the call tells it. */
export interface ReportedDecision {
  readonly decidedBy: 'user' | 'policy' | 'hook';
  /** What the person, the rule or the hook said; '' for nothing. */
  readonly reason: string;
}

/** One way in which a tool tells that a call was denied: how its result begins, and where in it the reason stands. */
interface DenialForm extends Pick<ReportedDecision, 'decidedBy'> {
  /** The reason, where there is one, is its first group. */
  readonly form: RegExp;
}

/** A longer result is none of these, in UTF-16 code units: what denies a call says so in a few words. */
const MAX_LENGTH = 4_000;

/**
 * What tools answer in place of a result where a call was denied, from what they write into their sessions: Claude Code,
 * Codex, OpenCode, Gemini CLI and those made of it, Cline and Roo Code, Goose. Each stands at the very beginning.
 */
const FORMS: readonly DenialForm[] = [
  {
    decidedBy: 'user',
    form: /^(?:Error: )?The user doesn't want to (?:proceed with this tool use|take this action right now)\.[^]*?(?:the user said:\s*([^]*))?$/,
  },
  { decidedBy: 'policy', form: /^Permission to use [^\n]{1,300} has been denied\.?\s*([^]*)$/ },
  {
    decidedBy: 'policy',
    form: /^[^\n]{1,300} was blocked\. (For security, Claude Code may only [^\n]*)$/,
  },
  {
    decidedBy: 'policy',
    form: /^Claude requested permissions to [^\n]{1,300}, but you haven't granted it yet\.?()$/,
  },
  {
    decidedBy: 'policy',
    form: /^(?:Error: )?Permission for this action (?:has been|was) denied by the Claude Code auto mode classifier\.\s*(?:Reason:\s*([^]*?)\s*)?(?:If you have other tasks[^]*)?$/,
  },
  {
    decidedBy: 'hook',
    form: /^(?:Error: )?(?:Hook PreToolUse|PreToolUse)[\w:.-]{0,100} (?:hook (?:blocking )?error|denied this tool)[:. ]*([^]*)$/,
  },
  { decidedBy: 'user', form: /^(?:exec command|patch) rejected by user()$/ },
  { decidedBy: 'policy', form: /^This action was rejected due to unacceptable risk\.\s*([^]*)$/ },
  {
    decidedBy: 'user',
    form: /^(?:Error: )?The user rejected permission to use this specific tool call(?:\.| with the following feedback: )\s*([^]*)$/,
  },
  {
    decidedBy: 'user',
    form: /^\[Operation Cancelled\] Reason: User (?:did not allow tool call|denied execution)\b[.: ]*([^]*)$/,
  },
  {
    decidedBy: 'user',
    form: /^The user denied this operation(?:\.| and provided the following feedback:)\s*(?:<feedback>\s*)?([^]*?)(?:\s*<\/feedback>[^]*)?$/,
  },
  // Copilot CLI's, and the state that Amp has in place of a result.
  { decidedBy: 'user', form: /^The user rejected this tool call\.(?: User feedback: ([^]*))?$/ },
  { decidedBy: 'user', form: /^rejected-by-user(?:: ([^]*))?$/ },
  { decidedBy: 'user', form: /^(?:The )?[Uu]ser has declined to run this tool\.?\s*([^]*)$/ },
];

/** How these begin, or what stands in the one that begins with a text of the tool: most results are looked at no further. */
const BEGINNING =
  /^(?:Error: |The |Permission |Claude |Hook |PreToolUse|exec |patch |This |\[Operation |rejected-|[Uu]ser )/;
const BLOCKED = ' was blocked. For security';

/** The decision that the result of a tool call tells; undefined for a result that tells of none. */
export function denialIn(result: string): ReportedDecision | undefined {
  const text = result.trim();
  if (text.length > MAX_LENGTH) return undefined;
  if (!BEGINNING.test(text) && !text.includes(BLOCKED)) return undefined;
  for (const { form, decidedBy } of FORMS) {
    const found = form.exec(text);
    if (found) return { decidedBy, reason: (found[1] ?? '').trim() };
  }
  return undefined;
}
