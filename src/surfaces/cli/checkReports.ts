import { lineDiff } from '../../query/numbers/lineDiff.js';
import type { PlacedFinding, TestResult } from '../../app/sources/checkExpectations.js';

/** What came of the tests of a file; `problem`: why none of them could be run. */
export interface CheckedFile {
  /** As a person named it. */
  readonly file: string;
  readonly results: readonly TestResult[];
  readonly problem?: string;
}

/** How many tests came to what. */
export interface CheckCounts {
  readonly passed: number;
  readonly failed: number;
  readonly untested: number;
  readonly vacuous: number;
}

/** Counts what came of tests; a file that could not be read is one that could not be tested. */
export function countsOf(files: readonly CheckedFile[]): CheckCounts {
  const counts = { passed: 0, failed: 0, untested: 0, vacuous: 0 };
  for (const { results, problem } of files) {
    if (problem !== undefined) counts.untested++;
    for (const { state, runs } of results) {
      counts[state]++;
      if (runs.some(({ findings }) => findings.some((each) => each.state === 'vacuous'))) counts.vacuous++;
    }
  }
  return counts;
}

/** How many lines of what was expected and found are told beside a failure. */
const MAX_LINES = 40;

/** What does not hold in a test: a line for each, and indented below it what was expected (-) and what was found (+). */
export function failureLines({ sentence, runs }: TestResult): readonly string[] {
  const isOne = runs.length === 1;
  const wrong = runs.flatMap(({ session, run, findings, why }) => {
    const name = isOne ? '' : `${session.id}${run === undefined ? '' : `#${run}`}: `;
    return [
      ...(why === '' || isOne ? [] : [`${name}${why}`]),
      ...findings
        .filter(({ state }) => state === 'failed')
        .flatMap((finding) => [`${name}${findingLine(finding)}`, ...differenceLines(finding)]),
    ];
  });
  return isOne && wrong.length > 0 ? wrong : [sentence, ...wrong];
}

/** An expectation with its line and what came of it. */
export function findingLine({ path, place, sentence }: PlacedFinding): string {
  return `${path.join('.')} (line ${place.line}): ${sentence}`;
}

/** Of one line each, the sentence has said it. */
function differenceLines({ expected, actual }: PlacedFinding): readonly string[] {
  if (!expected.includes('\n') && !actual.includes('\n')) return [];
  const lines = lineDiff(expected, actual).map((line) =>
    line.kind === 'skipped'
      ? `    … ${line.count} lines alike`
      : `  ${{ same: ' ', removed: '-', added: '+' }[line.kind]} ${line.parts.map(({ text }) => text).join('')}`,
  );
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `    … ${more} more lines`] : lines;
}

/** What came of tests as JUnit XML, which most services of continuous integration read. */
export function junitOf(files: readonly CheckedFile[]): string {
  const { passed, failed, untested } = countsOf(files);
  const suites = files.map(({ file, results, problem }) => {
    const own = countsOf([{ file, results, ...(problem !== undefined && { problem }) }]);
    const cases = [
      ...(problem === undefined
        ? []
        : [
            `    <testcase classname="${xml(file)}" name="(file)" file="${xml(file)}">\n      <error message="${xml(firstLine(problem))}">${cdata(problem)}</error>\n    </testcase>`,
          ]),
      ...results.map((result) => caseOf(file, result)),
    ];
    const attributes = `tests="${own.passed + own.failed + own.untested}" failures="${own.failed}" errors="${own.untested}" skipped="0"`;
    return `  <testsuite name="${xml(file)}" ${attributes} time="${seconds(results)}">\n${cases.join('\n')}\n  </testsuite>`;
  });
  const all = files.flatMap(({ results }) => results);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${passed + failed + untested}" failures="${failed}" errors="${untested}" time="${seconds(all)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function caseOf(file: string, result: TestResult): string {
  const { name, state, sentence, place } = result;
  const head = `    <testcase classname="${xml(file)}" name="${xml(name)}" time="${seconds([result])}" file="${xml(file)}" line="${place.line}"`;
  if (state === 'passed') return `${head}/>`;
  const kind = state === 'failed' ? 'failure' : 'error';
  return `${head}>\n      <${kind} message="${xml(firstLine(sentence))}">${cdata(failureLines(result).join('\n'))}</${kind}>\n    </testcase>`;
}

function seconds(results: readonly TestResult[]): string {
  return (results.reduce((sum, { tookMs }) => sum + tookMs, 0) / 1_000).toFixed(3);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/** What XML 1.0 does not allow, also where it is escaped. */
const FORBIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function xml(text: string): string {
  return text
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function cdata(text: string): string {
  return `<![CDATA[${text.replace(FORBIDDEN, '\ufffd').replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;
}

/** What does not hold as commands of a workflow of GitHub, which shows them at the lines of the files. */
export function githubAnnotations(files: readonly CheckedFile[]): readonly string[] {
  return files.flatMap(({ file, results, problem }) => [
    ...(problem === undefined ? [] : [annotation('error', file, 1, file, problem)]),
    ...results
      .filter(({ state }) => state !== 'passed')
      .map((result) => {
        const wrong = result.runs.flatMap(({ findings }) => findings).find(({ state }) => state === 'failed');
        const { line } = wrong?.place ?? result.place;
        return annotation('error', file, line, result.name, failureLines(result).join('\n'));
      }),
    ...results.flatMap(({ name, runs }) =>
      runs.flatMap(({ findings }) =>
        findings
          .filter(({ state }) => state === 'vacuous')
          .map(({ place, sentence }) =>
            annotation('warning', file, place.line, name, `vacuous: ${sentence}`),
          ),
      ),
    ),
  ]);
}

function annotation(
  kind: 'error' | 'warning',
  file: string,
  line: number,
  title: string,
  text: string,
): string {
  const property = (value: string) => data(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return `::${kind} file=${property(file)},line=${line},title=${property(title)}::${data(text)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
