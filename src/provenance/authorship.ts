import { createHash, randomUUID } from 'node:crypto';
import { isObject } from '../core/message.js';

/** A line's author as other programs know one: a session of a tool, and the call by which it wrote. */
export interface SessionAuthor {
  /** The tool that recorded the session, as its importer names it; undefined where it was recorded here. */
  readonly source?: string;
  /** What that tool calls the session. */
  readonly toolSession?: string;
  readonly session: string;
  readonly callId: string;
  readonly model?: string;
}

/** The lines of a file at a revision, with their authors. */
export interface AuthoredFile {
  /** As git names it. */
  readonly path: string;
  readonly revision: string;
  readonly lines: readonly (SessionAuthor | undefined)[];
  /** The version of this program. */
  readonly version: string;
}

/** What git-ai calls tools that it has another name for. */
const GIT_AI_TOOLS: Readonly<Record<string, string>> = {
  'claude-code': 'claude',
  'gemini-cli': 'gemini',
  'copilot-cli': 'copilot',
  'copilot-events': 'copilot',
};

/** The key by which git-ai knows a session: computable by everybody who knows the session's id. */
export function gitAiKey({ source, toolSession, session }: SessionAuthor): string {
  return `s_${hex14(`${toolOf(source)}:${toolSession ?? session}`)}`;
}

/** A note on a commit in the form of git-ai's standard, version 3.0; see docs/blame.md. */
export function gitAiNote({ path, revision, lines, version }: AuthoredFile): string {
  const byKey = new Map<string, number[]>();
  const sessions: Record<string, object> = {};
  for (const [at, author] of lines.entries()) {
    if (!author) continue;
    const session = gitAiKey(author);
    const { source, toolSession, session: own, model } = author;
    sessions[session] = {
      agent_id: { tool: toolOf(source), id: toolSession ?? own, model: model ?? 'unknown' },
    };
    const key = `${session}::t_${hex14(author.callId)}`;
    byKey.set(key, [...(byKey.get(key) ?? []), at + 1]);
  }
  const name = /[\s]/.test(path) ? `"${path}"` : path;
  const entries = [...byKey].map(
    ([key, numbers]) =>
      `  ${key} ${rangesOf(numbers)
        .map(([first, last]) => (first === last ? String(first) : `${first}-${last}`))
        .join(',')}\n`,
  );
  const about = {
    schema_version: 'authorship/3.0.0',
    git_ai_version: `agent-logbook ${version}`,
    base_commit_sha: revision,
    prompts: {},
    humans: {},
    sessions,
  };
  return `${entries.length === 0 ? '' : `${name}\n${entries.join('')}`}---\n${JSON.stringify(about)}\n`;
}

/** A record in the form of Agent Trace, version 0.1. */
export function agentTrace({ path, revision, lines, version }: AuthoredFile, now: number): object {
  const bySession = new Map<string, { author: SessionAuthor; numbers: number[] }>();
  for (const [at, author] of lines.entries()) {
    if (!author) continue;
    const key = `${gitAiKey(author)} ${author.model ?? ''}`;
    const known = bySession.get(key);
    if (known) known.numbers.push(at + 1);
    else bySession.set(key, { author, numbers: [at + 1] });
  }
  const conversations = [...bySession.values()].map(({ author, numbers }) => ({
    contributor: { type: 'ai', ...(author.model !== undefined && { model_id: author.model }) },
    ranges: rangesOf(numbers).map(([start_line, end_line]) => ({ start_line, end_line })),
    related: [
      {
        type: 'session',
        url: `urn:agent-session:${toolOf(author.source)}:${encodeURIComponent(author.toolSession ?? author.session)}`,
      },
    ],
  }));
  return {
    version: '0.1.0',
    id: randomUUID(),
    timestamp: new Date(now).toISOString(),
    vcs: { type: 'git', revision },
    tool: { name: 'agent-logbook', version },
    files: [{ path, conversations }],
  };
}

/** Who wrote a line as another program tells it. */
export interface AuthorClaim {
  readonly toldBy: 'git-ai' | 'agent-trace';
  /** The tool and its session, where they are told. */
  readonly tool?: string;
  readonly toolSession?: string;
  readonly model?: string;
  /** The key of git-ai by which a session on this machine is known again, see `gitAiKey`. */
  readonly key?: string;
}

/** Lines of one file, counted from 1, with who wrote them. */
export type LineClaims = ReadonlyMap<number, AuthorClaim>;

/** A file of an Agent Trace record at the revision at which its lines are counted. */
export interface TracedFile {
  readonly revision: string;
  readonly path: string;
  readonly lines: LineClaims;
}

/** Of a file no more lines are taken, and of a text no more of them in all. */
const MAX_TOLD_LINES = 200_000;

/** What a note of git-ai says of the lines of a commit's files, by their paths; lines that people wrote are left out. */
export function readGitAiNote(note: string): ReadonlyMap<string, LineClaims> {
  const [, attested = '', json = ''] = /^(.*?)(?:^|\n)---\n(.*)$/s.exec(`${note.trim()}\n`) ?? [];
  const about = parsed(json);
  if (!isObject(about)) return new Map();
  const [sessions, prompts] = [about.sessions, about.prompts].map((each) => (isObject(each) ? each : {}));
  const authorOf = (key: string): AuthorClaim | undefined => {
    const [session = ''] = key.split('::');
    if (session.startsWith('h_')) return undefined;
    const told = sessions?.[session] ?? prompts?.[session];
    const agent = isObject(told) && isObject(told.agent_id) ? told.agent_id : undefined;
    if (!agent) return undefined;
    return {
      toldBy: 'git-ai',
      ...textsOf({ tool: agent.tool, toolSession: agent.id, model: agent.model }),
      key: session,
    };
  };
  const found = new Map<string, Map<number, AuthorClaim>>();
  let lines: Map<number, AuthorClaim> | undefined;
  let room = MAX_TOLD_LINES;
  for (const line of attested.split('\n')) {
    const [isEntry, key = '', ranges = ''] = /^ {2}(\S+) ([\d,-]+)$/.exec(line) ?? [];
    if (isEntry === undefined) {
      const path = /^"(.*)"$/.exec(line)?.[1] ?? line;
      lines =
        path === '' || line.startsWith(' ') ? undefined : (found.get(path) ?? new Map<number, AuthorClaim>());
      if (lines) found.set(path, lines);
      continue;
    }
    const author = authorOf(key);
    for (const range of author ? ranges.split(',') : []) {
      const [, first = '', last = first] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(range) ?? [];
      for (let at = Number(first); first !== '' && at <= Number(last) && room-- > 0; at++)
        if (author) lines?.set(at, author);
    }
  }
  return found;
}

/** What records of Agent Trace say, one record or several lines of them; what is none is left out. */
export function readAgentTraces(text: string): readonly TracedFile[] {
  const whole = parsed(text);
  const records = whole === undefined ? text.split('\n').map(parsed) : Array.isArray(whole) ? whole : [whole];
  let room = MAX_TOLD_LINES;
  return records.flatMap((record: unknown): TracedFile[] => {
    if (!isObject(record) || !isObject(record.vcs) || !Array.isArray(record.files)) return [];
    const { type, revision } = record.vcs;
    if (type !== 'git' || typeof revision !== 'string' || !/^[\da-f]{40,64}$/.test(revision)) return [];
    return record.files.flatMap((file: unknown): TracedFile[] => {
      if (!isObject(file) || typeof file.path !== 'string' || !Array.isArray(file.conversations)) return [];
      const lines = new Map<number, AuthorClaim>();
      for (const conversation of file.conversations as readonly unknown[]) {
        if (!isObject(conversation) || !Array.isArray(conversation.ranges)) continue;
        for (const range of conversation.ranges as readonly unknown[]) {
          if (!isObject(range)) continue;
          const by = isObject(range.contributor) ? range.contributor : conversation.contributor;
          const { start_line: first, end_line: last } = range;
          if (!isObject(by) || by.type !== 'ai' || typeof first !== 'number' || typeof last !== 'number')
            continue;
          const author = {
            toldBy: 'agent-trace' as const,
            ...textsOf({ model: by.model_id }),
            ...sessionIn(conversation),
          };
          for (let at = Math.max(1, Math.ceil(first)); at <= last && room-- > 0; at++) lines.set(at, author);
        }
      }
      return [{ revision, path: file.path, lines }];
    });
  });
}

/** The session that a record of this program names, see `agentTrace`. */
function sessionIn({
  related,
}: Readonly<Record<string, unknown>>): Pick<AuthorClaim, 'tool' | 'toolSession' | 'key'> {
  for (const each of Array.isArray(related) ? (related as readonly unknown[]) : []) {
    const url = isObject(each) && typeof each.url === 'string' ? each.url : '';
    const [, tool, encoded] = /^urn:agent-session:([\w-]+):([\w.~%-]{1,1000})$/.exec(url) ?? [];
    if (tool === undefined || encoded === undefined) continue;
    try {
      const toolSession = decodeURIComponent(encoded);
      return { tool, toolSession, key: `s_${hex14(`${tool}:${toolSession}`)}` };
    } catch {
      // An address that this program has not written.
    }
  }
  return {};
}

/** Whether a key of git-ai is that of a session, in its form of now or of before. */
export function isKeyOf(
  key: string,
  { source, toolSession, session }: Pick<SessionAuthor, 'source' | 'toolSession' | 'session'>,
): boolean {
  const hash = hexOf(`${toolOf(source)}:${toolSession ?? session}`);
  const told = key.replace(/^s_/, '');
  return told.length >= 7 && hash.startsWith(told);
}

/** Texts that are told, no longer than names are. */
function textsOf<Name extends string>(told: Readonly<Record<Name, unknown>>): Partial<Record<Name, string>> {
  return Object.fromEntries(
    Object.entries(told).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value.slice(0, 1_000)]] : [],
    ),
  ) as Partial<Record<Name, string>>;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    // Said by somebody else, and no JSON: it says nothing.
    return undefined;
  }
}

function toolOf(source = 'agent-logbook'): string {
  return GIT_AI_TOOLS[source] ?? source;
}

function hex14(text: string): string {
  return hexOf(text).slice(0, 14);
}

function hexOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Ascending numbers as stretches, each with its first and last. */
function rangesOf(numbers: readonly number[]): readonly [first: number, last: number][] {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
