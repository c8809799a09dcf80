/**
 * Reads every file of a folder as a transcript and prints what the query engine finds in it, file by file and in all,
 * which texts of it stand in no record, which of those that somebody wrote are neither shown nor found, and where its facts
 * differ from known ones:
 *
 *   npm run corpus -- <folder> [facts.json] [--json] [--together] [--problems]
 *
 * `facts.json` holds the known facts of files, by their path in the folder under `files`; those that are called like one
 * of ours are compared. Texts that only the last guard of the import kept ("left over") count as lost.
 * `--json` prints one JSON object a line and the totals last; `--together` reads files that belong together, like the
 * sessions of subagents, as one; `--problems` prints every problem instead of the first three of a file.
 */
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { importSources } from './importSources.mjs';
import { lostTexts, rawValues } from './lostTexts.mjs';
import { factsOf } from './transcriptFacts.mjs';

/** How many problems of a file are printed. */
const SHOWN_PROBLEMS = 3;

/** How many lost texts of a file are printed. */
const SHOWN_LOST = 3;

/**
 * The regular files below a folder, sorted; links are not followed.
 * @param {string} folder
 * @returns {AsyncGenerator<string>}
 */
async function* filesBelow(folder) {
  const info = await lstat(folder);
  if (info.isFile()) yield folder;
  if (!info.isDirectory()) return;
  const names = await readdir(folder).catch(() => []);
  for (const name of names.sort()) yield* filesBelow(join(folder, name));
}

/** @param {unknown} error @returns {import('../src/core/agent.js').Problem} */
const problemOf = (error) => ({
  severity: 'error',
  message: error instanceof Error ? error.message : String(error),
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, together: { type: 'boolean' }, problems: { type: 'boolean' } },
});
const [folder, factsFile] = positionals;
if (!folder) {
  console.error('Name a folder: npm run corpus -- <folder> [facts.json]');
  process.exit(2);
}

/** @type {typeof import('../src/export/messageQuery.js') & typeof import('../src/import/building/halfRead.js') & typeof import('../src/import/importFile.js') & typeof import('../src/query/numbers/toolNames.js')} */
const engine = await importSources('corpus', [
  'export/messageQuery',
  'import/building/halfRead',
  'import/importFile',
  'query/numbers/toolNames',
]);
const totals = {
  files: 0,
  unrecognised: 0,
  conversations: 0,
  messages: 0,
  tool_calls: 0,
  problems: 0,
  lost: 0,
  hidden: 0,
  differing: 0,
};
/** @type {Record<string, Record<string, unknown>>} */
const known = factsFile ? JSON.parse(await readFile(factsFile, 'utf8')).files : {};
/** @type {Map<string, number>} */
const formats = new Map();

/** @type {string[]} */
const paths = [];
for await (const path of filesBelow(resolve(folder))) paths.push(path);
const sidecars = values.together
  ? await Promise.all(paths.map(async (path) => (await engine.sidecarPaths(path)).paths))
  : [];
const readWithOthers = new Set(sidecars.flat());

for (const path of paths) {
  totals.files++;
  if (readWithOthers.has(path)) continue;
  const name = relative(resolve(folder), path) || path;
  /** @type {import('../src/import/reading/importResult.js').ImportResult} */
  const result = await engine
    .importFile(path, { alone: !values.together })
    .catch((error) => ({ format: 'unreadable', conversations: [], problems: [problemOf(error)] }));
  const { facts, problems } = examine(result);
  if (result.format === 'unreadable' || result.format === 'unknown') totals.unrecognised++;
  totals.conversations += result.conversations.length;
  totals.messages += facts?.messages ?? 0;
  totals.tool_calls += facts?.tool_calls ?? 0;
  totals.problems += problems.length;
  formats.set(result.format, (formats.get(result.format) ?? 0) + 1);
  const lost = lostIn(path, result);
  const differing = facts ? differencesOf(known[name] ?? {}, facts) : [];
  totals.lost += lost.length;
  const hidden = hiddenIn(path, result);
  totals.hidden += hidden.length;
  totals.differing += differing.length;
  print({ file: name, format: result.format, facts, problems, lost, hidden, differing });
}

if (values.json) console.log(JSON.stringify({ totals, formats: Object.fromEntries(formats) }));
else {
  const counts = Object.entries(totals).map(([key, value]) => `${key} ${value}`);
  console.log(`\n${counts.join(', ')}`);
  console.log([...formats].map(([format, files]) => `${format} ${files}`).join(', '));
}

/** @param {import('../src/import/reading/importResult.js').ImportResult} result */
function examine({ conversations, problems }) {
  try {
    return { facts: factsOf(conversations, engine), problems };
  } catch (error) {
    return { facts: undefined, problems: [...problems, problemOf(error)] };
  }
}

/**
 * What of a file stands in no record; none for archives, which the importers' own guard looks through.
 * @param {string} path
 * @param {import('../src/import/reading/importResult.js').ImportResult} result
 */
function lostIn(path, { conversations, format }) {
  if (format === 'unreadable') return [];
  const records = conversations.map((each) => [
    each.title,
    each.records.filter((record) => !isLeftOver(record)),
  ]);
  /** @type {unknown[]} */
  const guarded = conversations.flatMap((each) => each.records.filter(isLeftOver));
  const pieces = /** @type {{ value: import('./lostTexts.mjs').Lost[] }[]} */ (guarded).flatMap(
    ({ value }) => value,
  );
  const raw = rawValues(path);
  return raw.length > 0 ? lostTexts(raw, records) : pieces;
}

/**
 * What somebody wrote in a file and is neither shown nor found among the records.
 * @param {string} path @param {import('../src/import/reading/importResult.js').ImportResult} result
 */
function hiddenIn(path, { conversations, format }) {
  if (format === 'unreadable' || !/\.jsonl?$/.test(path)) return [];
  const steps = engine.hiddenTexts(rawValues(path), conversations);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** @param {{ type: string }} record */
function isLeftOver(record) {
  return record.type === 'imported' && 'kind' in record && record.kind === 'left over';
}

/**
 * The facts that are known under the same name and are not the same.
 * @param {Record<string, unknown>} expected
 * @param {Record<string, unknown>} facts
 */
function differencesOf(expected, facts) {
  return Object.keys(expected).filter(
    (key) =>
      key in facts && JSON.stringify(sortedKeys(expected[key])) !== JSON.stringify(sortedKeys(facts[key])),
  );
}

/** @param {unknown} value @returns {unknown} */
function sortedKeys(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, each]) => [key, sortedKeys(each)])
      .sort(),
  );
}

/**
 * @param {{ file: string, format: string, facts: ReturnType<typeof factsOf> | undefined,
 *   problems: readonly import('../src/core/agent.js').Problem[], lost: readonly import('./lostTexts.mjs').Lost[],
 *   hidden: readonly import('./lostTexts.mjs').Lost[],
 *   differing: readonly string[] }} found
 */
function print(found) {
  if (values.json) {
    console.log(JSON.stringify(found));
    return;
  }
  const { file, format, facts, problems, lost, hidden, differing } = found;
  console.log(
    `${file}\n  ${format}: ${facts?.conversations ?? 0} conversations, ${facts?.messages ?? 0} messages, ${lost.length} lost texts`,
  );
  if (facts && facts.messages > 0) console.log(`  ${JSON.stringify(facts)}`);
  for (const { path, value } of lost.slice(0, values.problems ? lost.length : SHOWN_LOST))
    console.log(`  lost at ${path}: ${JSON.stringify(value).slice(0, 120)}`);
  for (const { path, value } of hidden.slice(0, values.problems ? hidden.length : SHOWN_LOST))
    console.log(`  neither shown nor found, at ${path}: ${JSON.stringify(value).slice(0, 120)}`);
  for (const key of differing) console.log(`  differs from the known facts: ${key}`);
  const shown = values.problems ? problems : problems.slice(0, SHOWN_PROBLEMS);
  for (const { severity, message, line } of shown) {
    console.log(`  ${severity}${line === undefined ? '' : ` in line ${line}`}: ${message}`);
  }
  if (shown.length < problems.length) console.log(`  ${problems.length - shown.length} more problems`);
}
