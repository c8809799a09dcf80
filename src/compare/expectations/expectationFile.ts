import {
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
} from 'yaml';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { messageOf, singleLine } from '../../core/text.js';
import {
  alternatives,
  FILE,
  MUTATION_PLACES,
  MUTATION_WAYS,
  SEQUENCE_MODES,
  type ExpectationTest,
  type ExpectedSequence,
  type Mutation,
  type Shape,
} from './expectationWords.js';
import { MAX_DEPTH, patternProblem, problemOf, shown, notKnown } from './valueProblem.js';

/** A place in a file: lines and columns from 1, the end behind the last character. */
export interface Place {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Something wrong in a file, and where. */
export interface FileProblem extends Place {
  readonly message: string;
}

/** A mutation, and where it stands. */
export interface PlacedMutation {
  readonly mutation: Mutation;
  readonly place: Place;
}

/** A test, and where its parts stand. */
export interface PlacedTest {
  readonly test: ExpectationTest;
  readonly place: Place;
  /** Where a part of it stands, by its path within the test; the nearest part around it where it is not written. */
  readonly placeOf: (path: readonly (string | number)[]) => Place;
}

/** What stands in a file; tests only where nothing is wrong with it. */
export interface ExpectationFile {
  readonly tests: readonly PlacedTest[];
  readonly mutations: readonly PlacedMutation[];
  readonly problems: readonly FileProblem[];
  /** The path of what stands at an offset, and whether it is the name of a word that stands there. */
  readonly pathAt: (
    offset: number,
  ) => { readonly path: readonly (string | number)[]; readonly place: Place } | undefined;
}

/** The longest file, in UTF-16 code units, and the most values and problems of one. */
const MAX_FILE = 1_000_000;
const MAX_CALLS = 1_000;
const MAX_PROBLEMS = 100;
/** The parser takes seconds for a hundred thousand of them. */
const MAX_OPEN = 1_000;

type Path = readonly (string | number)[];

/** Reads a file of expectations. Never throws: whatever is wrong with it is told with its place. */
export function readExpectations(text: string): ExpectationFile {
  const lines = new LineCounter();
  const placeFrom = (start: number, end: number): Place => {
    const [from, to] = [lines.linePos(start), lines.linePos(end)];
    return {
      line: Math.max(1, from.line),
      column: Math.max(1, from.col),
      endLine: Math.max(1, to.line),
      endColumn: Math.max(1, to.col),
    };
  };
  const failed = (message: string): ExpectationFile => ({
    tests: [],
    mutations: [],
    problems: [{ message, line: 1, column: 1, endLine: 1, endColumn: 1 }],
    pathAt: () => undefined,
  });
  if (text.length > MAX_FILE) return failed(t`The file is longer than ${MAX_FILE} characters.`);
  if (mostOpen(text) > MAX_OPEN)
    return failed(t`The file opens more than ${MAX_OPEN} brackets without closing one.`);
  try {
    const document = parseDocument(text.replace(/^\uFEFF/, ' '), {
      lineCounter: lines,
      prettyErrors: false,
      merge: false,
      schema: 'core',
      stringKeys: true,
    });
    const located = new Located(document, placeFrom);
    const problems: FileProblem[] = [...document.errors, ...document.warnings].map(({ message, pos }) => ({
      message: `YAML: ${singleLine(message)}`,
      ...placeFrom(pos[0], pos[1]),
    }));
    visit(document, {
      Alias(_key, { range }) {
        // What is written once and used twice has no line of its own.
        const message = t`A reference to another place is not read here; write out what it stands for.`;
        problems.push({ message, ...placeFrom(range?.[0] ?? 0, range?.[1] ?? 0) });
        return visit.BREAK;
      },
    });
    if (problems.length > 0) return { tests: [], mutations: [], problems, pathAt: located.pathAt };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    const checker = new Checker(located);
    checker.check(FILE, value, []);
    // Nothing is wrong with its shapes.
    const { tests = [], mutations = [] } = (checker.problems.length === 0 ? value : {}) as {
      readonly tests?: readonly ExpectationTest[];
      readonly mutations?: readonly Mutation[];
    };
    checker.checkTests(tests);
    checker.checkMutations(mutations);
    const placed = tests.map((test, at) => ({
      test,
      place: located.place(['tests', at, 'name']),
      placeOf: (path: Path) => located.place(['tests', at, ...path]),
    }));
    const changes = mutations.map((mutation, at) => ({
      mutation,
      place: located.place(['mutations', at, 'name']),
    }));
    const isRight = checker.problems.length === 0;
    return {
      tests: isRight ? placed : [],
      mutations: isRight ? changes : [],
      problems: checker.problems,
      pathAt: located.pathAt,
    };
  } catch (error) {
    // The parser is recursive: a file of nothing but brackets can exhaust the stack.
    return failed(t`The file cannot be read: ${singleLine(messageOf(error))}`);
  }
}

/** How many brackets are open at once, wherever they stand. */
function mostOpen(text: string): number {
  let [open, most] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === ']' || bracket === '}' ? Math.max(0, open - 1) : open + 1;
    most = Math.max(most, open);
  }
  return most;
}

/** Finds places in a document. */
class Located {
  readonly #document: Document.Parsed;
  readonly #placeFrom: (start: number, end: number) => Place;

  constructor(document: Document.Parsed, placeFrom: (start: number, end: number) => Place) {
    this.#document = document;
    this.#placeFrom = placeFrom;
  }

  /** Of the key where there is one, else of the value. */
  place(path: Path, what: 'key' | 'value' = 'key'): Place {
    for (let length = path.length; length > 0; length--) {
      const range = this.#rangeOf(path.slice(0, length), length === path.length ? what : 'key');
      if (range) return this.#placeFrom(range[0], range[1]);
    }
    return this.#placeFrom(0, 0);
  }

  #rangeOf(path: Path, what: 'key' | 'value'): readonly [number, number, ...unknown[]] | undefined {
    const parent =
      path.length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, -1), true);
    const name = path.at(-1);
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === name);
      const node = (what === 'value' ? pair?.value : undefined) ?? pair?.key;
      return (node as Node | undefined)?.range ?? undefined;
    }
    if (!isSeq(parent) || typeof name !== 'number') return undefined;
    const item = parent.items[name] as Node | null | undefined;
    const { range } = item ?? {};
    if (!range) return undefined;
    // Of a map the first line is enough.
    const [first] = isMap(item) ? item.items : [];
    return (first?.key as Node | undefined)?.range ?? range;
  }

  readonly pathAt = (
    offset: number,
  ): { readonly path: readonly (string | number)[]; readonly place: Place } | undefined => {
    const path: (string | number)[] = [];
    let node: unknown = this.#document.contents;
    while (isCollection(node)) {
      if (isMap(node)) {
        const pair = node.items.find(
          ({ key, value }) => covers(key, offset) || (value !== null && covers(value, offset)),
        );
        if (!pair || !isScalar(pair.key)) return undefined;
        path.push(String(pair.key.value));
        if (covers(pair.key, offset)) {
          const { range } = pair.key as unknown as Node;
          return range ? { path, place: this.#placeFrom(range[0], range[1]) } : undefined;
        }
        node = pair.value;
        continue;
      }
      const at = node.items.findIndex((item) => covers(item, offset));
      if (at < 0) return undefined;
      path.push(at);
      node = node.items[at];
    }
    const { range } = (node ?? {}) as Partial<Node>;
    return range ? { path, place: this.#placeFrom(range[0], range[1]) } : undefined;
  };
}

function covers(node: unknown, offset: number): boolean {
  const { range } = (node ?? {}) as Partial<Node>;
  return range !== undefined && range !== null && offset >= range[0] && offset <= range[1];
}

/** Holds a value against a shape and notes what is wrong. */
class Checker {
  readonly problems: FileProblem[] = [];
  readonly #located: Located;

  constructor(located: Located) {
    this.#located = located;
  }

  check(shape: Shape, value: unknown, path: Path): void {
    if (path.length > MAX_DEPTH) {
      this.#tell(t`This is nested too deep.`, path);
      return;
    }
    const problem = problemOf(shape, value);
    if (problem !== undefined) {
      this.#tell(problem, path, 'value');
      return;
    }
    for (const each of alternatives(shape)) {
      if (problemOf(each, value) !== undefined) continue;
      if (each.kind === 'list') this.#list(each.of, value as readonly unknown[], path);
      else if (each.kind === 'map') this.#map(each, value as Readonly<Record<string, unknown>>, path);
      return;
    }
  }

  #list(shape: Shape, items: readonly unknown[], path: Path): void {
    if (items.length === 0) {
      this.#tell(t`This list is empty, and so expects nothing.`, path);
      return;
    }
    if (items.length > MAX_CALLS && (path.at(0) !== 'tests' || path.length > 1)) {
      this.#tell(t`A list has at most ${MAX_CALLS} entries here.`, path);
      return;
    }
    for (const [at, item] of items.entries()) this.check(shape, item, [...path, at]);
  }

  #map(shape: Shape & { readonly kind: 'map' }, value: Readonly<Record<string, unknown>>, path: Path): void {
    const names = Object.keys(value);
    if (names.length === 0) {
      this.#tell(t`Nothing stands here; known are ${Object.keys(shape.words).join(', ')}.`, path);
      return;
    }
    for (const name of names) {
      const word = Object.hasOwn(shape.words, name) ? shape.words[name] : undefined;
      if (word) this.check(word.shape, value[name], [...path, name]);
      else this.#tell(notKnown(name, Object.keys(shape.words)), [...path, name]);
    }
    for (const need of shape.needs ?? [])
      if (!names.includes(need)) this.#tell(t`${need} is missing here.`, path);
  }

  /** What belongs together, which no shape says. */
  checkTests(tests: readonly ExpectationTest[]): void {
    const names = new Set<string>();
    for (const [at, test] of tests.entries()) {
      const path = ['tests', at];
      if (names.has(test.name))
        this.#tell(t`Another test of this file is called ${shown(test.name)}.`, [...path, 'name']);
      names.add(test.name);
      for (const [word, message] of problemsOfTest(test))
        this.#tell(message, word === '' ? path : [...path, word]);
      const { toolSequence = [] } = test.expect ?? {};
      const sequences = Array.isArray(toolSequence)
        ? (toolSequence as readonly ExpectedSequence[])
        : undefined;
      if (!sequences) this.#sequence(toolSequence, [...path, 'expect', 'toolSequence']);
      for (const [number, each] of (sequences ?? []).entries())
        this.#sequence(each, [...path, 'expect', 'toolSequence', number]);
    }
  }

  /** What belongs together in mutations, which no shape says. */
  checkMutations(mutations: readonly Mutation[]): void {
    const names = new Set<string>();
    for (const [at, mutation] of mutations.entries()) {
      const path = ['mutations', at];
      if (names.has(mutation.name))
        this.#tell(t`Another mutation of this file is called ${shown(mutation.name)}.`, [...path, 'name']);
      names.add(mutation.name);
      for (const [words, what] of [
        [MUTATION_PLACES, t`A mutation is about one of`],
        [MUTATION_WAYS, t`A mutation does one of`],
      ] as const) {
        const written = words.filter((word) => mutation[word] !== undefined);
        if (written.length !== 1)
          this.#tell(t`${what} ${words.join(', ')}; this one names ${written.length}.`, [
            ...path,
            ...written.slice(1, 2),
          ]);
      }
      for (const word of ['result', 'fail', 'delay'] as const)
        if (mutation[word] !== undefined && mutation.answer !== undefined)
          this.#tell(t`${word} is for a call, and this mutation is about an answer.`, [...path, word]);
      if (mutation.cut !== undefined && mutation.call !== undefined)
        this.#tell(t`cut is for an answer, and this mutation is about a call.`, [...path, 'cut']);
    }
  }

  #sequence(sequence: ExpectedSequence, path: Path): void {
    const modes = SEQUENCE_MODES.filter((mode) => sequence[mode] !== undefined);
    const [mode, other] = modes;
    if (mode === undefined) {
      this.#tell(t`A toolSequence says one of ${SEQUENCE_MODES.join(', ')}.`, path);
      return;
    }
    if (other !== undefined) {
      this.#tell(t`A toolSequence says one of ${modes.join(', ')}; write a list of them for several.`, [
        ...path,
        other,
      ]);
      return;
    }
    for (const [at, call] of (sequence[mode] ?? []).entries()) {
      if (typeof call === 'string' || call.args === undefined) continue;
      const place = [...path, mode, at, 'args'];
      if (sequence.args === 'ignore')
        this.#tell(t`args: ignore looks at no arguments; leave these out, or compare them otherwise.`, place);
      if (sequence.args === 'schema') {
        const problem = problemOf({ kind: 'schema' }, call.args);
        if (problem !== undefined) this.#tell(problem, place);
      }
      if (sequence.args === 'pattern') this.#patterns(call.args, place);
    }
  }

  #patterns(value: unknown, path: Path): void {
    if (path.length > MAX_DEPTH) {
      this.#tell(t`This is nested too deep.`, path);
      return;
    }
    if (typeof value === 'string') {
      const problem = patternProblem(value);
      if (problem !== undefined) this.#tell(problem, path, 'value');
    } else if (Array.isArray(value))
      for (const [at, each] of value.entries()) this.#patterns(each, [...path, at]);
    else if (isObject(value))
      for (const [name, each] of Object.entries(value)) this.#patterns(each, [...path, name]);
  }

  #tell(message: string, path: Path, what: 'key' | 'value' = 'key'): void {
    if (this.problems.length < MAX_PROBLEMS)
      this.problems.push({ message, ...this.#located.place(path, what) });
  }
}

function* problemsOfTest(test: ExpectationTest): Generator<readonly [word: string, message: string]> {
  const { session, agent, question, expect, finds, runs, atLeast, over = 'record', prompt } = test;
  const overs = Object.entries({ session, agent, question }).filter(([, value]) => value !== undefined);
  if (overs.length !== 1)
    yield [
      overs[1]?.[0] ?? '',
      t`A test looks at one of session, agent or question; this one names ${overs.length}.`,
    ];
  if (question === undefined) {
    if (expect === undefined) yield ['', t`expect is missing here.`];
    for (const word of ['finds', 'in', 'rows'] as const)
      if (test[word] !== undefined) yield [word, t`${word} is for a question, and there is none here.`];
  } else {
    if (finds === undefined) yield ['', t`finds is missing here: none, some, or so many.`];
    for (const word of ['expect', 'runs', 'atLeast', 'over'] as const)
      if (test[word] !== undefined)
        yield [word, t`${word} is for runs; what a question must find, finds says.`];
  }
  if (prompt !== undefined && agent === undefined)
    yield ['prompt', t`prompt is for an agent, and none is named here.`];
  if (over === 'live' && prompt === undefined) yield ['over', t`To run live takes an agent and a prompt.`];
  if (atLeast !== undefined && (runs === undefined || atLeast > runs))
    yield [
      'atLeast',
      t`atLeast says in how many of the runs everything must hold: name at least so many as runs.`,
    ];
}
