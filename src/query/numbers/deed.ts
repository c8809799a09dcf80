import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { countLines, firstCodePoints, singleLine } from '../../core/text.js';
import { visibleLine, visibleText } from '../../core/visibleText.js';
import { changesIn, isObjectText, type DeedEdit } from './deedEdits.js';
import { usedBy } from './fileUses.js';
import { changedLines } from './lineDiff.js';
import {
  COMMAND_KEYS,
  EXTRA_PATHS,
  isLongPath,
  MAX_VALUE,
  pathKeys,
  pathsIn,
  PATTERNS,
  shortPath,
} from './namedPaths.js';
import { argumentsOf, rawArgumentsOf } from './toolCalls.js';
import { clipName } from './values.js';

export type { DeedEdit };

/** What kind of thing a call does. */
export type DeedKind = 'command' | 'edit' | 'read' | 'search' | 'plan' | 'dispatch' | 'web' | 'mcp' | 'other';

/** An entry of a list of tasks. */
export interface PlanEntry {
  readonly text: string;
  readonly state: 'done' | 'doing' | 'open';
}

/** What a tool call does, for a person: everything in it that is a line is short, visible and no JSON. */
export interface Deed {
  readonly kind: DeedKind;
  /** The name of the tool; of one of a server, both names. */
  readonly name: string;
  /** What it does, on one line; '' where the name says all. */
  readonly headline: string;
  /** What the model says that it is for. */
  readonly about?: string;
  /** The whole command line, with its line breaks. */
  readonly script?: string;
  /** The changes of files that the arguments tell whole. */
  readonly edits?: readonly DeedEdit[];
  readonly plan?: readonly PlanEntry[];
  /** The names of the arguments that the rest tells, so that a body need not repeat them. */
  readonly told: readonly string[];
  /** The names of the arguments that the headline is made of, as far as it is long enough. */
  readonly headed: readonly string[];
}

/** The longest headline, in code points. */
export const MAX_HEADLINE = 160;
/** Longer arguments, in UTF-16 code units, are read by their beginning alone, and so much of them. */
const MAX_WHOLE = 1_000_000;
const MAX_BEGINNING = 20_000;
/** How many entries of a list are looked at; a hostile call may have any number. */
const MAX_ENTRIES = 200;
/** How deep values are written out on a line. */
const MAX_DEPTH = 4;

/**
 * What is done by tools of a name, without case, signs and what stands before a dot: those of Claude Code, Codex, Copilot, VS
 * Code, Cursor, Gemini, OpenCode, Cline, Windsurf, Zed, Goose, Amp and their kin. A tool of another name is known by its arguments.
 */
const NAMED = new Map<string, DeedKind>(
  Object.entries({
    command:
      'bash shell localshell shellcommand execcommand runcommand runshellcommand runterminalcmd runterminalcommand runinterminal executebash executecommand executeshell exec terminal powershell pwsh cmd sh zsh python ipython executeipythoncell runcode executecode launchprocess writestdin',
    edit: 'edit multiedit write writefile applypatch strreplace replaceinfile writetofile createfile editfile replacestringinfile multireplacestringinfile insertedit inserteditintofile notebookedit replacefilecontent multireplacefilecontent searchreplace patch applydiff editnotebookfile',
    read: 'read readfile readmanyfiles view viewfile viewimage cat openfile getfile notebookread readnotebook readtextfile',
    search:
      'grep grepsearch glob globsearch ls list listdir listdirectory listfiles searchfiles searchfilecontent filesearch findfile findbyname findpath codebasesearch semanticsearch codesearch searchcode searchfile searchdir ripgrep rg codebase',
    plan: 'todowrite todoread updateplan todo todolist managetodolist updatetodolist writetodos settodolist',
    dispatch:
      'task agent runsubagent subagent spawnagent subagentdispatch dispatchagent newtask delegatetask delegate callagent delegateworktocoworker',
    web: 'websearch webfetch fetch fetchwebpage googlewebsearch searchweb readurlcontent browsernavigate webbrowser websearchpreview',
  }).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as DeedKind] as const)),
);

const QUESTIONS = ['query', 'search_term', 'searchTerm', 'q', 'queries', 'search_query'];
const ADDRESSES = ['url', 'Url', 'urls', 'uri', 'address', 'href'];
const ROLES = [
  'subagent_type',
  'subagentType',
  'agent_type',
  'agentType',
  'agentName',
  'agent_name',
  'agent',
  'role',
  'coworker',
  'mode',
  'target',
];
const TASKS = ['description', 'task_name', 'title', 'task', 'prompt', 'message', 'instructions', 'input'];
const ABOUTS = ['description', 'explanation', 'justification', 'reason', 'toolSummary'];
const LISTS = ['todos', 'todoList', 'todo_list', 'plan', 'items', 'tasks', 'steps'];
const ENTRY_TEXTS = ['content', 'step', 'title', 'text', 'task', 'subject', 'description', 'name'];

/** What a call of a tool with these arguments does, whichever tool it is of. */
export function deedOf(tool: string, input: unknown): Deed {
  const call = readCall(tool, input);
  const made =
    mcp(call) ??
    BUILDERS[NAMED.get(call.bare) ?? 'other'](call) ??
    edit(call) ??
    plan(call) ??
    command(call) ??
    dispatch(call) ??
    web(call) ??
    search(call) ??
    read(call) ??
    other(call);
  const { kind, name = tool, words, about, told = [], headed = [], ...rest } = made;
  const headline = kind === 'command' ? lineOf(words) : withoutBrackets(lineOf(words));
  const second = about === undefined ? '' : lineOf(about);
  return {
    kind,
    name: lineOf(clipName(name)) || cut(visibleLine(visibleText(clipName(name))), MAX_HEADLINE),
    headline,
    ...(second !== '' && second !== headline && { about: second }),
    ...rest,
    told,
    headed,
  };
}

/** The arguments that a deed does not tell, or not to their end: a list may say more of each task, an explanation may be long. */
export function restOfArguments(deed: Deed, input: unknown): Record<string, unknown> {
  const rest = Object.entries(argumentsOf(input)).filter(
    ([name, value]) => !deed.told.includes(name) || !isToldWhole(value, deed),
  );
  return Object.fromEntries(rest);
}

function isToldWhole(value: unknown, { about, script, plan = [], edits = [] }: Deed): boolean {
  if (edits.length > 0) return true;
  if (typeof value === 'string') return value === script || value === about;
  if (!Array.isArray(value)) return script !== undefined;
  const isTold = (entry: unknown, at: number) =>
    isObject(entry) && Object.keys(entry).length <= 2 && Object.values(entry).includes(plan[at]?.text);
  return script !== undefined || value.every(isTold);
}

/** A deed on one line, with the name of its tool before it. */
export function deedLine({ name, headline }: Pick<Deed, 'name' | 'headline'>): string {
  return headline === '' ? name : `${name} ${headline}`;
}

/**
 * How a result is told beside its deed: the exit code of a command that failed, how much came of a look; '' for nothing, as of a look
 * that did not go well: what came of that is why.
 */
export function outcomeOf(
  kind: DeedKind,
  result: string,
  { bytes, wentWell = true }: { readonly bytes?: number | undefined; readonly wentWell?: boolean } = {},
): string {
  if (kind === 'command') {
    const code = exitCodeIn(result);
    return code === undefined || code === 0 ? '' : t`exit ${code}`;
  }
  if (!wentWell || (kind !== 'read' && kind !== 'search')) return '';
  if (bytes !== undefined && bytes > result.length) return t`${Math.ceil(bytes / 1_000)} kB`;
  const lines = countLines(result.trimEnd());
  return lines === 0 ? t`nothing` : lines === 1 ? t`1 line` : t`${lines} lines`;
}

/** How tools write the exit code of a command: at the beginning of the result, or at its end. */
const EXITS = [
  /^Exit code:? (-?\d+)/,
  /^(?:.*\n){0,4}Process exited with code (-?\d+)/,
  /^\{"output":[\s\S]*"exit_code":\s*(-?\d+)/,
  /^\{"exit_?[cC]ode":\s*(-?\d+)/,
  /<exited with exit code (-?\d+)>\s*$/,
  /\[?(?:Command|The command) (?:exited|finished|failed) with (?:exit )?code:? (-?\d+)[.\]]?\s*$/i,
  /(?:^|\n)\(?[Ee]xit code:? (-?\d+)\)?\s*$/,
];

/** The exit code that the text of a result tells. */
export function exitCodeIn(result: string): number | undefined {
  const ends = result.length > 4_000 ? `${result.slice(0, 2_000)}\n${result.slice(-2_000)}` : result;
  for (const form of EXITS) {
    const code = form.exec(ends)?.[1];
    if (code !== undefined) return Number(code);
  }
  return undefined;
}

/** A value in words on few lines, as no JSON: lists and fields without quotes and brackets that a reader has to take apart. */
export function inWords(value: unknown, depth = 0): string {
  if (typeof value === 'string') return depth === 0 ? jsonInWords(value) : value;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= MAX_DEPTH) return '…';
  const [open, close] = depth === 0 ? ['', ''] : ['(', ')'];
  const entries = Array.isArray(value)
    ? value.slice(0, MAX_ENTRIES).map((each) => inWords(each, depth + 1))
    : Object.entries(value)
        .slice(0, MAX_ENTRIES)
        .map(([name, each]) => `${name}: ${inWords(each, depth + 1)}`);
  return `${open}${entries.join(', ')}${close}`;
}

/** A text that is a JSON object or list in words; any other as it is. */
export function jsonInWords(text: string): string {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_WHOLE) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? inWords(value) : text;
  } catch {
    // It only begins like JSON; what can be read of it is told by whoever asks for the beginning of arguments.
    return text;
  }
}

/** What is asked of a call: its arguments, and its name as the table has it. */
interface CallRead {
  readonly tool: string;
  readonly bare: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** The text of the arguments, where they are no object. */
  readonly raw: string;
  /** Whether the arguments are known to their end. */
  readonly isWhole: boolean;
}

type Made = Pick<Deed, 'kind'> &
  Partial<Pick<Deed, 'name' | 'about' | 'script' | 'edits' | 'plan' | 'told' | 'headed'>> & {
    readonly words: string;
  };

const BUILDERS: Readonly<Record<DeedKind, (call: CallRead) => Made | undefined>> = {
  // A patch that a command line applies is an edit.
  command: (call) => (call.raw.includes('*** Begin Patch') ? edit(call) : undefined) ?? command(call),
  edit: (call) => edit(call) ?? write(call),
  read,
  search: (call) => searchFor(call) ?? read(call),
  plan,
  dispatch: dispatchBy,
  web: webBy,
  mcp,
  other: () => undefined,
};

function readCall(tool: string, input: unknown): CallRead {
  const raw = rawArgumentsOf(input);
  const bare = tool.slice(Math.max(tool.lastIndexOf('.'), tool.lastIndexOf('/'), tool.lastIndexOf(':')) + 1);
  const whole = raw.length <= MAX_WHOLE ? argumentsOf(input) : {};
  const isWhole = Object.keys(whole).length > 0 || !raw.trimStart().startsWith('{');
  const args = isWhole ? whole : beginningOf(raw.slice(0, MAX_BEGINNING));
  return { tool, bare: bare.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase(), args, raw, isWhole };
}

/** The fields at the beginning of a JSON object whose end is missing: texts, numbers and truth values. */
function beginningOf(text: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const field =
    /\s*[{,]\s*"((?:[^"\\]|\\.)*)"\s*:\s*(?:"((?:[^"\\]|\\.)*)("|\\?$)|(-?[\d.eE+-]+|true|false|null)(?=\s*[,}]))/y;
  for (let hit = field.exec(text); hit; hit = field.exec(text)) {
    const [, name = '', said, , plain] = hit;
    found[name] = said === undefined ? plain : unquoted(said);
  }
  return found;
}

/** What a text between quotes says, as far as its last escape is whole. */
function unquoted(said: string): string {
  try {
    return String(JSON.parse(`"${said.replace(/\\(?:u[\da-f]{0,3})?$/i, '')}"`));
  } catch {
    return said;
  }
}

function mcp({ tool, args, raw }: CallRead): Made | undefined {
  const { server_name: given, tool_name: inner, arguments: inside } = args;
  const parts = /^mcp__(.+?)__(.+)$/s.exec(tool) ?? /^mcp\.([^.]+)\.(.+)$/s.exec(tool);
  const [server, name] = parts
    ? [parts[1], parts[2]]
    : typeof given === 'string' && typeof inner === 'string'
      ? [given, inner]
      : [];
  if (server === undefined || name === undefined) return undefined;
  const own = parts ? args : argumentsOf(inside);
  const shortest = Object.entries(own)
    .map(([key, value]) => ({ key, said: short(value) }))
    .sort((one, two) => one.said.length - two.said.length)
    .slice(0, 2);
  // In the order in which they were given.
  const kept = Object.keys(own).flatMap((key) => shortest.filter((each) => each.key === key));
  const words = kept.map(({ key, said }) => `${key}: ${said}`).join(', ');
  const isPlain = Object.keys(own).length === 0 && raw !== '{}' && parts !== null;
  const headed = parts ? kept.map(({ key }) => key) : [];
  return { kind: 'mcp', name: `${server} › ${name}`, words: isPlain ? raw : words, headed };
}

function command(call: CallRead): Made | undefined {
  const { args, bare, raw } = call;
  const isNamed = NAMED.get(bare) === 'command';
  const keys = isNamed
    ? [...COMMAND_KEYS, 'CommandLine', 'code', 'chars', 'input']
    : [...COMMAND_KEYS, 'CommandLine'];
  const key = keys.find((name) => commandIn(args[name]) !== undefined);
  if (key === undefined)
    return isNamed && raw !== '' && !isObjectText(raw)
      ? { kind: 'command', words: raw, script: raw }
      : undefined;
  const words = commandIn(args[key]) ?? '';
  // Of an editor with several commands, it is only which of them.
  if (!isNamed && /^\w+$/.test(words) && pathsOf(call).length > 0) return undefined;
  const about = ABOUTS.find((name) => typeof args[name] === 'string');
  return {
    kind: 'command',
    words,
    script: words,
    told: about === undefined ? [key] : [key, about],
    headed: [key],
    ...(about !== undefined && { about: String(args[about]) }),
  };
}

/** A command line; of one that only starts a shell with a script, the script. */
function commandIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const words = value.slice(0, MAX_ENTRIES).map((word) => (typeof word === 'string' ? word : short(word)));
  const [program = '', flag = '', script] = words;
  if (
    words.length === 3 &&
    script !== undefined &&
    /(?:^|[/\\])(?:ba|z|da|k)?sh$/.test(program) &&
    /^-\w*c$/.test(flag)
  )
    return script;
  return words
    .map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

function edit(call: CallRead): Made | undefined {
  const { args, raw, tool, bare, isWhole } = call;
  const [path = ''] = pathsOf(call);
  const isWriter = NAMED.get(bare) === 'edit' || usedBy(tool, whichOf(args)) === 'written';
  const line = commandIn(args.command ?? args.cmd) ?? '';
  const found = isWhole ? changesIn({ args, raw, path, isWriter, line }) : undefined;
  if (!found || found.edits.length === 0) return undefined;
  const { edits } = found;
  // The file that all of them change is told above them.
  const named = Object.keys(args).filter((name) =>
    edits.every(({ path: of }) => of !== '' && of === args[name]),
  );
  const told = [...found.told, ...named];
  const paths = [...new Set(edits.map(({ path }) => path))].filter((path) => path !== '');
  const [added, removed] = edits.reduce(
    ([plus, minus], { before, after }) => {
      const { added, removed } = changedLines(before, after);
      return [plus + added, minus + removed];
    },
    [0, 0],
  );
  const shown = paths.slice(0, 3);
  const where = shown.map(shortPath).join(', ');
  const more = paths.length > 3 ? t` and ${paths.length - 3} more` : '';
  const size =
    added + removed === 0
      ? ''
      : edits.every(({ isWritten }) => isWritten)
        ? `+${added}`
        : `+${added} −${removed}`;
  const words = [`${where}${more}`, size].filter(Boolean).join(' ');
  return { kind: 'edit', words, edits, told, headed: pathKeys(args, shown) };
}

/** Which of its commands a tool with several does. */
function whichOf({ command }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof command === 'string' && /^\w{1,40}$/.test(command) ? command : undefined;
}

/** A tool that writes files, whose change is not told whole. */
function write(call: CallRead): Made | undefined {
  const [path] = pathsOf(call);
  if (path === undefined) return undefined;
  return { kind: 'edit', words: shortPath(path), headed: pathKeys(call.args, [path]) };
}

function plan({ args, bare }: CallRead): Made | undefined {
  const key = LISTS.find((name) => entriesIn(args[name]) !== undefined);
  const entries = key === undefined ? undefined : entriesIn(args[key]);
  if (key === undefined || !entries) return undefined;
  if (NAMED.get(bare) !== 'plan' && !entries.some(({ isTold }) => isTold)) return undefined;
  const list = entries.map(({ text, state }) => ({ text, state }));
  const done = list.filter(({ state }) => state === 'done').length;
  const now = list.find(({ state }) => state === 'doing')?.text;
  const words = t`${done} of ${list.length} done`;
  return {
    kind: 'plan',
    words: now === undefined ? words : t`${words}, now: ${now}`,
    plan: list,
    told: [key],
    ...(typeof args.explanation === 'string' && { about: args.explanation, told: [key, 'explanation'] }),
  };
}

/** The entries of a list of tasks; `isTold`: whether it says how far it is. */
function entriesIn(value: unknown): readonly (PlanEntry & { readonly isTold: boolean })[] | undefined {
  if (typeof value === 'string') {
    const lines = [
      ...value.slice(0, MAX_BEGINNING).matchAll(/^\s*(?:[-*]|\d+\.)\s*\[([ xX~/-])\]\s*(.+)$/gm),
    ];
    if (lines.length === 0) return undefined;
    return lines.slice(0, MAX_ENTRIES).map(([, mark = ' ', text = '']) => ({
      text: lineOf(text),
      state: /x/i.test(mark) ? 'done' : mark === ' ' ? 'open' : 'doing',
      isTold: true,
    }));
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const entries = value.slice(0, MAX_ENTRIES).map((each: unknown) => {
    if (!isObject(each)) return undefined;
    const text = ENTRY_TEXTS.map((name) => each[name]).find((said) => typeof said === 'string');
    if (text === undefined) return undefined;
    const { status = each.state, completed, done } = each;
    const said = typeof status === 'string' ? status : completed === true || done === true ? 'done' : '';
    return {
      text: lineOf(text),
      state: /^(?:completed?|done|finished)$/i.test(said)
        ? ('done' as const)
        : /progress|doing|active|current|running/i.test(said)
          ? ('doing' as const)
          : ('open' as const),
      isTold: typeof status === 'string' || typeof completed === 'boolean' || typeof done === 'boolean',
    };
  });
  return entries.every((each) => each !== undefined) ? entries : undefined;
}

/** An agent that is asked by a tool of any name. */
function dispatch(call: CallRead): Made | undefined {
  const { subagent_type: one, agent_type: two, subagentType: three, agentName: four } = call.args;
  return [one, two, three, four].some((role) => typeof role === 'string') ? dispatchBy(call) : undefined;
}

function dispatchBy({ args }: CallRead): Made | undefined {
  const role = ROLES.find((name) => isWords(args[name]));
  const task = TASKS.find((name) => isWords(args[name]));
  if (role === undefined && task === undefined) return undefined;
  const headed = namesOf(role, task);
  const words = headed.map((name) => String(args[name])).join(': ');
  return { kind: 'dispatch', words, headed };
}

/** A tool of any name that searches the web or opens a page of it. */
function web(call: CallRead): Made | undefined {
  const isWeb = /web|internet|google|brave|tavily|perplexity|bing|browse|fetch|url|http|navigate/i.test(
    call.tool,
  );
  return isWeb ? webBy(call) : undefined;
}

function webBy({ args }: CallRead): Made | undefined {
  const question = QUESTIONS.find((name) => isWords(args[name]) || Array.isArray(args[name]));
  const address = ADDRESSES.find((name) => isWords(args[name]) || Array.isArray(args[name]));
  const places = address === undefined ? [] : [args[address]].flat().slice(0, 3).map(placeOf);
  const asked =
    question === undefined
      ? ''
      : [args[question]]
          .flat()
          .map((each) => inWords(each, 1))
          .join(', ');
  // The page is what is opened; what is asked of it comes behind.
  const words = [places.join(', '), asked].filter((each) => each !== '').join(': ');
  if (words === '') return undefined;
  return { kind: 'web', words, headed: namesOf(address, question) };
}

/** The host and path of an address, without what may be secret. */
function placeOf(address: unknown): string {
  const text = typeof address === 'string' ? address : inWords(address, 1);
  const [, host, path = ''] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/@?#]*@)?([^/?#]+)([^?#]*)/i.exec(text) ?? [];
  return host === undefined ? text : `${host}${path === '/' ? '' : path}`;
}

function search(call: CallRead): Made | undefined {
  return /grep|glob|search|find|list|query/i.test(call.tool) &&
    PATTERNS.slice(0, 3).some((name) => isWords(call.args[name]))
    ? searchFor(call)
    : undefined;
}

function searchFor(call: CallRead): Made | undefined {
  const { args } = call;
  const key = PATTERNS.find((name) => isWords(args[name]));
  if (key === undefined) return undefined;
  const [path] = pathsOf(call).filter((each) => each !== args[key]);
  if (path === undefined) return { kind: 'search', words: String(args[key]), headed: [key] };
  const words = t`${String(args[key])} in ${shortPath(path)}`;
  return { kind: 'search', words, headed: [key, ...pathKeys(args, [path])] };
}

function read(call: CallRead): Made | undefined {
  const { args, tool, bare } = call;
  const isNamed = ['read', 'search'].includes(NAMED.get(bare) ?? '');
  const use = usedBy(tool, whichOf(args));
  const paths = pathsOf(call);
  const [path] = paths;
  if (path === undefined || (!isNamed && use !== 'read')) return undefined;
  const more = paths.length > 1 ? t` and ${paths.length - 1} more` : '';
  return {
    kind: 'read',
    words: `${shortPath(path)}${rangeIn(args)}${more}`,
    headed: pathKeys(args, [path]),
  };
}

/** Which lines of a file are read, where a call names some. */
function rangeIn(args: Readonly<Record<string, unknown>>): string {
  const number = (...names: string[]) =>
    names.map((name) => args[name]).find((value) => Number.isSafeInteger(value));
  const [first, last] = Array.isArray(args.view_range) ? (args.view_range as unknown[]) : [];
  const from = Number.isSafeInteger(first)
    ? first
    : number(
        'offset',
        'start_line',
        'startLine',
        'line',
        'StartLine',
        'line_start',
        'startLineNumberBaseOne',
      );
  const limit = number('limit');
  const to = Number.isSafeInteger(last)
    ? last
    : (number('end_line', 'endLine', 'EndLine', 'line_end', 'endLineNumberBaseOne') ??
      (limit === undefined ? undefined : Number(from ?? 1) + Number(limit) - 1));
  if (to === undefined || Number(to) < 0) return from === undefined ? '' : `:${Number(from)}`;
  return `:${Number(from ?? 1)}–${Number(to)}`;
}

/** A call of a tool that nothing is known of: its arguments. */
function other({ args, raw, isWhole }: CallRead): Made {
  const entries = Object.entries(args);
  if (entries.length === 0) {
    const isTold = raw !== '{}' && (isWhole || !/^\s*\{\s*"/.test(raw));
    return { kind: 'other', words: isTold ? jsonInWords(raw.slice(0, MAX_BEGINNING)) : '' };
  }
  const words = entries.map(([name, value]) =>
    entries.length === 1 && saysEnough(value) ? short(value) : `${name}: ${short(value)}`,
  );
  return { kind: 'other', words: words.join(', '), headed: Object.keys(args) };
}

/** Whether a value is meaningful without its name, as a number, a boolean or null is not. */
function saysEnough(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

function short(value: unknown): string {
  const line = singleLine(firstCodePoints(inWords(value), 1_000));
  return isLongPath(line) ? shortPath(line) : cut(line, MAX_VALUE);
}

function pathsOf({ args, raw }: CallRead): readonly string[] {
  const { named } = pathsIn(raw, args);
  if (named.length > 0) return named;
  const extra = EXTRA_PATHS.map((name) => args[name]).filter(isWords);
  return extra.filter((path) => path.length < 4_096 && !/\p{Cc}/u.test(path));
}

function namesOf(...names: readonly (string | undefined)[]): readonly string[] {
  return names.filter((name) => name !== undefined);
}

function isWords(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** A line that begins like JSON of which the end is missing, without its signs. */
function withoutBrackets(line: string): string {
  return /^(?:\{\s*"|\[\s*[{"])/.test(line) ? line.replaceAll(/[{}[\]"\s]+/g, ' ').trim() : line;
}

/** A text as a headline: on one line, with what cannot be seen written out, at most so long. */
function lineOf(text: string): string {
  return cut(visibleLine(singleLine(firstCodePoints(text, MAX_HEADLINE * 10))), MAX_HEADLINE);
}

function cut(text: string, limit: number): string {
  const head = firstCodePoints(text, limit);
  return head.length === text.length ? text : `${firstCodePoints(text, limit - 1)}…`;
}
