/**
 * Who may import whom: the rooms (folders of `src/`, and `webview/`) and what each may import.
 * ESLint enforces this table (eslint.config.mjs), ARCHITECTURE.md explains it.
 * A room may always import itself. `rooms: '*'` allows every room; `node` says whether Node's own modules are allowed,
 * `packages` names the npm packages that are.
 */
export const layers = {
  core: { rooms: [], node: false, packages: [] },
  ports: { rooms: ['core'], node: false, packages: [] },
  node: { rooms: ['core', 'ports'], node: true, packages: ['re2js'] },
  shell: { rooms: ['core'], node: false, packages: ['unbash'] },
  record: { rooms: ['core'], node: false, packages: [] },
  analysis: { rooms: ['core', 'ports'], node: false, packages: [] },
  query: { rooms: ['core', 'ports', 'shell', 'analysis'], node: false, packages: ['markdown-it'] },
  tokens: { rooms: ['core', 'ports', 'analysis'], node: true, packages: [] },
  export: { rooms: ['core', 'ports', 'analysis', 'query', 'node'], node: true, packages: ['markdown-it'] },
  import: { rooms: ['core'], node: true, packages: ['fzstd', 'yaml'] },
  agents: { rooms: ['core'], node: true, packages: ['yaml'] },
  runtime: { rooms: ['core', 'ports'], node: true, packages: ['ajv', 're2js'] },
  models: { rooms: ['core', 'ports'], node: true, packages: ['eventsource-parser', 'valibot', 'yaml'] },
  tools: { rooms: ['core', 'ports', 'node', 'shell'], node: true, packages: ['unbash', 're2js'] },
  frontends: { rooms: ['core', 'ports'], node: false, packages: [] },
  bus: {
    rooms: ['core', 'ports', 'node'],
    node: true,
    packages: ['grammy', '@discordjs/rest', '@discordjs/ws', 'discord-api-types'],
  },
  pricing: { rooms: ['core', 'ports'], node: true, packages: ['@pydantic/genai-prices', 'valibot', 'yaml'] },
  store: { rooms: ['core', 'ports', 'analysis', 'query', 'node'], node: true, packages: [] },
  search: {
    rooms: ['core', 'ports', 'node', 'analysis', 'query', 'pricing', 'store', 'protocol'],
    node: true,
    packages: [],
  },
  app: {
    rooms: [
      'core',
      'ports',
      'node',
      'record',
      'analysis',
      'query',
      'tokens',
      'export',
      'import',
      'agents',
      'runtime',
      'models',
      'tools',
      'frontends',
      'bus',
      'pricing',
      'store',
      'protocol',
      'panel',
      'reader',
      'search',
    ],
    node: true,
    packages: ['valibot'],
  },
  protocol: { rooms: ['core', 'ports', 'analysis', 'query'], node: false, packages: ['valibot'] },
  panel: { rooms: ['core', 'ports', 'analysis', 'query', 'protocol'], node: false, packages: [] },
  reader: {
    rooms: [
      'core',
      'ports',
      'node',
      'analysis',
      'query',
      'tokens',
      'export',
      'import',
      'pricing',
      'store',
      'protocol',
      'panel',
    ],
    node: true,
    packages: [],
  },
  vscode: { rooms: '*', node: true, packages: ['vscode', 'valibot'] },
  webview: {
    rooms: ['core', 'query', 'protocol'],
    node: false,
    packages: ['@vscode/webview-ui-toolkit', 'diff', 'markdown-it', 'highlight.js', 'valibot'],
  },
  /** Files in `src/` itself: the composition root and the published library. */
  '.': { rooms: '*', node: true, packages: ['vscode'] },
};

/** Rooms that only the composition root may import. */
export const leaves = ['vscode', 'webview', '.'];
