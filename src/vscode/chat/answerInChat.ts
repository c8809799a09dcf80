import { join } from 'node:path';
import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import { visibleLine, visibleText } from '../../core/visibleText.js';
import type { Log } from '../../ports/log.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { Logbooks } from '../logbooks.js';
import { chatParticipantId, commandName } from '../manifest.js';
import type { RunRequest, TeamRuns } from '../runs/teamRuns.js';
import { UserError } from '../userError.js';
import { ChatFrontend } from './chatFrontend.js';
import { chatQuestion } from './chatQuestion.js';
import { escapeMarkdown } from './escapeMarkdown.js';

export interface ChatParts {
  readonly library: AgentLibrary;
  readonly logbooks: Logbooks;
  readonly runs: TeamRuns;
  readonly log: Log;
}

type History = vscode.ChatContext['history'];

/** Answers one question to `@logbook`: runs an agent, or goes on with the conversation of the question before. */
export async function answerInChat(
  parts: ChatParts,
  { command, prompt }: Pick<vscode.ChatRequest, 'command' | 'prompt'>,
  history: History,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const before = conversationIn(history);
  try {
    const run = await runFor(parts, command, prompt, before, stream);
    return await answer(parts, run, stream, token);
  } catch (error) {
    if (!(error instanceof UserError)) parts.log.error('A question in the Chat view failed', error);
    return failed(messageOf(error), before);
  }
}

type Question = Pick<RunRequest, 'agent' | 'conversation' | 'prompt'>;

async function runFor(
  { library, logbooks }: ChatParts,
  command: string | undefined,
  text: string,
  before: string | undefined,
  stream: vscode.ChatResponseStream,
): Promise<Question> {
  const agents = await library.invocable();
  const [first] = agents;
  if (!first) throw new UserError('There is no agent here. Create one with the command "New Agent…".');
  const names = agents.map(({ name }) => name);
  const question = chatQuestion(command, text, names);
  const list = names.map((name) => visibleLine(name)).join(', ');
  if (question.kind === 'unknownAgent') {
    throw new UserError(`Say which agent: /run AGENT PROMPT. These can be run: ${list}.`);
  }
  const { prompt } = question;
  if (prompt === '') throw new UserError('Say what the agent shall do.');
  if (question.kind === 'run') {
    const agent = agents.find(({ name }) => name === question.agent) ?? first;
    return { agent, prompt };
  }
  const kept = before === undefined ? undefined : await isThere(logbooks, before);
  if (before !== undefined && kept === true) return { conversation: before, prompt };
  const why = kept === false ? 'The conversation is not there any more, so a new one begins. ' : '';
  const other = agents.length > 1 ? ` To ask another agent: /run AGENT PROMPT, with ${list}.` : '';
  stream.markdown(`${escapeMarkdown(`${why}${visibleLine(first.name)} answers.${other}`)}\n\n`);
  return { agent: first, prompt };
}

async function answer(
  { runs, logbooks }: ChatParts,
  question: Question,
  stream: vscode.ChatResponseStream,
  token: vscode.CancellationToken,
): Promise<vscode.ChatResult> {
  const controller = new AbortController();
  const following = token.onCancellationRequested(() => controller.abort());
  if (token.isCancellationRequested) controller.abort();
  try {
    const frontend = { name: 'Chat view', frontend: new ChatFrontend(stream) };
    const { conversation, done } = await runs.start({ ...question, frontend, signal: controller.signal });
    const { outcome, text, error } = await done;
    // Without trust: what looks like a command in a model's answer runs nothing.
    if (text !== '') stream.markdown(new vscode.MarkdownString(visibleText(text)));
    const { root } = await logbooks.find(conversation);
    stream.reference(vscode.Uri.file(join(root, 'conversations', conversation, 'messages.jsonl')));
    const open = { command: commandName('openTranscript'), title: 'Open Transcript' };
    stream.button({ ...open, arguments: [{ conversation }] });
    if (outcome === 'done' || outcome === 'cancelled') return { metadata: { conversation } };
    return failed(error?.message ?? outcome, conversation);
  } finally {
    following.dispose();
  }
}

function failed(message: string, conversation: string | undefined): vscode.ChatResult {
  const errorDetails = { message: escapeMarkdown(visibleText(message)) };
  return { errorDetails, ...(conversation !== undefined && { metadata: { conversation } }) };
}

/** The conversation that the latest answer of ours in this chat was given in. */
function conversationIn(history: History): string | undefined {
  const ours = history.filter(
    (turn) => turn instanceof vscode.ChatResponseTurn && turn.participant === chatParticipantId,
  );
  const metadata = ours.map((turn) => (turn as vscode.ChatResponseTurn).result.metadata);
  const ids = metadata.map((known): unknown => known?.conversation);
  return ids.findLast((id): id is string => typeof id === 'string');
}

async function isThere(logbooks: Logbooks, conversation: string): Promise<boolean> {
  return (await logbooks.conversations()).some(({ entry }) => entry.conversation === conversation);
}
