/**
 * Who may import whom. The rooms are the folders of `src/`, in the order of the data: a room may import every room that
 * stands before it, and no other. What is tighter than that is said in its row:
 *
 * - `pure`: neither it nor what it imports knows Node, so that it may run in a page;
 * - `packages`: the npm packages that it may import, none where this is missing;
 * - `without`: rooms and folders before it that it may not import all the same;
 * - `floors`: the order of its own folders, of which each may import those before it; `.` are the files of the room itself;
 * - `folders`: rows of folders in it that are bound otherwise.
 *
 * ESLint enforces this table (eslint.config.mjs), ARCHITECTURE.md draws it, `roomOf` and `problemWith` say how it is read.
 */
import { dirname, join, relative, sep } from 'node:path';

/**
 * @typedef {object} Row
 * @property {boolean} [pure]
 * @property {readonly string[]} [packages]
 * @property {readonly string[]} [without]
 * @property {readonly string[]} [floors]
 * @property {Readonly<Record<string, Row>>} [folders]
 */

/** @type {Readonly<Record<string, Row>>} */
export const layers = {
  core: {
    pure: true,
    floors: ['.', 'ports', 'record', 'shell'],
    folders: { shell: { pure: true, packages: ['unbash'] } },
  },
  node: { packages: ['re2js', 'node-sqlite3-wasm'], floors: ['.', 'patterns', 'sqlite'] },
  query: {
    pure: true,
    packages: ['markdown-it', 'diff'],
    floors: ['numbers', '.', 'columns', 'language', 'notes', 'pricing', 'tokens'],
    folders: {
      pricing: { packages: ['@pydantic/genai-prices', 'valibot', 'yaml'] },
      tokens: {},
    },
  },
  agents: {
    without: ['query'],
    floors: ['definitions', 'frontends', 'models', 'tools', 'loop', 'chats'],
    folders: {
      definitions: { packages: ['yaml'] },
      frontends: { pure: true },
      models: { packages: ['eventsource-parser', 'valibot', 'yaml'] },
      tools: { packages: ['unbash', 're2js'] },
      loop: { without: ['query', 'agents/models', 'agents/tools'], packages: ['ajv', 're2js'] },
      chats: { packages: ['grammy', '@discordjs/rest', '@discordjs/ws', 'discord-api-types'] },
    },
  },
  import: {
    without: ['query', 'agents'],
    packages: ['fzstd', 'yaml'],
    floors: [
      'reading',
      'spool',
      'rest',
      'building',
      'databases',
      'messages',
      'trace',
      'general',
      'tools',
      'spans',
      '.',
      'following',
    ],
  },
  store: {
    without: ['agents', 'import'],
    floors: ['files', 'format', 'notes', 'read', 'catalog', 'write'],
  },
  export: {
    without: ['agents', 'import', 'store'],
    packages: ['markdown-it', 'hyparquet-writer'],
    floors: ['otlp', 'collector', 'page', 'secrets', 'sharing', '.', 'bridges', 'tables', 'files'],
    folders: { collector: { packages: ['@opentelemetry/otlp-transformer'] } },
  },
  page: { pure: true, packages: ['valibot'], floors: ['protocol', 'panel'] },
  search: {
    without: ['agents'],
    floors: ['bytes', 'stored', 'columns', 'sessions', 'files', '.', 'reader'],
  },
  compare: {
    pure: true,
    without: ['page'],
    floors: ['.', 'expectations'],
    // What somebody wrote into a file: its patterns are run with an end.
    folders: { expectations: { packages: ['yaml', 're2js'] } },
  },
  /** Who wrote a line: it asks git, and knows neither stores nor formats. */
  provenance: { without: ['agents', 'import', 'store', 'export', 'page', 'search', 'compare'] },
  archive: { without: ['agents', 'import'], packages: ['pg'] },
  capture: {
    // Of `export` it knows what finds secrets, which are left out of recordings, too.
    without: [
      'agents',
      'export/otlp',
      'export/collector',
      'export/page',
      'export/sharing',
      'export/.',
      'export/bridges',
      'export/tables',
      'export/files',
      'compare',
      'archive',
    ],
    packages: ['@bufbuild/protobuf'],
    floors: ['discovery', 'servers', 'otlp', 'proxy', '.'],
  },
  app: {
    packages: ['valibot'],
    // Below `features` is what they load late, above them what asks for them.
    floors: [
      '.',
      'text',
      'ports',
      'answers',
      'transcripts',
      'capture',
      'panel',
      'sharing',
      'connectors',
      'stores',
      'archive',
      'discovery',
      'approvals',
      'notes',
      'telemetry',
      'team',
      'sources',
      'features',
      'models',
      'services',
      'runs',
      'chat',
      'views',
      'application',
      'terminal',
    ],
  },
  surfaces: {
    floors: ['mcp', 'cli', 'vscode'],
    folders: {
      mcp: {
        without: ['agents', 'import', 'capture', 'archive'],
        packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
      },
      cli: { without: ['agents', 'import', 'capture'], packages: ['cross-spawn'] },
      vscode: { without: ['surfaces/cli'], packages: ['vscode', 'valibot'] },
    },
  },
  /** What runs in a page: the sources beside `src/`. */
  webview: {
    pure: true,
    without: ['page/panel'],
    floors: [
      '.',
      'content',
      'notes',
      'rows',
      'questionBar',
      'views',
      'search',
      'context',
      'approvalLog',
      'compare',
      'pages',
    ],
    packages: ['@vscode/webview-ui-toolkit', 'markdown-it', 'highlight.js', 'valibot'],
  },
  /** Files in `src/` itself: the extension and the doors of the published library. */
  '.': { without: ['webview'], packages: ['vscode'] },
};

const order = Object.keys(layers);

/**
 * The room and the folder in it that a file stands in; `.` as the room is `src/` itself, `.` as the folder the room itself.
 * @param {string} root of the project
 * @param {string} file
 * @returns {{ room: string, folder: string } | undefined} undefined outside of `src/` and `webview/`
 */
export function roomOf(root, file) {
  const [top, ...rest] = relative(root, file).split(sep);
  const path = top === 'webview' ? [top, ...rest] : top === 'src' ? rest : undefined;
  if (!path) return undefined;
  const [room = '', folder = ''] = path.length > 1 ? path : ['.', ''];
  return { room, folder: path.length > 2 ? folder : '.' };
}

/** @param {{ room: string, folder: string }} place */
function rowOf({ room, folder }) {
  const row = layers[room];
  return row && { ...row, ...(row.folders ?? {})[folder], pure: isPure({ room, folder }) };
}

/** @param {{ room: string, folder: string }} place */
function isPure({ room, folder }) {
  const row = layers[room]?.folders?.[folder] ?? layers[room];
  return row?.pure === true;
}

/**
 * Why a file may not import something, in words that name the row.
 * @param {string} root of the project
 * @param {string} file
 * @param {string} specifier
 * @returns {string | undefined} undefined where it may
 */
export function problemWith(root, file, specifier) {
  const from = roomOf(root, file);
  if (!from) return undefined;
  const row = rowOf(from);
  const name = from.folder === '.' ? from.room : `${from.room}/${from.folder}`;
  if (!row) return `the room '${from.room}' is missing`;
  if (specifier.startsWith('node:')) return row.pure ? `${name} may not use Node` : undefined;
  if (!specifier.startsWith('.')) {
    const isNamed = (row.packages ?? []).some(
      (each) => specifier === each || specifier.startsWith(`${each}/`),
    );
    return isNamed ? undefined : `${name} may not use the package '${specifier}'`;
  }
  const to = roomOf(root, join(dirname(file), specifier));
  if (!to) return `${specifier} lies outside of the house`;
  const target = to.folder === '.' ? to.room : `${to.room}/${to.folder}`;
  if (row.pure && !isPure(to)) return `${name} runs in a page, and ${target} does not`;
  if (row.without?.some((each) => each === to.room || each === target))
    return `${name} does without ${target}`;
  if (from.room !== to.room) {
    const isBefore = order.indexOf(to.room) < order.indexOf(from.room);
    return isBefore ? undefined : `${name} stands before ${target}`;
  }
  const floors = layers[from.room]?.floors;
  if (!floors || from.folder === to.folder) return undefined;
  const height = (/** @type {string} */ folder) =>
    floors.includes(folder) ? floors.indexOf(folder) : folder === '.' ? floors.length : -1;
  if (height(from.folder) < 0) return `the floor of ${name} is missing`;
  return height(to.folder) < height(from.folder) ? undefined : `${name} stands before ${target}`;
}

/**
 * Whether files of a room may import another room at all, as the picture in ARCHITECTURE.md shows it; rows of folders may
 * say otherwise.
 * @param {string} room
 * @param {string} other
 */
export function mayImport(room, other) {
  const row = layers[room];
  const isBefore = order.indexOf(other) < order.indexOf(room);
  return isBefore && !row?.without?.includes(other) && (!row?.pure || layers[other]?.pure === true);
}
