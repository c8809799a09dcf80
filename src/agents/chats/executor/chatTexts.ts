import { visibleLine, visibleText } from '../../../core/visibleText.js';

/** What the connector itself says in chats, one function or constant per occasion. */
export const HELP = `Write to me and an agent answers. Its team works in the editor, and you see here who is asked.
/agent NAME: talk to another agent, in a new conversation
/new: begin a new conversation
/stop: stop what is running and forget what waits
/again: say the last answer once more
/help: this`;

/** Answers `/new`. */
export const NEW_CONVERSATION = 'Your next message begins a new conversation.';
/** Answers `/stop` where nothing runs. */
export const NOTHING_RUNS = 'Nothing is running here.';
/** Answers `/again` before the first answer. */
export const NO_ANSWER_YET = 'There is no answer yet that I could say again.';
/** Stands in for an answer without text. */
export const EMPTY_ANSWER = '(The agent ended without saying anything.)';
/** Answers a message without text. */
export const TEXT_ONLY = 'I can read text only.';
/** Answers a message that is too old to act on. */
export const TOO_OLD =
  'This message reached me more than a day late, so I did not act on it. Please send it again.';
/** Answers a message that was given up after several attempts. */
export const GAVE_UP =
  'I began with this message several times and never got to its end, so I gave it up. Please send it again if you still need it.';
/** Follows a text that may or may not have been posted. */
export const MAYBE_POSTED =
  '(The connection broke while I was sending a part of my answer. If it is missing here, /again sends all of it once more.)';

/** Refuses a sender; `id` is what would have to be added to the list of allowed senders. */
export function notAllowed(id: string): string {
  return `Sorry, I answer only people I know. The owner of this bot can add you to its allowed senders: ${visibleLine(id)}`;
}

/** Refuses a message because `waiting` others are unanswered. */
export function tooBusy(waiting: number): string {
  return `Sorry, ${waiting} messages wait here already. Please send this one again later, or /stop to begin afresh.`;
}

/** Answers `/stop`; `forgotten` messages were dropped. */
export function stopped(forgotten: number): string {
  if (forgotten === 0) return 'Stopped.';
  return `Stopped; ${forgotten} waiting ${forgotten === 1 ? 'message was' : 'messages were'} forgotten.`;
}

/** Reports a failed run; `goesNowhere`: the conversation exists, but no run could be started in it. */
export function runFailed(reason: string, goesNowhere = false): string {
  const hint = goesNowhere ? '\nIf this stays so, /new begins another conversation.' : '';
  return `This could not be finished: ${visibleText(reason)}${hint}`;
}

/** Answers `/agent NAME`. */
export function agentChosen(name: string): string {
  return `${visibleLine(name)} answers from now on, in a new conversation.`;
}

/** Answers `/agent`: the agents to choose from. */
export function agentChoice(current: string | undefined, names: readonly string[]): string {
  if (names.length === 0) return 'There are no agents to talk to.';
  const listed = names.map((name) => `${visibleLine(name)}${name === current ? ' (now)' : ''}`);
  return `You can talk to: ${listed.join(', ')}. Choose with /agent NAME.`;
}

/** Answers `/agent NAME` where no agent has the name. */
export function unknownAgent(name: string, names: readonly string[]): string {
  return `There is no agent '${visibleLine(name).slice(0, 100)}'. ${agentChoice(undefined, names)}`;
}

/** Tells that `count` lines were dropped. */
export function linesLeftOut(count: number): string {
  return `(${count} ${count === 1 ? 'line was' : 'lines were'} left out here; everything is in the transcript.)`;
}
