import { SAMENESS } from '../../compare/comparison.js';
import { RULE_NAMES } from '../../compare/normal.js';
import type { Command, Option } from './command.js';
import { runCommand } from './runCommand.js';
import {
  COLOR,
  HELP,
  JSON_LINES,
  PAGE_FORMAT,
  POLICY,
  PRICES,
  RAW,
  STORE,
  TIME_ZONE,
  UTC,
} from './options.js';

/** How runs are compared; `general` is what every command ends with. */
const compareCommand = (general: readonly Option[]): Command => ({
  name: 'compare',
  summary: 'Tell what is different between two runs, or put several side by side',
  details: [
    'Two runs are aligned step by step: one sentence first, then the steps with those that are alike folded, and what the runs came to. A source may be one run of a session, as in session.jsonl#2; a source of one session alone is its runs, and one of many sessions, as a log of an evaluation, is a set. Three or more are compared with the first.',
    'What differs from run to run without meaning anything is taken as equal, which is told: ids, times, folders, temporary paths, ports, hashes, processes, and what a tool put in. --keep names what is not.',
  ],
  args: [
    {
      name: 'SOURCE',
      isMany: true,
      isFile: true,
      text: 'a transcript file of any known tool, the id of a conversation or its beginning, latest, or - for standard input; behind # the number of a run, from 1',
    },
  ],
  options: [
    {
      name: 'same',
      value: { kind: 'choice', of: SAMENESS, name: 'WHAT' },
      text: 'end with 1 where the runs differ in it: their steps, the tools that they call in order, or their outcome',
    },
    {
      name: 'baseline',
      value: { kind: 'text', name: 'RUN' },
      text: 'which of several runs the others are compared with: its number, from 1, or typical for the one that has most in common with all; the first where nothing is said',
    },
    {
      name: 'keep',
      value: { kind: 'text', name: 'RULES' },
      text: `what is compared as it is, with commas between: ${RULE_NAMES.join(', ')}, or all`,
    },
    PAGE_FORMAT,
    PRICES,
    JSON_LINES,
    ...general,
  ],
  examples: [
    { line: 'agent-logbook compare before.jsonl after.jsonl', text: 'what a new prompt changed' },
    {
      line: 'agent-logbook compare --same tools golden.jsonl latest',
      text: 'a check for CI: the same tools in the same order',
    },
    {
      line: 'agent-logbook compare --format markdown runs/*.jsonl > runs.md',
      text: 'how far several runs of one task agree',
    },
  ],
  shapes: [
    'comparison: sentence, left, right (each session, file, run, end, scores, task, normalised, damaged: places that cannot be read, and what it came to), same (steps, tools, outcome), inputs (that differ), counts (of steps by difference), filesOnlyLeft, filesOnlyRight, distance, way (whole, anchored or banded)',
    'divergence: difference, left and right (the steps that it begins with), onlyLeft, onlyRight, rejoins, recovers',
    'difference: difference (left, right, tool, arguments, result, prompt, answer, error, moved or style), depth, left, right, changed (arguments), movedTo',
    'delta: what, unit, left, right',
    'set (of three or more): baseline, same, sameTools, sameOutcome, tasks, otherTasks, points, outliers, success (passed, n, excluded, rate, low, high: Wilson, 95 %), passAt (k, any, all), by (score or end), isFew',
    'run: number, and as left above',
    'fork: difference, step, baseline, other, runs: where runs leave the baseline first',
    'step: step, depth, runs: in how many runs a step of the baseline stands',
    'other: step, runs: a step that the baseline does not have',
    'unread: name, why: what was named and could not be read; the others are compared, and the run ends with 1',
  ],
});

/** How models are asked, where they are. */
const LIVE: readonly Option[] = [
  {
    name: 'budget',
    value: { kind: 'text', name: 'DOLLARS' },
    text: 'ask for no further run once so much was spent; with --live',
  },
  ...runCommand.options.filter(({ name }) => ['model', 'endpoint', 'approve'].includes(name)),
];

/** The command that holds recorded runs to what files expect of them. */
const checkCommand: Command = {
  name: 'check',
  summary: 'Hold recorded runs to what *.logbook.yaml files expect of them',
  details: [
    'Ends with 0 where all holds, 1 where something does not, and 2 where something could not be tested: a file that is not understood, a run that is not there, a record of which a part cannot be read. What is about something that never happened is called vacuous, and a test in which all is vacuous fails. docs/expectations.md has the words.',
    'Without FILE, all *.logbook.yaml files in this folder and below are taken, also those in hidden folders. A path in a file begins in the folder of that file. With over: replay a run is run again with its record as the answers and the agents of this folder: nothing is executed, nothing is sent anywhere, and where it departs the test fails. Only with --live are agents run, where a test says over: live, as agent-logbook run does; whoever says so trusts the folder.',
  ],
  args: [{ name: 'FILE', isOptional: true, isMany: true, isFile: true, text: 'a file of expectations' }],
  options: [
    {
      name: 'junit',
      value: { kind: 'text', name: 'FILE', isFile: true },
      text: 'write what came of the tests as JUnit XML, too',
    },
    {
      name: 'annotations',
      value: { kind: 'choice', of: ['github'], name: 'FORM' },
      text: 'write what does not hold so that a workflow of GitHub shows it at the lines of the files',
    },
    { name: 'strict', value: { kind: 'none' }, text: 'what is vacuous fails' },
    {
      name: 'live',
      value: { kind: 'none' },
      text: 'with --budget: run the agents of tests that say over: live, each run in a git worktree',
    },
    ...LIVE,
    {
      name: 'make',
      value: { kind: 'text', name: 'SOURCE', isFile: true },
      text: 'write a file with a test that this session passes: a transcript file, the id of a conversation, or latest; behind # the number of a run',
    },
    PRICES,
    TIME_ZONE,
    UTC,
    JSON_LINES,
    STORE,
    RAW,
    POLICY,
    COLOR,
    HELP,
  ],
  examples: [
    { line: 'agent-logbook check', text: 'whether the recorded runs are as expected' },
    {
      line: 'agent-logbook check --live --budget 2 --approve none',
      text: 'with tests that run their agents, for at most about two dollars',
    },
    {
      line: 'agent-logbook check --junit report.xml --annotations github',
      text: 'the same in continuous integration',
    },
    {
      line: 'agent-logbook check --make latest > review.logbook.yaml',
      text: 'a test of the last run, to begin with',
    },
  ],
  shapes: [
    'test: file, line, name, state (passed, failed or untested), sentence, tookMs, runs (each session, where, run, state, why, findings: each path, line, state (passed, failed or vacuous), sentence, expected, actual, position)',
    'problem: file, message: a file that is not understood',
    'check: passed, failed, untested, vacuous (tests in which something is)',
  ],
};

/** How recorded runs are run again; `general` is what every command ends with. */
const replayCommand = (general: readonly Option[]): Command => ({
  name: 'replay',
  summary: 'Run a recorded session of own agents again, with its record as the answers',
  details: [
    'Models, tools and people answer what they answered; nothing is asked of anybody, nothing is executed, no network is used. The agents are those of this folder as their files are now, and those of the record where there are none. What is asked must be what was asked: the first request that is not ends the replay, and both are shown. Nothing else answers in its place.',
    'Ends with 0 where the replay is exact, 1 where it departs, and 2 where the record does not hold what that takes, as of sessions of other tools and of runs that were recorded before their requests were.',
  ],
  args: [
    {
      name: 'SESSION',
      text: 'the id of a conversation or its beginning, latest, or a file; behind # the number of a run, from 1, which is replayed with those before it',
      isFile: true,
    },
  ],
  options: [
    {
      name: 'recorded',
      value: { kind: 'none' },
      text: 'take the agents and tools from the record, whatever the files here say now',
    },
    {
      name: 'mutations',
      value: { kind: 'text', name: 'FILE', isFile: true },
      text: 'replay the last run with each change of a *.logbook.yaml file, and say what comes of it',
    },
    {
      name: 'live',
      value: { kind: 'none' },
      text: 'with --mutations and --budget: ask models for what follows a change, each in a git worktree',
    },
    ...LIVE,
    PRICES,
    JSON_LINES,
    ...general,
  ],
  examples: [
    {
      line: 'agent-logbook replay latest',
      text: 'whether the agents still do what they did, without asking a model',
    },
    { line: 'agent-logbook replay latest#2 --json', text: 'the second run, for a program' },
    {
      line: 'agent-logbook replay latest --mutations changes.logbook.yaml',
      text: 'what the run depends on, without asking a model',
    },
  ],
  shapes: [
    'replay: session, exact, sentence, runs, answers, results, isOpen, fromRecord (agents that have no file here)',
    'change: agent, what (systemPrompt, tool, effort, maxTurns or limit), name, recorded, now: what is different from when it was recorded',
    'departure: run, step, agent, seq, why, expected, asked',
    'unserved: run, step, agent, seq: a recorded answer that nobody asked for',
    'mutation: name, line, what, seq, agent, step, isChanged, outcome (open where nobody knows without asking a model), departure (as above), live (session, outcome, folder, reason)',
  ],
});

/** The command that answers a program as a recording has it. */
const serveCommand: Command = {
  name: 'serve',
  summary: 'Run a program against its recording: answered as it was, no model asked',
  details: [
    'The recording is one of agent-logbook record: a file, or the folder with those of one run. The program is given OPENAI_BASE_URL, ANTHROPIC_BASE_URL and OLLAMA_HOST, and asks at one port of this machine. It runs its own tools. Each recorded answer is given once, in its order, streams event by event; every other request is refused with where it differs. Without COMMAND the variables are written, and answers are given until it is interrupted.',
    'Ends as the program does; with 1 where it ended well, and something was refused, never asked for, or nothing was given at all.',
  ],
  args: [
    { name: 'RECORDING', isFile: true, text: 'a file of agent-logbook record, or a folder of them' },
    {
      name: 'COMMAND',
      isOptional: true,
      isMany: true,
      isFile: true,
      text: 'the program and its arguments, behind -- where these have options',
    },
  ],
  options: [
    {
      name: 'port',
      value: { kind: 'number', least: 1, name: 'N' },
      text: 'where to answer; any port that is free where nothing else is said',
    },
    HELP,
  ],
  examples: [
    {
      line: 'agent-logbook serve recordings -- node agent.mjs',
      text: 'whether a program still asks what it asked, without asking a model',
    },
  ],
  shapes: [],
};

/** What holds runs against others, against files, and against themselves. */
export const comparingCommands = (general: readonly Option[]): readonly Command[] => [
  compareCommand(general),
  checkCommand,
  replayCommand(general),
  serveCommand,
];
