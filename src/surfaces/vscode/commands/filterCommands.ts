import { t } from '../../../core/l10n.js';
import { isObject, textOf } from '../../../core/message.js';
import { firstCodePoints, singleLine } from '../../../core/text.js';
import * as v from 'valibot';
import type { ReadRecord } from '../../../core/ports/transcript.js';
import { criteria as criteriaSchema, NO_CRITERIA } from '../../../page/protocol/criteria.js';
import { isUnasked, NO_QUESTION, questionOfCriteria } from '../../../page/protocol/question.js';
import { problemsOf, type Question } from '../../../query/language/question.js';
import { failureTextOf } from '../../../query/numbers/failures.js';
import { messageIn, roleOf } from '../../../query/numbers/transcriptItem.js';
import { callsOf } from '../../../query/numbers/toolCalls.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { askForText, choose, heading, type Choice, type Heading } from '../ui/pickers.js';
import { iconText, plain, words, type PlainText } from '../../../app/text/plainText.js';
import { withProgress } from '../ui/progress.js';
import { recordsFound, type MessageFilters } from '../../../app/services/messageFilters.js';
import { questionIn } from '../../../app/transcripts/questionLink.js';
import type { Stores } from '../../../app/services/stores.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { chosen, UserError } from '../../../app/userError.js';
import { formatCount } from '../../../app/text/format.js';
import type { ConversationChoice } from './chooseConversation.js';

/** What can be done with the messages that a filter finds. */
interface SubsetActions {
  /** Shows them as Markdown in an editor. */
  read(kept: StoredConversation, positions: readonly number[]): Promise<void>;
  /** Asks for format and target. */
  export(kept: StoredConversation, positions: readonly number[]): Promise<void>;
}

/** What the commands for filters need. */
export interface FilterCommandsOptions {
  readonly stores: Stores;
  readonly choice: ConversationChoice;
  readonly panels: TranscriptPanels;
  readonly filters: MessageFilters;
  readonly actions: SubsetActions;
}

type ResultItem = (Choice & { readonly run: () => unknown }) | Heading;

/** How many messages are listed; nobody reads a longer list. */
const MAX_LISTED = 500;
const LABEL_LENGTH = 160;

/** Filter Messages: asks a question of a conversation, lists what it finds, and opens, exports or shows it. */
export function filterCommands({ stores, choice, panels, filters, actions }: FilterCommandsOptions) {
  return {
    /** Gives the number of rows found; with a question in its argument it neither asks nor lists. */
    async filterMessages(argument?: unknown) {
      const kept = await choice.one(argument, t`Filter Messages`);
      const { conversation } = kept.entry;
      const given = questionGiven(argument);
      const asked = given ?? (await askForQuestion(filters.questionOf(conversation)));
      const found = await withProgress(words`Filtering messages`, (signal) =>
        recordsFound(stores, kept, asked, signal),
      );
      filters.set(conversation, asked);
      if (!given) await showResult(kept, asked, [...found.positions]);
      return found.rows;
    },
  };

  async function showResult(kept: StoredConversation, asked: Question, positions: readonly number[]) {
    const { conversation } = kept.entry;
    const show = (options: Parameters<TranscriptPanels['open']>[1]) => panels.open(conversation, options);
    const offers: readonly ResultItem[] = [
      { label: iconText(t`Read These Messages`, 'markdown'), run: () => actions.read(kept, positions) },
      { label: iconText(t`Export These Messages…`, 'export'), run: () => actions.export(kept, positions) },
      {
        label: iconText(t`Show in the Transcript`, 'filter'),
        run: () => show({ tab: 'messages', question: asked }),
      },
      {
        label: iconText(t`Remove the Filter`, 'clear-all'),
        run: () => filters.set(conversation),
      },
    ];
    const listed = await messageItems(kept, positions.slice(0, MAX_LISTED));
    const more = positions.length > MAX_LISTED ? t`, the first ${MAX_LISTED} listed` : '';
    const items: ResultItem[] = [
      ...(positions.length > 0 ? offers : offers.slice(-1)),
      heading(iconText(t`Messages`)),
      ...listed.map(({ position, ...item }) => ({ ...item, run: () => show({ position }) })),
    ];
    const found = asked.text === '' ? t`everything` : asked.text;
    const title = words`${formatCount(positions.length, 'record')} found by ${found}${more}`;
    const options = { title, placeHolder: words`What to do with them`, matchOnDescription: true };
    const choice = chosen(await choose(items, options));
    if ('run' in choice) await choice.run();
  }
}

/** Asks for a question; the one that was asked before stands there already. */
async function askForQuestion(before = NO_QUESTION): Promise<Question> {
  const { rows } = before;
  const text = chosen(
    await askForText({
      title: words`Filter Messages`,
      prompt: words`A question, such as agent:Cookie is:error, "too small" or /pattern/; empty for everything`,
      value: before.text,
      validateInput: (typed) => problemWith({ text: typed, rows }),
    }),
  );
  return { text, rows };
}

function problemWith(question: Question): PlainText | undefined {
  const [problem] = problemsOf(question);
  return problem && plain(problem.message);
}

/** The question in an argument from another extension, or the criteria that older versions took in its place. */
function questionGiven(argument: unknown): Question | undefined {
  if (!isObject(argument)) return undefined;
  if (argument.question !== undefined) {
    const question = questionIn(argument.question);
    if (!question || isUnasked(question)) throw new UserError(t`This is no question for a filter.`);
    return question;
  }
  if (argument.criteria === undefined) return undefined;
  const given = isObject(argument.criteria) ? argument.criteria : {};
  const parsed = v.safeParse(criteriaSchema, { ...NO_CRITERIA, ...given });
  const question = parsed.success ? questionOfCriteria(parsed.output) : NO_QUESTION;
  if (isUnasked(question)) throw new UserError(t`These are no criteria for a filter.`);
  return question;
}

async function messageItems({ store, entry }: StoredConversation, positions: readonly number[]) {
  return withTranscript(store, entry.conversation, async (transcript) => {
    const items: (Choice & { readonly position: number })[] = [];
    for (const position of positions) {
      const [record] = await transcript.read(position, position + 1);
      if (record) items.push({ ...itemOf(record), position });
    }
    return items;
  });
}

function itemOf(record: ReadRecord): Choice {
  const message = messageIn(record);
  const calls = callsOf(message ?? {}).map(({ name }) => name);
  const text = message ? textOf(message.content) : failureTextOf(record);
  const label = singleLine(firstCodePoints(text, LABEL_LENGTH)) || calls.join(', ') || '(empty)';
  const role = message ? roleOf(message) : record.type;
  return { label: iconText(label), description: iconText([record.agent, role, ...calls].join(' · ')) };
}
