import { createHash, randomUUID } from 'node:crypto';

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

function toolOf(source = 'agent-logbook'): string {
  return GIT_AI_TOOLS[source] ?? source;
}

function hex14(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 14);
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
