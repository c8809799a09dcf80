import { sqliteAt } from './sqliteFiles.mjs';

/**
 * How everything that runs in Node is bundled: the extension, the library, the workers and the suite of the tests.
 * @satisfies {import('esbuild').BuildOptions}
 */
export const nodeBundle = {
  absWorkingDir: `${import.meta.dirname}/..`,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  splitting: true,
  sourcemap: 'linked',
  // Chunks lie flat beside their entries, so a URL relative to `import.meta.url` is right in each of them.
  chunkNames: '[name]-[hash]',
  // CommonJS packages inside an ES module bundle ask for `require`.
  banner: {
    js: [
      "import { createRequire as createRequireOfBundle } from 'node:module';",
      'const require = createRequireOfBundle(import.meta.url);',
    ].join('\n'),
  },
  // What is shipped says where it lies there; what is built for tests takes it from its package.
  plugins: [sqliteAt()],
  logLevel: 'warning',
};
