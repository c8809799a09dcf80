import { beginnings, withBeginning, type SessionClaim } from '../../app/sources/blamedFiles.js';
import type { SessionEdit } from '../../app/sources/sessionEdits.js';
import { UserError } from '../../app/userError.js';
import { answerOf, listOf, RECORDED, TEXT, UNREAD, WHOLE } from './answerSchemas.js';
import type { McpLibrary } from './library.js';
import { NotRead } from './notRead.js';
import { fitted, roomOf } from './page.js';
import { text, whole, type ReadTool, type ToolArguments } from './readTool.js';
import { QUOTED, shownId, shownName, shownTime } from './shown.js';

/** The most stretches of lines of an answer. */
const MAX_STRETCHES = 200;
const MAX_LINE = 10_000_000;

/** Lines that follow each other and have one author. */
interface Stretch {
  readonly first: number;
  last: number;
  readonly author: SessionEdit | SessionClaim;
}

/** Tells a model which recorded session wrote the lines of a file. */
export const blameTool: ReadTool = {
  name: 'who_wrote_lines',
  title: 'Which session wrote the lines of a file',
  description:
    'Tells which lines of a file in the working folder were written by which recorded session, from which prompt, as far as the sessions prove it; other lines are left out, not of people. "position" and "prompt" lead on in get_messages, "call" in get_tool_call. "told_by" marks what only a note of git-ai says.',
  properties: {
    file: text('The path of the file, relative to the working folder.'),
    first_line: whole('The first line that is asked for; 1 where nothing is said.', 1, MAX_LINE),
    last_line: whole('The last one; the end of the file where nothing is said.', 1, MAX_LINE),
    max_tokens: whole(
      'About so many tokens at most; the last lines are left out for that, which is said. 20,000 where nothing else is said.',
      500,
      100_000,
    ),
  },
  required: ['file'],
  answer: answerOf(
    {
      recorded: RECORDED,
      file: TEXT,
      lines: WHOLE,
      proved: WHOLE,
      edits: WHOLE,
      versions: WHOLE,
      written: listOf(
        answerOf(
          {
            first_line: WHOLE,
            last_line: WHOLE,
            session: TEXT,
            title: TEXT,
            agent: TEXT,
            model: TEXT,
            tool: TEXT,
            call: TEXT,
            position: WHOLE,
            prompt: WHOLE,
            asked: TEXT,
            time: TEXT,
            approved_by: TEXT,
            told_by: TEXT,
          },
          ['first_line', 'last_line'],
        ),
      ),
      left_out: WHOLE,
      ...UNREAD,
    },
    ['recorded', 'file', 'lines', 'proved', 'edits', 'versions', 'written'],
  ),
  run: whoWrote,
};

async function whoWrote(library: McpLibrary, args: ToolArguments): Promise<object> {
  const [file, first] = [args.text('file') ?? '', args.number('first_line') ?? 1];
  const notRead = new NotRead();
  const { lines, told: claims, edits, versions } = await library.blame(file, notRead);
  const last = Math.min(args.number('last_line') ?? lines.length, lines.length);
  if (first > Math.max(1, last))
    throw new UserError(
      `${shownName(file)} has ${lines.length} lines, and first_line must not be behind last_line. Leave both out for the whole file.`,
    );
  const stretches: Stretch[] = [];
  for (let line = first; line <= last; line++) {
    const author = lines[line - 1] ?? claims[line - 1];
    const before = stretches.at(-1);
    if (before && before.author === author && before.last === line - 1) before.last = line;
    else if (author) stretches.push({ first: line, last: line, author });
  }
  const proved = lines.slice(first - 1, last).filter((edit) => edit !== undefined).length;
  const beginningOf = beginnings((asked) => library.clean(asked));
  const told = stretches
    .slice(0, MAX_STRETCHES)
    .map((stretch) => ({ ...stretch, author: withBeginning(stretch.author, beginningOf) }));
  return fitted(library, roomOf(args), (size) => {
    const most = Math.floor(MAX_STRETCHES * size);
    return {
      recorded: QUOTED,
      file: shownName(file, size),
      lines: lines.length,
      proved,
      edits,
      versions,
      written: told.slice(0, most).map((stretch) => shapeOf(stretch, size)),
      ...(stretches.length > most && { left_out: stretches.length - most }),
      ...notRead.told(library, (roomOf(args) * size) / 4),
    };
  });
}

function shapeOf({ first: first_line, last: last_line, author }: Stretch, size: number): object {
  const name = (field: string, value: string | undefined) =>
    value === undefined ? {} : { [field]: shownName(value, size) };
  const place = { first_line, last_line };
  const { session, title, model } = author;
  const about = {
    ...(session !== undefined && { session: shownId(session) }),
    ...name('title', title),
    ...name('model', model),
  };
  if (!('callId' in author))
    return { ...place, ...about, ...name('agent', author.tool), told_by: author.toldBy };
  const { agent, tool, callId, position, prompt, asked, time, approvedBy } = author;
  return {
    ...place,
    ...about,
    ...name('agent', agent),
    ...name('tool', tool),
    call: shownId(callId),
    position,
    ...(prompt !== undefined && { prompt }),
    ...name('asked', asked),
    ...shownTime('time', time),
    ...name('approved_by', approvedBy),
  };
}
