import { basename, dirname, join } from 'node:path';
import { sessionInDatabase } from '../../../core/sessionInDatabase.js';
import { ANY, JSON_LINES, roots, userFolders, type ToolHome } from '../home.js';
import { isObject } from '../../../core/message.js';
import { copilotCliHint, copilotLife } from '../copilotCli/copilotCliHome.js';
import { parts, fields, text, type Fields, type SessionHint } from '../hint.js';
import { signOfEnd, type LifeSign } from '../life.js';

const JSON_FILES = /\.jsonl?$/;

/** Copilot Chat's databases, that with what was said before those of its traces. */
const DATABASES = [/^session-store\.db$/, /^(?:agent-)?traces\.db$/] as const;

/** How long a session is at most in which nobody was asked anything, in bytes: of longer ones nothing is read. */
const MAX_STUB = 256 * 1024;

/** That somebody was asked something, in a whole session and in a line that changes one. */
const ASKED = /"requests"\s*:\s*\[\s*\{|"k"\s*:\s*\[\s*"requests"/;

/** The first that is no stub: Copilot's log of a chat of which VS Code keeps an empty one is the chat. */
const partsOf: NonNullable<ToolHome['partsOf']> = (paths, headOf) => {
  const [first = ''] = paths;
  for (const path of paths) if (!isStub(path, headOf)) return { path, parts: [path] };
  return { path: first, parts: [first] };
};

/**
 * The chat of VS Code, in the user data of each editor and of its servers. Copilot Chat keeps a log of its own of each chat,
 * which is the only one of some: of others the chat's own file says more. Its databases have some of which both are gone.
 */
export const vscodeChatHome: ToolHome<'vscode-chat'> = {
  id: 'vscode-chat',
  name: 'VS Code Chat',
  hintOf: vscodeChatHint,
  approvals: 'record',
  messagesIn: 'requests',
  places: (machine, folders) =>
    roots(userFolders(machine), folders).flatMap((folder) => [
      {
        folder: join(folder, 'workspaceStorage'),
        names: [ANY, /^chatSessions$/, JSON_FILES],
        workspaceAt: 0,
      },
      {
        folder: join(folder, 'globalStorage'),
        names: [/^(?:emptyWindowChatSessions|transferredChatSessions)$/, JSON_FILES],
        workspaceAt: 0,
      },
      {
        folder: join(folder, 'workspaceStorage'),
        names: [ANY, /^GitHub\.copilot-chat$/i, /^transcripts$/, JSON_LINES],
        workspaceAt: 0,
      },
      ...DATABASES.map((database) => ({
        folder: join(folder, 'globalStorage'),
        names: [/^github\.copilot-chat$/i, database],
        workspaceAt: undefined,
      })),
    ]),
  // In the data of different editors they are different ones.
  sessionOf: (path) =>
    path.replace(/[\\/](?:workspace|global)Storage[\\/].*[\\/]/, ' ').replace(JSON_FILES, ''),
  partsOf,
};

/** Whether a session of VS Code's own is one in which nobody was asked anything. */
function isStub(path: string, headOf: (path: string, bytes: number) => string): boolean {
  if (basename(dirname(path)) === 'transcripts' || sessionInDatabase(path)) return false;
  const head = headOf(path, MAX_STUB);
  return head.length < MAX_STUB && !ASKED.test(head);
}

/** A session, one of its requests, a line of a log of changes, whose first holds the session, or an event of Copilot's log. */
export function vscodeChatHint(value: Fields): SessionHint | undefined {
  if (value.kind === 0 && isObject(value.v)) {
    const begun = fields(value.v);
    const all = parts(begun.requests).map(vscodeChatHint);
    const first = all.find((each) => each?.prompt !== undefined);
    return { ...sessionOfVscode(begun), ...all.at(-1), prompt: first?.prompt, messages: all.length * 2 };
  }
  if (value.kind === 2 && Array.isArray(value.v) && lastKey(value) === 'requests') {
    const added = parts(value.v).map(vscodeChatHint);
    return { ...added.at(-1), prompt: added[0]?.prompt, messages: added.length * 2 };
  }
  if (value.kind === 1 && lastKey(value) === 'customTitle') return { named: text(value.v) };
  if (value.kind === 1 && lastKey(value) === 'modelState') return { life: stateSigns(value.v) };
  if (isObject(value.data)) return { ...copilotCliHint(value), life: copilotLife(value) };
  if ('requests' in value) return sessionOfVscode(value);
  if (!isObject(value.message) || !('requestId' in value)) return undefined;
  const { errorDetails } = fields(value.result);
  const told = stateSigns(value.modelState);
  const at = typeof value.timestamp === 'number' ? { at: value.timestamp } : {};
  const end = errorDetails !== undefined ? 'error' : value.result !== undefined ? 'answer' : 'prompt';
  const life: readonly LifeSign[] = [{ kind: 'turn', ...at }, ...(told.length > 0 ? told : [signOfEnd(end)])];
  return { prompt: text(value.message.text), model: modelOf(value.modelId), messages: 2, end, life };
}

function sessionOfVscode({ customTitle, responderUsername }: Fields): SessionHint {
  return { named: text(customTitle), agent: text(responderUsername) };
}

function lastKey({ k }: Fields): unknown {
  return Array.isArray(k) ? (k.at(-1) as unknown) : undefined;
}

/** A model's id without its vendor, as in `copilot/gpt-5`. */
function modelOf(id: unknown): string | undefined {
  return text(id)?.replace(/^[\w.-]+\//, '');
}

/** What the state of a request says, as VS Code numbers them. */
function stateSigns(state: unknown): readonly LifeSign[] {
  const { value, completedAt } = fields(state);
  const at = typeof completedAt === 'number' ? { at: completedAt } : {};
  const signs: readonly LifeSign[] = [
    { kind: 'step' },
    { kind: 'finish', ...at },
    { kind: 'break', by: 'person', ...at },
    { kind: 'break', by: 'error', ...at },
    { kind: 'ask', for: 'approval' },
  ];
  const found = typeof value === 'number' ? signs[value] : undefined;
  return found ? [found] : [];
}
