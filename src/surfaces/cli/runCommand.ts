import type { Command } from './command.js';
import { COLOR, HELP, JSON_LINES, NO_SEALS, PRICES, RAW, STORE } from './options.js';

/** Running an agent. */
export const runCommand: Command = {
  name: 'run',
  summary: 'Run an agent of this folder, and record it',
  details: [
    'Agents are those of the editor: files in .github/agents and your own. The run is recorded into the store of the folder, as one of the editor is. What the agents do is told on standard error, and the answer on standard output. Whoever runs an agent here trusts the folder.',
    'Agents work with files and commands; what is not harmless is asked at the terminal. Where nobody can be asked it is refused, and the end says how often; --approve decides for all, but what must always be asked is asked or refused.',
    'With --fork and --at a new conversation goes on from a message of a recorded one, which stays as it is: all before the message, and itself, stands before; what follows is asked anew. At a prompt, PROMPT takes its place. Behind an answer, PROMPT is what comes next. Elsewhere it may be left out: calls that the message makes are made again, and the model is asked with what stands there. --text lets the message say something else. --worktree makes a folder of its own beside the repository, in which the files are as they were behind the message, and says what cannot be put back.',
    'With --times or --models the task is given several times, one run after the other, each in a git worktree beside the repository with the files that the folder has now; they stay there. Before, it is told what the last runs of the agent have cost, and asked at a terminal unless there is a --budget. What --verify says is recorded as a score. The end is the table of agent-logbook compare.',
    'The model is --model at the server --endpoint, which speaks the format of OpenAI’s chat completions; its key is OPENAI_API_KEY. Without a model, a script of the folder answers. It ends with 0 where the agent is done, 1 where it failed or reached a limit, 2 where it could not begin, 130 where it was interrupted.',
  ],
  args: [
    { name: 'AGENT', text: 'the name of an agent' },
    {
      name: 'PROMPT',
      isOptional: true,
      isMany: true,
      text: 'what it is asked, or - for standard input; with --fork it may be left out',
    },
  ],
  options: [
    {
      name: 'times',
      value: { kind: 'number', least: 1, name: 'NUMBER' },
      text: 'run it so many times, each in a git worktree of its own, and compare',
    },
    {
      name: 'models',
      value: { kind: 'text', name: 'MODELS' },
      text: 'the same by each of these models of the server, with commas between them',
      insteadOf: 'model',
    },
    {
      name: 'verify',
      value: { kind: 'text', name: 'COMMAND' },
      text: 'a command that ends with 0 in the folder of a run where its task is done; with --times or --models',
    },
    {
      name: 'budget',
      value: { kind: 'text', name: 'DOLLARS' },
      text: 'begin no further run once so much was spent; with --times or --models',
    },
    {
      name: 'fork',
      value: { kind: 'text', name: 'SESSION' },
      text: 'go on from a recorded run of this folder, by its id, or latest',
    },
    {
      name: 'at',
      value: { kind: 'text', name: 'MESSAGE' },
      text: 'the message of it, by its seq in show --json',
    },
    {
      name: 'text',
      value: { kind: 'text', name: 'FILE', isFile: true },
      text: 'what that message says instead',
    },
    {
      name: 'worktree',
      value: { kind: 'none' },
      text: 'with --fork: in a git worktree, with the files as they were at the message',
    },
    { name: 'model', value: { kind: 'text', name: 'MODEL' }, text: 'the model, as its server calls it' },
    {
      name: 'endpoint',
      value: { kind: 'text', name: 'URL' },
      text: 'the server of the model; OPENAI_BASE_URL where nothing else is said',
    },
    {
      name: 'approve',
      value: { kind: 'choice', of: ['ask', 'all', 'none'], name: 'POLICY' },
      text: 'what happens with what is not harmless: it is asked, all is allowed, or none',
    },
    PRICES,
    NO_SEALS,
    STORE,
    JSON_LINES,
    RAW,
    COLOR,
    HELP,
  ],
  examples: [
    {
      line: "agent-logbook run --times 5 --models a,b --verify 'npm test' Fixer 'Make the tests pass.'",
      text: 'ten runs, each in a folder of its own, as a table',
    },
    {
      line: "agent-logbook run Pickle 'Why are the cookies so small?'",
      text: 'an agent of this folder, by its script or the model of OPENAI_BASE_URL',
    },
    {
      line: 'agent-logbook run --model llama3.1 --endpoint http://localhost:11434/v1 Fixer - < task.md',
      text: 'by a model of this machine',
    },
    {
      line: "agent-logbook run --fork latest --at 2 Pickle 'Why is the brine so sour?'",
      text: 'the last run, with another prompt from message 2 on',
    },
  ],
  shapes: [
    'run: agent, model, prompt',
    'tool: agent, tool, isError, durationMs',
    'dispatch: agent, to, task',
    'dispatched: agent, to, result or failure',
    'retry: agent, attempt, reason',
    'result: session, outcome (done, failed, limited or cancelled), text, reason',
  ],
};
