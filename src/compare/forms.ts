import { escapeHtml } from '../core/escapeHtml.js';
import { withoutHalfAtEnd } from '../core/halves.js';
import { inLanguage, t } from '../core/l10n.js';
import { visibleLine } from '../core/visibleText.js';
import { deltasOf, type Comparison, type Delta, type Row, type StepView } from './comparison.js';
import type { PassAt, Points, Rate, RunSet } from './runs.js';
import {
  alikeWords,
  amountWords,
  countWords,
  damageWords,
  DELTA_WORDS,
  detailWords,
  didWords,
  differenceWords,
  foldedRows,
  inputName,
  KIND_WORDS,
  normalisedWords,
  outcomeWords,
  sentenceOf,
  wayWords,
} from './words.js';

/** A table; what stands in its cells is of others. */
export interface Table {
  /** Those that a view may show otherwise. */
  readonly of?: 'steps' | 'numbers';
  readonly title: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The columns with numbers. */
  readonly numbers?: readonly number[];
}

/** A comparison as a page: a sentence first, then notes and tables. What it says may be of others, and is not safe to show yet. */
export interface Page {
  readonly title: string;
  readonly sentence: string;
  readonly notes: readonly string[];
  readonly tables: readonly Table[];
}

const MAX_FILES = 50;
const MAX_ROWS = 2_000;

/** Two runs as a page. */
export function pageOfTwo(
  comparison: Comparison,
  names: { readonly left: string; readonly right: string },
): Page {
  const { rows, inputs, filesOnlyLeft, filesOnlyRight } = comparison;
  const folded = foldedRows(rows);
  const files = [
    ...filesOnlyLeft.slice(0, MAX_FILES).map((path) => [path, '']),
    ...filesOnlyRight.slice(0, MAX_FILES).map((path) => ['', path]),
  ];
  const counted = countWords(comparison);
  const normalised = normalisedWords(comparison);
  const tables: readonly Table[] = [
    {
      title: t`Went in`,
      heads: [t`Input`, t`Left`, t`Right`],
      rows: inputs.map((input) => [inputName(input), input.left, input.right]),
    },
    {
      of: 'steps',
      title: t`Steps`,
      heads: [t`Left`, t`Right`, t`Difference`],
      rows: folded
        .slice(0, MAX_ROWS)
        .map((each) => (each.row ? cellsOf(each.row) : ['', '', alikeWords(each.alike)])),
    },
    {
      title: t`Came out`,
      heads: [t`What`, t`Left`, t`Right`, t`Right against left`],
      numbers: [1, 2, 3],
      rows: [
        ...[[t`Outcome`, outcomeWords(comparison.left), outcomeWords(comparison.right), '']].filter(
          ([, left, right]) => left !== '' || right !== '',
        ),
        ...scoresIn(comparison),
        ...deltasOf(comparison)
          .filter(isTold)
          .map((delta) => [
            inLanguage(DELTA_WORDS[delta.what]),
            amountWords(delta.left, delta.unit),
            amountWords(delta.right, delta.unit),
            differenceWords(delta),
          ]),
      ],
    },
    { title: t`Files that one of them names`, heads: [t`Only left`, t`Only right`], rows: files },
  ];
  return {
    title: t`${names.left} and ${names.right}`,
    sentence: sentenceOf(comparison),
    notes: [
      t`Left: ${names.left}. Right: ${names.right}.`,
      ...(counted === '' ? [] : [t`Differences: ${counted}.`]),
      ...(folded.length > MAX_ROWS ? [t`${folded.length - MAX_ROWS} further rows are left out.`] : []),
      ...[
        damageWords(t`the left run`, comparison.left),
        damageWords(t`the right run`, comparison.right),
      ].filter((words) => words !== ''),
      ...(wayWords(comparison) === '' ? [] : [wayWords(comparison)]),
      ...(normalised.length === 0 ? [] : [t`Taken as equal: ${normalised.join('; ')}.`]),
    ],
    tables: tables.filter(({ rows: some }) => some.length > 0),
  };
}

/** What is unknown of both runs, or nothing in both, is not worth a line; a cost always is. */
function isTold({ what, left, right }: Delta): boolean {
  return what === 'cost' || (left ?? 0) !== 0 || (right ?? 0) !== 0;
}

function scoresIn({ left, right }: Comparison): readonly (readonly string[])[] {
  const names = new Set([...left.scores, ...right.scores].map(({ name }) => name));
  const valueOf = (scores: Comparison['left']['scores'], name: string) =>
    scores.find((score) => score.name === name)?.value ?? '';
  return [...names].map((name) => [name, valueOf(left.scores, name), valueOf(right.scores, name), '']);
}

function cellsOf(row: Row): readonly string[] {
  const side = (step: StepView | undefined) =>
    step
      ? `${'· '.repeat(row.depth)}${step.number}  ${step.agent === '' ? '' : `${step.agent} `}${didWords(step)}`
      : '';
  const detail = detailWords(row);
  const kind = row.kind === 'same' ? '' : inLanguage(KIND_WORDS[row.kind]);
  return [side(row.left), side(row.right), detail === '' ? kind : `${kind}: ${detail}`];
}

/** What several runs come to, in one sentence. */
export function sentenceOfSet(set: RunSet): string {
  const { facts, same, forks, success, names, baseline, isFew } = set;
  const [most] = forks;
  const parts = [
    set.otherTasks === facts.length - 1
      ? t`Each run is of another task, so that steps are not compared`
      : t`${same} of ${facts.length - 1 - set.otherTasks} runs do what ${names[baseline] ?? ''} does`,
    ...(most
      ? [
          most.step === undefined
            ? t`${most.runs.length} leave it with a step of their own: ${most.other ? didWords(most.other) : ''}`
            : t`most that leave it, ${most.runs.length}, do so at step ${most.step}${most.other ? t` (${didWords(most.other)})` : ''}`,
        ]
      : []),
    rateWords(success, set.by),
    ...(isFew ? [t`too few runs to claim a difference`] : []),
  ];
  return `${parts.filter((part) => part !== '').join('; ')}.`;
}

/** `4 of 5 succeeded (80 %, between 38 and 96 %)`, and of how many nothing says it. */
export function rateWords({ passed, n, excluded, rate, low, high }: Rate, by: RunSet['by']): string {
  if (rate === undefined || low === undefined || high === undefined)
    return t`nothing says how any of ${excluded} runs ended`;
  const verb = by === 'score' ? t`succeeded` : t`ended well`;
  const told = t`${passed} of ${n} ${verb} (${percent(rate)} %, 95 % interval ${percent(low)} to ${percent(high)} %)`;
  return excluded === 0 ? told : t`${told}, ${excluded} left out because nothing says how they ended`;
}

function percent(share: number): string {
  return String(Math.round(share * 100));
}

/** Several runs as a page. */
export function pageOfSet(set: RunSet): Page {
  const { names, facts, points, outliers, success } = set;
  const of = facts.length;
  const unitOf = (what: Points['what']) => points.find((each) => each.what === what)?.unit ?? 'count';
  const nameOf = (run: number) => names[run] ?? '';
  const tables = tablesOfSet(set);
  return {
    title: t`${of} runs`,
    sentence: sentenceOfSet(set),
    notes: [
      ...(set.tasks > 1
        ? [
            t`The runs are of ${set.tasks} tasks: rates in k tries are means over tasks, and steps are compared with the baseline’s task alone.`,
          ]
        : []),
      ...(set.by === 'score' ? [t`Correct, resolved, or a score of 1 counts as success.`] : []),
      t`Of ${of} runs, ${success.n - success.passed} did not succeed and ${success.excluded} are left out of rates because nothing says how they ended.`,
      ...facts.map((run, at) => damageWords(nameOf(at), run)).filter((words) => words !== ''),
      ...outliers.map(
        ({ run, what, value, median }) =>
          t`${nameOf(run)} stands out: ${inLanguage(DELTA_WORDS[what])} ${amountWords(value, unitOf(what))}, where the median is ${amountWords(median, unitOf(what))}.`,
      ),
      ...(set.isFew
        ? [
            t`With fewer than 4 runs no difference between two ways of running can be shown, whatever they show.`,
          ]
        : []),
    ],
    tables: tables.filter(({ rows }) => rows.length > 0),
  };
}

function tablesOfSet(set: RunSet): readonly Table[] {
  const { names, facts, points, forks, steps, others, passAt, baseline } = set;
  const of = facts.length;
  const nameOf = (run: number) => names[run] ?? '';
  return [
    {
      title: t`Runs`,
      heads: [t`Run`, t`Outcome`, t`Score`, ...points.map(({ what }) => inLanguage(DELTA_WORDS[what]))],
      numbers: points.map((_, at) => at + 3),
      rows: facts.map((run, at) => [
        at === baseline ? t`${nameOf(at)} (baseline)` : nameOf(at),
        outcomeWords(run),
        run.scores.map(({ name, value }) => `${name} ${value}`).join(', '),
        ...points.map((each) => amountWords(each.points[at], each.unit)),
      ]),
    },
    {
      of: 'numbers',
      title: t`Numbers`,
      heads: [t`What`, t`Known of`, t`Median`, t`Least`, t`Most`],
      numbers: [1, 2, 3, 4],
      rows: points.map(({ what, unit, n, median, least, most }) => [
        inLanguage(DELTA_WORDS[what]),
        t`${n} of ${of}`,
        ...[median, least, most].map((value) => amountWords(value, unit)),
      ]),
    },
    {
      title: t`Where they leave the baseline first`,
      heads: [t`Step`, t`Baseline`, t`They`, t`Runs`, t`Which`],
      numbers: [0, 3],
      rows: forks.map(({ step, baseline: own, other, runs }) => [
        step === undefined ? '' : String(step),
        own ? didWords(own) : '',
        other ? didWords(other) : '',
        t`${runs.length} of ${of - 1 - set.otherTasks}`,
        runs.map(nameOf).join(', '),
      ]),
    },
    {
      title: t`Steps of the baseline`,
      heads: [t`Step`, t`What`, t`Stands in`],
      numbers: [0, 2],
      rows: steps
        .slice(0, MAX_ROWS)
        .map(({ step, runs, depth }) => [
          String(step.number),
          `${'· '.repeat(depth)}${step.agent === '' ? '' : `${step.agent} `}${didWords(step)}`,
          t`${runs} of ${of - set.otherTasks}`,
        ]),
    },
    {
      title: t`Steps that the baseline does not have`,
      heads: [t`What`, t`Stands in`],
      numbers: [1],
      rows: others.map(({ step, runs }) => [didWords(step), t`${runs} of ${of - set.otherTasks}`]),
    },
    {
      title: t`Success in k tries`,
      heads: [t`k`, t`at least one (pass@k)`, t`all (pass^k)`],
      numbers: [0, 1, 2],
      rows: passAt.map(passWords),
    },
  ];
}

function passWords({ k, any, all }: PassAt): readonly string[] {
  return [String(k), any.toFixed(2), all.toFixed(2)];
}

/** A page as Markdown for a pull request. Texts of others mean nothing in it. */
export function markdownOf({ title, sentence, notes, tables }: Page): string {
  const lines = [`## ${inMarkdown(title)}`, '', `**${inMarkdown(sentence)}**`, ''];
  for (const note of notes) lines.push(`- ${inMarkdown(note)}`);
  for (const { title: head, heads, rows, numbers = [] } of tables) {
    const isLong = rows.length > 20;
    lines.push(
      '',
      isLong ? `<details><summary>${escapeHtml(head)}</summary>` : `### ${inMarkdown(head)}`,
      '',
    );
    lines.push(`| ${heads.map(inMarkdown).join(' | ')} |`);
    lines.push(`| ${heads.map((_, at) => (numbers.includes(at) ? '--:' : '---')).join(' | ')} |`);
    for (const row of rows)
      lines.push(`| ${row.map((cell) => inMarkdown(withoutHalfAtEnd(cell.slice(0, 300)))).join(' | ')} |`);
    if (isLong) lines.push('', '</details>');
  }
  return `${lines.join('\n')}\n`;
}

/** What has a meaning in Markdown, or calls a person where it is shown. */
const MARKS = /[\\`*_{}[\]()<>#+!|~&@-]/g;

function inMarkdown(text: string): string {
  return visibleLine(text).replace(MARKS, (mark) =>
    mark === '@' ? '@\u2060' : mark === '-' ? '-' : `\\${mark}`,
  );
}

const STYLE = `:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif;--line:color-mix(in srgb,CanvasText 18%,Canvas);--dim:color-mix(in srgb,CanvasText 72%,Canvas)}
body{background:Canvas;color:CanvasText;margin:0 auto;max-width:72rem;padding:2rem 1.25rem 4rem}
h1{font-size:1rem;font-weight:normal;color:var(--dim);margin:0;overflow-wrap:anywhere}.first{font-size:1.25rem;margin:.4rem 0 1rem;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:1.8rem 0 .5rem}ul{color:var(--dim);padding-left:1.2rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{border-bottom:1px solid var(--line);overflow-wrap:anywhere;padding:.25rem .6rem;text-align:left;vertical-align:top;white-space:pre-wrap}
th{color:var(--dim);font-weight:normal}.number{font-variant-numeric:tabular-nums;text-align:right}`;

/** A page as HTML in one file, in which nothing is loaded and nothing runs. */
export function htmlOf({ title, sentence, notes, tables }: Page): string {
  const safe = (text: string) => escapeHtml(visibleLine(text));
  const tableOf = ({ title: head, heads, rows, numbers = [] }: Table) => {
    const classOf = (at: number) => (numbers.includes(at) ? ' class="number"' : '');
    const headCells = heads.map((each, at) => `<th scope="col"${classOf(at)}>${safe(each)}</th>`).join('');
    const lines = rows.map(
      (row) => `<tr>${row.map((cell, at) => `<td${classOf(at)}>${safe(cell)}</td>`).join('')}</tr>`,
    );
    return `<h2>${safe(head)}</h2>\n<div class="wide"><table><thead><tr>${headCells}</tr></thead>\n<tbody>\n${lines.join('\n')}\n</tbody></table></div>`;
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${safe(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${safe(title)}</h1>
<p class="first">${safe(sentence)}</p>
<ul>
${notes.map((note) => `<li>${safe(note)}</li>`).join('\n')}
</ul>
${tables.map(tableOf).join('\n')}
</body>
</html>
`;
}
