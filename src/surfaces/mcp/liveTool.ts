import { stateText } from '../../app/discovery/stateWords.js';
import type { ReportedSession } from '../../app/sources/toolSessions.js';
import { UserError } from '../../app/userError.js';
import { answerOf, FLAG, listOf, NUMBER, RECORDED, TEXT, WHOLE } from './answerSchemas.js';
import type { McpLibrary } from './library.js';
import { fitted, roomOf } from './page.js';
import { QUOTED, shownId, shownName, shownText, shownTime } from './shown.js';
import { whole, type ReadTool, type ToolArguments } from './readTool.js';

/** Tells a model what works and what waits for a person. */
export const liveTool: ReadTool = {
  name: 'live_sessions',
  title: 'What works and who waits now',
  description:
    'Lists the sessions of agent tools on this machine that work, wait for a person or are open now, who needs a person first, with what they do, since when and how that is known. Nothing is guessed: what only silence says has known_from "silence".',
  properties: {
    max_tokens: whole(
      'About so many tokens at most; the last sessions are left out for that, which is said. 20,000 where nothing else is said.',
      500,
      100_000,
    ),
  },
  required: [],
  answer: answerOf(
    {
      recorded: RECORDED,
      sessions: listOf(
        answerOf(
          {
            session: TEXT,
            title: TEXT,
            source: TEXT,
            project: TEXT,
            state: TEXT,
            doing: TEXT,
            since: TEXT,
            known_from: TEXT,
            asks: TEXT,
            at: TEXT,
            marks: listOf(TEXT),
            context_percent: NUMBER,
            is_subagent: FLAG,
          },
          ['session', 'title', 'source', 'state', 'doing', 'known_from'],
        ),
      ),
      sessions_left_out: WHOLE,
    },
    ['sessions'],
  ),
  run: liveSessions,
};

async function liveSessions(library: McpLibrary, args: ToolArguments): Promise<object> {
  const live = await library.live();
  if (!live)
    throw new UserError(
      'This server was started for recorded sessions alone. Start it as "agent-logbook mcp --from all" to ask what sessions of tools do.',
    );
  const now = library.now();
  return fitted(library, roomOf(args), (size) => {
    const shown = live.slice(0, Math.max(1, Math.floor(live.length * size)));
    return {
      recorded: QUOTED,
      sessions: shown.map((session) => tell(library.withoutSecrets(session), now, size)),
      ...(shown.length < live.length && { sessions_left_out: live.length - shown.length }),
    };
  });
}

function tell({ id, tool, about, state }: ReportedSession, now: number, size: number): object {
  const { title = '', workspace, context } = about ?? {};
  const most = Math.floor(500 * size);
  return {
    session: shownId(id),
    title: shownName(title, size),
    source: tool,
    ...(workspace !== undefined && { project: shownName(workspace, size) }),
    state: state.state,
    doing: stateText(state, now),
    ...shownTime('since', state.since),
    known_from: state.source,
    ...(state.words !== undefined && { asks: shownText(state.words, most).text }),
    ...(state.command !== undefined && { at: shownText(state.command, most).text }),
    ...(state.marks.length > 0 && { marks: state.marks.map(({ kind }) => kind) }),
    ...(context?.window !== undefined && {
      context_percent: Math.round((100 * context.used) / context.window),
    }),
    ...(state.isChild && { is_subagent: true }),
  };
}
