/**
 * Runs the suite of `test/vscode/suite` in the extension host of a VS Code server from npm, on a copy of the sample
 * workspace: `node scripts/testVscode.mjs [--oldest] [--files NAME] [--grep TITLE]`.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runSuite } from '../test/vscode/host/suite.mjs';
import { buildSuite, testExtensions } from './buildSuite.mjs';
import { reportCounts } from './counts.mjs';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { oldest: { type: 'boolean' }, files: { type: 'string' }, grep: { type: 'string' } },
});

async function main() {
  if (!existsSync(join(root, 'dist/extension.js'))) throw new Error('Build first: npm run build');
  const version = values.oldest ? 'oldest' : 'current';
  const result = await runSuite({
    version,
    suite: await buildSuite(),
    extension: root,
    extensions: testExtensions(),
    workspace: join(root, 'samples/team'),
    screenshot: join(root, `out/suite-${version}-failed.png`),
    env: {
      ...(values.files ? { AGENT_LOGBOOK_TEST_FILES: values.files } : {}),
      ...(values.grep ? { AGENT_LOGBOOK_TEST_GREP: values.grep } : {}),
    },
  });
  await reportCounts(result);
  process.exitCode = result.problem ? 1 : 0;
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
