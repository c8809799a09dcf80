import { resolve } from 'node:path';
import { readFile } from 'node:fs/promises';
import {
  beginnings,
  BlamedFiles,
  withBeginning,
  type BlamedFile,
  type BlameRequest,
  type SessionClaim,
  type SurvivingLines,
} from '../../../app/sources/blamedFiles.js';
import {
  approvalWords,
  editCostWords,
  type EditedSession,
  type SessionEdit,
  type WhyStep,
} from '../../../app/sources/sessionEdits.js';
import type { SessionParts } from '../../../app/stores/namedSessions.js';
import { whyUnread } from '../../../app/sources/whyUnread.js';
import { formatCount, formatMoment } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import { agentTrace, gitAiNote } from '../../../provenance/authorship.js';
import { linesOf } from '../../../provenance/recordedEdits.js';
import { explainBranch, pageOfBranch, type ExplainedBranch } from '../../../app/sources/explainedBranch.js';
import { costShape } from '../../../export/costShape.js';
import { markedPrices } from '../../../search/markedPrices.js';
import type { Call } from '../call.js';
import { writePage } from './compare.js';
import { writeTable } from '../table.js';
import { WrongUse } from '../terminal.js';

/** Lines of a file that follow each other and have one author, or none. */
interface Stretch {
  readonly first: number;
  last: number;
  readonly author: Author | undefined;
}

/** Who wrote a line: by an edit of a session, or as another program tells it. */
type Author = SessionEdit | SessionClaim;

/** Tells which lines of a file agents have written. */
export async function blame(call: Call): Promise<void> {
  const [named = '', ...names] = call.words;
  const { file, first, last } = placeIn(named);
  const files = new BlamedFiles();
  const sessions: BlameRequest['sessions'] = (isMeant) => call.sessions(names, { isMeant });
  const found = await files.blame({
    file: resolve(call.terminal.cwd, file),
    called: file,
    sessions,
    ...(await blameOptions(call)),
    onProblem: (session, message) => call.trouble(session, message),
  });
  await call.tellTroubles();
  const form = call.text('as');
  if (form !== undefined) return tellOthers(call, { file, found, isWhole: last === Infinity }, form);
  const { length } = found.lines;
  if (first > length)
    throw new WrongUse(`${file} has ${formatCount(length, 'line')}; there is no line ${first}.`);
  const one = first === last ? found.lines[first - 1] : undefined;
  const why = one && (await files.why(one, { sessions, signal: call.signal }));
  await tell(call, { file, found, first, last: Math.min(last, length), why });
}

/** How a call wants blame to be found; see `BlameRequest`. Rejects with a UserError where a file that it names cannot be read. */
export async function blameOptions(
  call: Call,
): Promise<Pick<BlameRequest, 'asksGit' | 'signal' | 'keeps' | 'trace'>> {
  const named = call.text('trace');
  const trace =
    named === undefined
      ? undefined
      : await readFile(resolve(call.terminal.cwd, named), 'utf8').catch((error: unknown) => {
          throw new UserError(`${named} cannot be read: ${whyUnread(error)}.`);
        });
  return {
    asksGit: !call.has('no-git'),
    signal: call.signal,
    keeps: (root) => call.sources.keptOf(root),
    trace,
  };
}

/** How much of what sessions wrote is still there, by their keys; `isWanted` says of which it is asked. Throws where they can be read but once. */
export async function keptOf(
  call: Call,
  names: readonly string[],
  isWanted?: (session: EditedSession) => boolean,
): Promise<ReadonlyMap<string, SurvivingLines>> {
  if (names.includes('-'))
    throw new WrongUse('--kept reads sessions several times; name a file instead of -.');
  const request = {
    ...(await blameOptions(call)),
    sessions: (isMeant?: (parts: SessionParts) => Promise<boolean>) => call.sessions(names, { isMeant }),
    onProblem: (session: string, message: string) => call.trouble(session, message),
  };
  return await new BlamedFiles().keptLines(request, isWanted);
}

/** Writes the lines in the form of another program, which knows them by a commit. */
async function tellOthers(
  { out, terminal }: Call,
  { file, found, isWhole }: { readonly file: string; readonly found: BlamedFile; readonly isWhole: boolean },
  form: string,
): Promise<void> {
  if (!isWhole) throw new WrongUse('--as writes a whole file; name it without lines.');
  if (!found.committed)
    throw new UserError(
      `${file} is not as the commit that is checked out has it, by which other programs know its lines.`,
    );
  const authored = { ...found.committed, lines: found.lines, version: terminal.version };
  if (form === 'git-ai') await out.write(out.lines(gitAiNote(authored)));
  else await out.write(`${JSON.stringify(out.clean(agentTrace(authored, terminal.now())))}\n`);
}

interface Told {
  readonly file: string;
  readonly found: BlamedFile;
  readonly first: number;
  readonly last: number;
  /** Of the line that is asked about alone. */
  readonly why: readonly WhyStep[] | undefined;
}

async function tell(call: Call, { file, found, first, last, why = [] }: Told): Promise<void> {
  const { out } = call;
  const beginningOf = beginnings((asked) => out.clean(asked));
  const cut = new Map<Author | undefined, Author | undefined>();
  const wanted = found.lines.slice(first - 1, last).map((edit, at): Author | undefined => {
    const author = edit ?? found.told[first - 1 + at];
    if (!cut.has(author)) cut.set(author, author && withBeginning(author, beginningOf));
    return cut.get(author);
  });
  const proved = wanted.filter((author): author is SessionEdit => author !== undefined && 'callId' in author);
  const told = wanted.filter((author) => author !== undefined).length - proved.length;
  const sessions = new Set(proved.map(({ where, session }) => `${where}\n${session}`)).size;
  const { edits, versions, isCut, isIncomplete } = found;
  if (out.isJson) {
    const texts = linesOf(found.text);
    for (const [at, author] of wanted.entries())
      await out.tell('line', {
        file,
        line: first + at,
        text: texts[first - 1 + at] ?? '',
        ...(author && toldOf(author)),
      });
    for (const { kind: step, position, text } of why)
      await out.tell('why', { step, position, text: beginningOf(text) ?? '' });
    const counts = { lines: wanted.length, proved: proved.length, told, sessions, edits, versions };
    await out.tell('blame', {
      file,
      ...counts,
      ...(isCut && { isCut }),
      ...(isIncomplete && { isIncomplete }),
    });
    return;
  }
  if (first === last && wanted[0])
    await tellOne(call, wanted[0], (kind) => beginningOf(why.find((step) => step.kind === kind)?.text ?? ''));
  else if (wanted.length > 0)
    await writeTable(
      out,
      [
        { head: 'LINES', side: 'right' },
        { head: 'AGENT', style: 'cyan' },
        { head: 'SESSION' },
        { head: 'TIME', isExtra: true },
        { head: 'ASKED', gives: true },
      ],
      stretches(wanted, first).map((stretch) => rowOf(out, stretch)),
    );
  const besides = told === 0 ? '' : ` Another program tells it of ${formatCount(told, 'more line')}.`;
  if (isCut)
    await out.note(
      `Only the newest ${versions} versions of the file in git were looked at: what older ones brought has no author here.`,
    );
  if (isIncomplete)
    await out.note('Git could not tell all versions of the file: what these brought has no author here.');
  await out.note(
    `Proved to be of agents: ${proved.length.toLocaleString('en')} of ${formatCount(wanted.length, 'line')}, by ${formatCount(edits, 'edit')} of the file in the sessions and ${formatCount(versions, 'version')} in git.${besides}`,
  );
}

/** What is written of an edit: all but the texts of the file. */
const TOLD = [
  'session',
  'where',
  'title',
  'source',
  'agent',
  'model',
  'tool',
  'callId',
  'position',
  'prompt',
  'asked',
  'time',
  'approvedBy',
] as const;

function toldOf(author: Author): object {
  if (!('callId' in author)) {
    return Object.fromEntries(Object.entries(author).filter(([field]) => field !== 'key'));
  }
  return Object.fromEntries(TOLD.map((field) => [field, author[field]]));
}

/** Why one line is there. */
async function tellOne(
  { out, ownPrices }: Call,
  edit: Author,
  stepOf: (kind: WhyStep['kind']) => string | undefined,
): Promise<void> {
  const say = async (rows: readonly (readonly [string, string])[]) => {
    for (const [name, text] of rows) await out.say(`${out.style('dim', name.padEnd(9))} ${out.line(text)}`);
  };
  if (!('callId' in edit)) {
    await say([
      ['Told by', OTHERS[edit.toldBy]],
      [
        'Agent',
        [edit.tool ?? 'not told', ...(edit.model === undefined ? [] : [`(${edit.model})`])].join(' '),
      ],
      ['Session', edit.session ?? edit.toolSession ?? 'not told'],
      ...(edit.title === undefined ? [] : [['Title', edit.title] as const]),
    ]);
    return;
  }
  const { session, source, agent, model, tool, asked, time, title, position } = edit;
  const { prices } = await markedPrices(ownPrices);
  await say([
    ['Asked', asked ?? '(no prompt is told)'],
    ['Agent', model === undefined ? agent : `${agent} (${model})`],
    ['Session', source === undefined ? session : `${session} (${source})`],
    ['Title', title],
    ['Done', `${formatMoment(time)} by ${tool}, record ${position}`],
    ['Thought', stepOf('thought') ?? 'nothing is told'],
    ['Approved', approvalWords(edit.approvedBy)],
    ['Tested', stepOf('tested') ?? 'no test is told behind it'],
    ['Cost', editCostWords(edit, prices)],
  ]);
}

/** What programs that tell who wrote a line are called. */
const OTHERS = {
  'git-ai': 'git-ai, by its note on a commit',
  'agent-trace': 'Agent Trace, by its record',
} as const;

function rowOf(out: Call['out'], { first, last, author }: Stretch): string[] {
  const lines = first === last ? String(first) : `${first}–${last}`;
  if (!author) return [lines, '', '', '', ''];
  if (!('callId' in author)) {
    const { tool, session = author.toolSession ?? '', title, toldBy } = author;
    return [
      lines,
      out.line(tool ?? 'an agent'),
      out.line(session),
      '',
      out.line(title ?? `told by ${OTHERS[toldBy]}`),
    ];
  }
  return [
    lines,
    out.line(author.agent),
    out.line(author.session),
    formatMoment(author.time),
    out.line(author.asked ?? author.title),
  ];
}

function stretches(lines: readonly (Author | undefined)[], first: number): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const [at, author] of lines.entries()) {
    const before = found.at(-1);
    if (before && before.author === author) before.last = first + at;
    else found.push({ first: first + at, last: first + at, author });
  }
  return found;
}

/** A file and lines of it, as a person names them. */
function placeIn(named: string): { readonly file: string; readonly first: number; readonly last: number } {
  const [, file = named, from, to] = /^(.+?):(\d+)(?:-(\d+))?$/.exec(named) ?? [];
  const first = from === undefined ? 1 : Number(from);
  const last = to === undefined ? (from === undefined ? Infinity : first) : Number(to);
  if (first < 1 || last < first)
    throw new WrongUse(`${named} names no lines; write FILE:LINE or FILE:FIRST-LAST, from 1.`);
  return { file, first, last };
}

/** Tells which sessions are behind the commits of a branch. */
export async function explain(call: Call): Promise<void> {
  const { out, terminal } = call;
  const [range = '', ...names] = call.words;
  const branch = await explainBranch({
    ...(await blameOptions(call)),
    folder: terminal.cwd,
    range,
    sessions: () => call.sessions(names),
    prices: await markedPrices(call.ownPrices),
    onProblem: (session, message) => call.trouble(session, message),
  });
  await call.tellTroubles();
  if (out.isJson) await tellBranch(call, branch);
  else await writePage(call, pageOfBranch(out.clean(branch)));
  // What was not looked at may hold a line that no person approved.
  if (call.text('fail-on') === 'unreviewed' && branch.unreviewed + branch.filesLeftOut > 0) call.fail();
}

async function tellBranch({ out }: Call, { commits, sessions, ...branch }: ExplainedBranch): Promise<void> {
  await out.tell('branch', { ...branch, commits: commits.length, sessions: sessions.length });
  for (const { sessions: places, ...commit } of commits)
    await out.tell('commit', { ...commit, sessions: places.map((at) => sessions[at]?.session ?? '') });
  const beginningOf = beginnings((asked) => out.clean(asked));
  for (const { cost, ...session } of sessions)
    await out.tell('session', {
      ...session,
      prompts: session.prompts.flatMap((asked) => beginningOf(asked) ?? []),
      ...(cost && { cost: costShape(cost) }),
    });
}
