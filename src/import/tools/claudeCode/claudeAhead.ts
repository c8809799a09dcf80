import { titleTextOf } from '../../../core/injected.js';
import { textOf } from '../../../core/message.js';
import { promptTitle } from '../../../core/promptTitle.js';
import { asText, fields, list, objects, text, type Fields } from '../../reading/fields.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import { contentParts } from '../../messages/chatMessage.js';
import { whoSpeaks } from '../../building/whoSpeaks.js';
import { CopyMark, type CopyMarks } from './claudeLineage.js';
import { claudeMark, ClaudeQueue } from './claudeSpeakers.js';

/** How much of a prompt is taken for a title, in code points; the conversation shortens it. */
const MAX_PROMPT = 200;

/** What the lines of a session say of the whole, wherever they stand. */
export class ClaudeAhead implements CopyMarks {
  /** The tool call that started each agent, according to its result. */
  readonly startedBy = new Map<string, string>();
  /** Whether it is what Qwen Code prints, in the form of Claude Code's. */
  isQwen = false;
  /** Whether a stream says at its end what each model used, subagents included. */
  tellsWhole = false;
  /** What a member of a team is called, whose own session it is. */
  agent: string | undefined;
  forkedFrom: string | undefined;
  firstUuid: string | undefined;
  lastUuid: string | undefined;
  #known: Pick<Fields, 'sessionId' | 'agentId'> | undefined;
  /** What Claude Code says to programs has the session under another key. */
  #streamed: unknown;
  #isSidechain: boolean | undefined;
  #summary: unknown;
  /** The last name that a person gave it, and the last that was made of it. */
  #named: string | undefined;
  #made: string | undefined;
  #prompt: string | undefined;
  readonly #mark = new CopyMark();
  readonly queue = new ClaudeQueue();

  get isCopy(): boolean {
    return this.#mark.isCopy;
  }

  look(line: Fields): void {
    const { sessionId, agentId, session_id, uuid, isSidechain, type, summary } = line;
    if (sessionId !== undefined) this.#known ??= { sessionId, agentId };
    this.#streamed ??= session_id;
    this.isQwen ||= 'qwen_code_version' in line;
    this.tellsWhole ||=
      type === 'result' &&
      line.total_cost_usd !== undefined &&
      Object.keys(fields(line.modelUsage)).length > 0;
    if (uuid !== undefined) this.#isSidechain ??= isSidechain === true;
    if (typeof uuid === 'string') {
      this.firstUuid ??= uuid;
      this.lastUuid = uuid;
    }
    if (line.teamName !== undefined && isSidechain !== true) this.agent ??= text(line.agentName);
    this.forkedFrom ??= text(fields(line.forkedFrom).sessionId);
    this.#mark.look(line);
    this.queue.look(line);
    if (type === 'summary') this.#summary ??= { summary };
    if (type === 'custom-title') this.#named = text(line.customTitle) ?? this.#named;
    if (type === 'ai-title') this.#made = text(line.aiTitle) ?? this.#made;
    this.#prompt ??= personsPrompt(line);
    this.lookBeside(line);
  }

  /** Looks at a line of any file, which may be a subagent's that started others; gives the calls of which it tells whom they started. */
  lookBeside(line: Fields): string[] {
    const started = startedBy(line);
    for (const [agent, call] of started) this.startedBy.set(agent, call);
    return started.map(([, call]) => call);
  }

  /** Whether the file is a subagent's own, so that its lines are not a side chain of it. */
  get isSubagent(): boolean {
    return this.#isSidechain === true;
  }

  get id(): unknown {
    const agentId = this.#known?.agentId;
    if (this.isSubagent && agentId !== undefined) return `agent-${asText(agentId)}`;
    return this.#known?.sessionId ?? this.#streamed;
  }

  /** All that decides how lines are read that stand before those which say it. */
  get readAssumptions(): string {
    const { id, isQwen, tellsWhole, isSubagent, isCopy, agent, forkedFrom } = this;
    return JSON.stringify([
      id,
      isQwen,
      tellsWhole,
      isSubagent,
      isCopy,
      agent,
      forkedFrom,
      this.queue.assumed,
    ]);
  }

  get title(): string | undefined {
    return this.#named ?? this.#made ?? text(fields(this.#summary).summary) ?? this.#prompt;
  }
}

/** What a person asked in a line; undefined for what the program itself puts there, like notices and summaries. */
function personsPrompt(line: Fields): string | undefined {
  const { type, message, isSidechain, parent_tool_use_id } = line;
  if (type !== 'user' || isSidechain === true || text(parent_tool_use_id) !== undefined) return undefined;
  const said = { role: 'user', content: contentOf(contentParts(fields(message).content)) };
  const words = titleTextOf({ message: said, injected: whoSpeaks(said, claudeMark(line)) });
  return promptTitle(words, MAX_PROMPT);
}

/** A workflow stands among the agents under a key that none of these has. */
export const workflowKey = (run: string) => `workflow ${run}`;

/** The agent or the workflow that a tool's result names, and the call that it answers; none for other lines. */
function startedBy({ toolUseResult, message }: Fields): [agentId: string, toolCallId: string][] {
  const { agentId: agent, runId, transcriptDir } = fields(toolUseResult);
  if (agent === undefined && runId === undefined) return [];
  const run = transcriptDir === undefined ? undefined : text(runId);
  const agentId = text(agent) ?? (run === undefined ? undefined : workflowKey(run));
  const { tool_use_id } = objects(fields(message).content).find(({ type }) => type === 'tool_result') ?? {};
  return agentId === undefined || tool_use_id === undefined ? [] : [[agentId, asText(tool_use_id)]];
}

/** What a prompt says, in whatever shape its content has. */
export function promptText(content: unknown): string {
  return list(content).length > 0 ? textOf(content) : asText(content);
}
