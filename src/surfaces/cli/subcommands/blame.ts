import { resolve } from 'node:path';
import { BlamedFiles, type BlamedFile, type SessionEdit } from '../../../app/sources/blamedFiles.js';
import { formatCount, formatMoment } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import { agentTrace, gitAiNote } from '../../../provenance/authorship.js';
import { linesOf } from '../../../provenance/fileChange.js';
import type { Call } from '../call.js';
import { writeTable } from '../table.js';
import { WrongUse } from '../terminal.js';

/** Lines of a file that follow each other and have one author, or none. */
interface Stretch {
  readonly first: number;
  last: number;
  readonly edit: SessionEdit | undefined;
}

/** Tells which lines of a file agents have written. */
export async function blame(call: Call): Promise<void> {
  const [named = '', ...names] = call.words;
  const { file, first, last } = placeIn(named);
  const { out, signal } = call;
  const problems: string[] = [];
  const found = await new BlamedFiles().blame({
    file: resolve(call.terminal.cwd, file),
    called: file,
    sessions: call.sessions(names),
    asksGit: !call.has('no-git'),
    signal,
    onProblem: (session, message) => {
      call.fail();
      problems.push(`${session} was not read: ${message}`);
    },
  });
  for (const problem of problems) await out.note(problem);
  const form = call.text('as');
  if (form !== undefined) return tellOthers(call, { file, found, isWhole: last === Infinity }, form);
  const { length } = found.lines;
  if (first > length)
    throw new WrongUse(`${file} has ${formatCount(length, 'line')}; there is no line ${first}.`);
  await tell(call, { file, found, first, last: Math.min(last, length) });
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
}

async function tell(call: Call, { file, found, first, last }: Told): Promise<void> {
  const { out } = call;
  const wanted = found.lines.slice(first - 1, last);
  const proved = wanted.filter((edit) => edit !== undefined);
  const sessions = new Set(proved.map(({ where, session }) => `${where}\n${session}`)).size;
  const { edits, versions } = found;
  if (out.isJson) {
    const texts = linesOf(found.text);
    for (const [at, edit] of wanted.entries())
      await out.tell('line', {
        file,
        line: first + at,
        text: texts[first - 1 + at] ?? '',
        ...(edit && toldOf(edit)),
      });
    await out.tell('blame', { file, lines: wanted.length, proved: proved.length, sessions, edits, versions });
    return;
  }
  if (first === last && wanted[0]) await tellOne(call, wanted[0]);
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
  await out.note(
    `Proved to be of agents: ${proved.length.toLocaleString('en')} of ${formatCount(wanted.length, 'line')}, by ${formatCount(edits, 'edit')} of the file in the sessions and ${formatCount(versions, 'version')} in git.`,
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

function toldOf(edit: SessionEdit): Partial<SessionEdit> {
  return Object.fromEntries(TOLD.map((field) => [field, edit[field]]));
}

/** Why one line is there. */
async function tellOne({ out }: Call, edit: SessionEdit): Promise<void> {
  const { session, source, agent, model, tool, asked, time, title, position } = edit;
  const rows: [string, string][] = [
    ['Asked', asked ?? '(no prompt is told)'],
    ['Agent', model === undefined ? agent : `${agent} (${model})`],
    ['Session', source === undefined ? session : `${session} (${source})`],
    ['Title', title],
    ['Done', `${formatMoment(time)} by ${tool}, record ${position}`],
    ['Approved', approvalOf(edit)],
  ];
  for (const [name, text] of rows) await out.say(`${out.style('dim', name.padEnd(9))} ${out.line(text)}`);
}

function approvalOf({ approvedBy }: SessionEdit): string {
  if (approvedBy === undefined) return 'nothing is recorded';
  return approvedBy === 'user' ? 'by a person' : `by ${approvedBy}`;
}

function rowOf(out: Call['out'], { first, last, edit }: Stretch): string[] {
  const lines = first === last ? String(first) : `${first}–${last}`;
  if (!edit) return [lines, '', '', '', ''];
  return [
    lines,
    out.line(edit.agent),
    out.line(edit.session),
    formatMoment(edit.time),
    out.line(edit.asked ?? edit.title),
  ];
}

function stretches(lines: readonly (SessionEdit | undefined)[], first: number): readonly Stretch[] {
  const found: Stretch[] = [];
  for (const [at, edit] of lines.entries()) {
    const before = found.at(-1);
    if (before && before.edit === edit) before.last = first + at;
    else found.push({ first: first + at, last: first + at, edit });
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
