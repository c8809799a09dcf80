import { basename, join } from 'node:path';
import { clineHint, tasksOf } from '../cline/clineHome.js';
import { ANY, from, roots, type Machine, type ToolHome } from '../home.js';
import { text, type Fields, type SessionHint } from '../hint.js';

/** A tool that keeps its sessions in OpenCode's tables. */
interface Member<Id extends string> {
  readonly id: Id;
  readonly name: string;
  /** The folder of its data, where no variable names another. */
  readonly dataOf: (machine: Machine) => string;
  /** What its database is called. */
  readonly database: RegExp;
  /** Whether it has kept sessions as files, in the folder `storage`. */
  readonly hasFiles?: boolean;
  /** Its extension of editors, made of Cline, which keeps tasks as that does. */
  readonly extension?: string;
}

const shared =
  (name: string) =>
  ({ home, env }: Machine): string =>
    join(from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share'), name);

const openCode = {
  id: 'opencode',
  name: 'OpenCode',
  dataOf: shared('opencode'),
  database: /^opencode(?:-[\w.-]+)?\.db$/,
  hasFiles: true,
} as const satisfies Member<string>;

/** The tools that were made of OpenCode. */
export const OF_OPEN_CODE = [
  {
    id: 'kilo',
    name: 'Kilo Code',
    dataOf: shared('kilo'),
    // One of a preview may still be called as that of OpenCode.
    database: /^(?:kilo|opencode)(?:-[\w.-]+)?\.db$/,
    hasFiles: true,
    extension: 'kilocode.kilo-code',
  },
  {
    id: 'mimo',
    name: 'MiMo Code',
    dataOf: (machine) => {
      const own = from(machine.env, 'MIMOCODE_HOME');
      return own === undefined ? shared('mimocode')(machine) : join(own, 'data');
    },
    database: /^mimocode(?:-[\w.-]+)?\.db$/,
  },
  {
    id: 'icodemate',
    name: 'ICodeMate',
    dataOf: shared('icodemate'),
    database: /^icodemate(?:-[\w.-]+)?\.db$/,
  },
  {
    id: 'zcode',
    name: 'ZCode',
    dataOf: ({ home }) => join(home, '.zcode', 'cli', 'db'),
    database: /^db\.sqlite$/,
  },
] as const satisfies readonly Member<string>[];

/** A tool that was made of OpenCode. */
export type OpenCodeMember = (typeof OF_OPEN_CODE)[number]['id'];

/** Which of them keeps the database or the file at a path, by what it and its folder are called; undefined for OpenCode. */
export function memberAt(path: string): OpenCodeMember | undefined {
  const names = path.split(/[\\/]/);
  const storage = names.lastIndexOf('storage');
  if (storage > 0) return OF_OPEN_CODE.find(({ id }) => id === names[storage - 1])?.id;
  const name = names.at(-1) ?? '';
  const isOwn = (id: string) => !openCode.database.test(name) || names.at(-2) === id;
  return OF_OPEN_CODE.find(({ id, database }) => database.test(name) && isOwn(id))?.id;
}

function homeOf<Id extends string>(member: Member<Id>): ToolHome<Id> {
  const { id, name, dataOf, database, hasFiles, extension } = member;
  return {
    id,
    name,
    hintOf: openCodeHint,
    approvals: 'untold',
    // One may be in its database, and in a file that an older version left.
    sessionOf: (path) => (basename(path) === 'ui_messages.json' ? path : basename(path, '.json')),
    places: (machine, folders) => [
      ...(extension === undefined ? [] : tasksOf(extension, machine, folders)),
      ...roots([dataOf(machine)], folders).flatMap((folder) => [
        // Newer versions keep all sessions in a database, and leave the files of older ones where they were.
        { folder, names: [database], workspaceAt: undefined },
        ...(hasFiles
          ? [{ folder: join(folder, 'storage', 'session'), names: [ANY, /^ses_.*\.json$/], workspaceAt: 0 }]
          : []),
      ]),
    ],
  };
}

/** OpenCode: a database, or folders of files. */
export const openCodeHome = homeOf(openCode);

/** The tools that were made of it, which keep their sessions as it does; Kilo Code was once made of Cline. */
export const homesOfOpenCode: readonly ToolHome<OpenCodeMember>[] = OF_OPEN_CODE.map((member) =>
  homeOf<OpenCodeMember>(member),
);

/** What the file of a session tells of it, or a message of a task of an extension. */
export function openCodeHint(value: Fields): SessionHint | undefined {
  if (value.type === 'say' || value.type === 'ask') return clineHint(value);
  return { named: text(value.title), workspace: text(value.directory) };
}
