/**
 * Who may import whom: the rooms of `src/` and the rooms each may reach into.
 * ESLint reads this table (eslint.config.mjs), ARCHITECTURE.md explains it.
 * A room may always import itself. `node:` says whether it may use Node's own modules,
 * `packages` which npm packages it may use ('type:x' is for types only).
 */
export const layers = {
  core: { rooms: [], node: false, packages: [] },
  ports: { rooms: ['core'], node: false, packages: [] },
  record: { rooms: ['core', 'ports'], node: false, packages: [] },
  query: { rooms: ['core', 'ports'], node: false, packages: ['re2js', 'markdown-it'] },
  tokens: { rooms: ['core', 'ports', 'query'], node: true, packages: ['js-tiktoken'] },
  export: { rooms: ['core', 'ports', 'query'], node: true, packages: [] },
  import: { rooms: ['core'], node: true, packages: [] },
  agents: { rooms: ['core'], node: true, packages: ['yaml'] },
  runtime: { rooms: ['core', 'ports', 'record'], node: true, packages: ['ajv', 're2js'] },
  models: { rooms: ['core', 'ports'], node: true, packages: ['openai', 'valibot', 'yaml'] },
  tools: { rooms: ['core', 'ports'], node: true, packages: ['unbash', 're2js'] },
  frontends: { rooms: ['core', 'ports'], node: true, packages: [] },
  bus: { rooms: ['core', 'ports'], node: true, packages: ['grammy', 'discord.js'] },
  store: { rooms: ['core', 'ports', 'query'], node: true, packages: ['valibot', 're2js'] },
  protocol: { rooms: ['core', 'ports', 'query'], node: false, packages: ['valibot'] },
  panel: { rooms: ['core', 'ports', 'query', 'protocol'], node: false, packages: ['re2js'] },
  vscode: { rooms: '*', node: true, packages: ['vscode', 'valibot', 'jsonc-parser'] },
  webview: {
    rooms: ['core', 'ports', 'query', 'protocol'],
    node: false,
    packages: [
      '@vscode/webview-ui-toolkit',
      '@tanstack/virtual-core',
      'markdown-it',
      'highlight.js',
      'valibot',
    ],
  },
  /** Files that stand in `src/` itself: the composition root and what is published. */
  '.': { rooms: '*', node: true, packages: ['vscode'] },
};

/** Rooms that nobody but the composition root may import. */
export const leaves = ['vscode', 'webview', '.'];
