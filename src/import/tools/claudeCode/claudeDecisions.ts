import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { denialIn } from '../../building/decisions.js';
import type { CallSite, Decider } from '../../../core/record.js';
import { asText, fields, objects, text, type Fields } from '../../reading/fields.js';

/** What a program was asked by a session that it drives: whether a tool may be called. */
interface PermissionQuery {
  readonly toolCallId: string;
  readonly at: number | undefined;
}

/** Who denied a call, by what Claude Code calls it; `rule` names what decided where its result does not. */
const DENIERS: ReadonlyMap<string, { readonly decidedBy: Decider; readonly rule: string }> = new Map([
  ['user-rejected', { decidedBy: 'user', rule: '' }],
  ['permission-rule', { decidedBy: 'policy', rule: '' }],
  ['automode-blocked', { decidedBy: 'policy', rule: 'auto mode' }],
  ['automode-unavailable', { decidedBy: 'policy', rule: 'auto mode' }],
  ['automode-parsing-error', { decidedBy: 'policy', rule: 'auto mode' }],
] as const);

/** The decisions about tool calls that a session of Claude Code tells besides the words of results. */
export class ClaudeDecisions {
  readonly #builder: ConversationBuilder;
  readonly #asked = new Map<string, PermissionQuery>();

  constructor(builder: ConversationBuilder) {
    this.#builder = builder;
  }

  /** A line with the results of calls, before these are added: whether they stand for calls that were denied. */
  addResults(line: Fields, callSite: CallSite, at: number | undefined): void {
    const denier = DENIERS.get(asText(line.toolDenialKind));
    if (!denier) return;
    for (const { type, tool_use_id: id, is_error: isError, content } of objects(
      fields(line.message).content,
    )) {
      if (type !== 'tool_result' || typeof id !== 'string' || isError === false) continue;
      const words =
        typeof content === 'string'
          ? content
          : objects(content)
              .map((part) => asText(part.text))
              .join('\n');
      const told = denialIn(words);
      const { rule } = denier;
      const decidedBy = told?.decidedBy ?? denier.decidedBy;
      this.#deny(callSite, { toolCallId: id, decidedBy, rule, reason: told?.reason ?? '' }, at);
    }
  }

  /** What a hook for permissions decided. */
  addHook(attachment: Fields, callSite: CallSite, at: number | undefined): void {
    const { type, decision, toolUseID, hookEvent, hookName, blockingError } = attachment;
    if (type === 'hook_blocking_error' && typeof toolUseID === 'string') {
      // What a hook says once a tool has run denies nothing.
      const isBefore = asText(hookEvent ?? hookName).startsWith('PreToolUse');
      const reason = text(blockingError) ?? asText(fields(blockingError).blockingError ?? '');
      if (isBefore) this.#deny(callSite, { toolCallId: toolUseID, decidedBy: 'hook', reason }, at);
      return;
    }
    if (type !== 'hook_permission_decision' || typeof toolUseID !== 'string') return;
    if (decision !== 'allow' && decision !== 'deny') return;
    const about = { toolCallId: toolUseID, isApproved: decision === 'allow', rule: text(hookEvent) ?? '' };
    this.#builder.decide(callSite, { ...about, decidedBy: 'hook' }, at);
  }

  /** The calls that the last line of a stream says were denied. */
  addDenials(line: Fields, callSite: CallSite, at: number | undefined): void {
    for (const { tool_use_id: toolCallId } of objects(line.permission_denials))
      if (typeof toolCallId === 'string') this.#deny(callSite, { toolCallId, decidedBy: 'policy' }, at);
  }

  /** What a stream asked the program that drives it, or what that answered: it asks whoever uses it. */
  addControl(line: Fields, callSite: CallSite, at: number | undefined): void {
    const request = fields(line.request);
    const toolCallId = text(request.tool_use_id);
    const id = text(line.request_id);
    if (request.subtype === 'can_use_tool' && toolCallId !== undefined && id !== undefined) {
      this.#asked.set(id, { toolCallId, at });
      return;
    }
    const response = fields(line.response);
    const asked = this.#asked.get(asText(response.request_id));
    const { behavior, message } = fields(response.response);
    if (!asked || (behavior !== 'allow' && behavior !== 'deny')) return;
    this.#asked.delete(asText(response.request_id));
    const waitedMs = at === undefined || asked.at === undefined ? 0 : Math.max(0, at - asked.at);
    const isApproved = behavior === 'allow';
    const reason = isApproved ? '' : asText(message);
    this.#builder.decide(
      callSite,
      { toolCallId: asked.toolCallId, isApproved, decidedBy: 'user', reason, waitedMs },
      at,
    );
  }

  #deny(
    callSite: CallSite,
    denial: { toolCallId: string; decidedBy: Decider; rule?: string; reason?: string },
    at: number | undefined,
  ): void {
    if (this.#builder.isDecided(callSite, denial.toolCallId)) return;
    this.#builder.decide(callSite, { ...denial, isApproved: false }, at);
  }
}
