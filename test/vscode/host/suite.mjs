import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { startHost, workbenchQuery } from './host.mjs';
import { newScratch } from './server.mjs';
import { judge } from './verdict.mjs';

/** @import { Page } from 'playwright-core' */
/** @import { HostOptions } from './host.mjs' */
/** @import { SuiteResult } from './verdict.mjs' */

/**
 * @typedef {object} SuiteOnly
 * @property {string} suite a module that exports `run()`
 * @property {string} [extension] the one under development, an empty one when left out
 * @property {number} [timeoutMs]
 * @property {string} [screenshot] where a picture goes when the suite fails
 * @property {(text: string) => void} [print] takes what the suite prints and, when it fails, why
 */

/** @typedef {HostOptions & SuiteOnly} SuiteOptions */

/** @typedef {{ type: string, text: string }} Line */

/** Stands before the suite's own output, which arrives together with the workbench's log. */
const MARK = '\u2063';
const VERBOSE = Boolean(process.env.AGENT_LOGBOOK_VERBOSE);

/**
 * Runs a test suite in the extension host of a real VS Code.
 * @param {SuiteOptions} options
 * @returns {Promise<SuiteResult>}
 */
export async function runSuite(options) {
  const { suite, extension, timeoutMs = 600_000, screenshot, print = console.log, ...hostOptions } = options;
  const scratch = await newScratch();
  const report = join(scratch, 'report.json');
  const host = await startHost({
    ...hostOptions,
    scratch,
    driver: true,
    env: { AGENT_LOGBOOK_TEST_MARK: MARK, AGENT_LOGBOOK_TEST_REPORT: report, ...options.env },
  });
  /** @type {string[]} */
  const errors = [];
  const onLine = (/** @type {Line} */ { type, text }) => {
    if (text.startsWith(MARK)) print(text.slice(MARK.length));
    else if (VERBOSE) print(text);
    else if (type === 'error') errors.push(text);
  };
  try {
    const page = await host.browser.newPage({ viewport: { width: 1280, height: 800 } });
    const ended = whenEnded(page, timeoutMs, onLine);
    const what = { folder: host.folder, extension: extension ?? (await emptyExtension(scratch)), suite };
    await page.goto(host.server.address(workbenchQuery(host.server, what)), { waitUntil: 'commit' });
    const result = await judge(await ended, report);
    if (result.problem) print(result.problem);
    if (!result.reported) {
      print(`--- errors in VS Code\n${errors.slice(-20).join('\n')}`);
      print(`--- log of the server\n${host.server.log()}`);
    }
    if (result.problem && screenshot)
      await takePicture(page, screenshot).catch((error) => print(error.message));
    return result;
  } finally {
    await host.stop();
  }
}

/**
 * VS Code calls these two functions of the page, if they exist, with its log and with the result of a suite.
 * @param {Page} page
 * @param {number} timeoutMs
 * @param {(line: Line) => void} onLine
 * @returns {Promise<string | undefined>} what went wrong, as far as VS Code noticed
 */
function whenEnded(page, timeoutMs, onLine) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(`The suite did not end within ${timeoutMs / 1000} s.`), timeoutMs);
    page.on('crash', () => resolve('The page of the workbench crashed.'));
    page.on('close', () => clearTimeout(timer));
    const log = (/** @type {string} */ type, /** @type {unknown[]} */ args) =>
      onLine({ type, text: format(...args) });
    const exit = (/** @type {number} */ code) =>
      resolve(code === 0 ? undefined : `VS Code ended with ${code}.`);
    Promise.all([
      page.exposeFunction('codeAutomationLog', log),
      page.exposeFunction('codeAutomationExit', exit),
    ]).catch(reject);
  });
}

/**
 * A suite runs only beside an extension under development.
 * @param {string} scratch
 */
async function emptyExtension(scratch) {
  const folder = join(scratch, 'empty-extension');
  await mkdir(folder);
  const manifest = { name: 'empty', publisher: 'test', version: '0.0.0', engines: { vscode: '*' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  return folder;
}

/**
 * @param {Page} page
 * @param {string} path
 */
async function takePicture(page, path) {
  await mkdir(dirname(path), { recursive: true });
  await page.screenshot({ path });
}
