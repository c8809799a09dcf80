import { t } from '../../core/l10n.js';
import { isObject, textOf } from '../../core/message.js';
import { firstCodePoints, singleLine } from '../../core/text.js';
import * as v from 'valibot';
import type { ReadRecord } from '../../ports/transcript.js';
import {
  criteria as criteriaSchema,
  isUnfiltered,
  NO_CRITERIA,
  type Criteria,
} from '../../protocol/criteria.js';
import { failureTextOf } from '../../analysis/failures.js';
import { messageIn, roleOf } from '../../analysis/transcriptItem.js';
import { callsOf } from '../../analysis/toolCalls.js';
import type { StoredConversation } from '../../app/stores/stores.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { choose, heading, type Choice, type Heading } from '../surfaces/pickers.js';
import { iconText, words } from '../../app/text/plainText.js';
import { withProgress } from '../surfaces/progress.js';
import {
  criteriaWords,
  matchingPositions,
  type MessageFilters,
} from '../../app/transcripts/messageFilters.js';
import { withTranscript } from '../../app/transcripts/withTranscript.js';
import { chosen, UserError } from '../../app/userError.js';
import { formatCount } from '../../app/text/format.js';
import { features } from '../../app/features/features.js';
import { chooseCriteria } from './chooseCriteria.js';
import type { ConversationChoice } from './chooseConversation.js';

/** What can be done with the messages that a filter finds. */
interface SubsetActions {
  /** Shows them as Markdown in an editor. */
  read(kept: StoredConversation, positions: readonly number[]): Promise<void>;
  /** Asks for format and target. */
  export(kept: StoredConversation, positions: readonly number[]): Promise<void>;
}

/** What the commands for filters need. */
export interface FilterCommandsDeps {
  readonly choice: ConversationChoice;
  readonly panels: TranscriptPanels;
  readonly filters: MessageFilters;
  readonly actions: SubsetActions;
}

type ResultItem = (Choice & { readonly run: () => unknown }) | Heading;

/** How many messages are listed; nobody reads a longer list. */
const MAX_LISTED = 500;
const LABEL_LENGTH = 160;

/** Filter Messages: asks for criteria, lists what they find, and opens, exports or shows it. */
export function filterCommands({ choice, panels, filters, actions }: FilterCommandsDeps) {
  return {
    /** Gives the number of messages found; with criteria in its argument it neither asks nor lists. */
    async filterMessages(argument?: unknown) {
      const kept = await choice.one(argument, t`Filter Messages`);
      const { conversation } = kept.entry;
      const given = criteriaIn(argument);
      const before = filters.criteriaOf(conversation);
      const asked = given ?? (await chooseCriteria(kept, before));
      const positions = await withProgress(words`Filtering messages`, (signal) =>
        matchingPositions(kept, asked, signal),
      );
      filters.set(conversation, asked);
      if (!given) await showResult(kept, asked, positions);
      return positions.length;
    },
  };

  async function showResult(kept: StoredConversation, asked: Criteria, positions: readonly number[]) {
    const { conversation } = kept.entry;
    const show = (options: Parameters<TranscriptPanels['open']>[1]) => panels.open(conversation, options);
    const offers: readonly ResultItem[] = [
      { label: iconText(t`Read These Messages`, 'markdown'), run: () => actions.read(kept, positions) },
      { label: iconText(t`Export These Messages…`, 'export'), run: () => actions.export(kept, positions) },
      {
        label: iconText(t`Show in the Transcript`, 'filter'),
        run: async () => {
          const { questionOfCriteria } = await features.transcripts();
          show({ tab: 'messages', question: questionOfCriteria(asked) });
        },
      },
      {
        label: iconText(t`Remove the Filter`, 'clear-all'),
        run: () => filters.set(conversation, NO_CRITERIA),
      },
    ];
    const listed = await messageItems(kept, positions.slice(0, MAX_LISTED));
    const more = positions.length > MAX_LISTED ? t`, the first ${MAX_LISTED} listed` : '';
    const items: ResultItem[] = [
      ...(positions.length > 0 ? offers : offers.slice(-1)),
      heading(iconText(t`Messages`)),
      ...listed.map(({ position, ...item }) => ({ ...item, run: () => show({ position }) })),
    ];
    const title = words`${formatCount(positions.length, 'message')} with ${criteriaWords(asked)}${more}`;
    const options = { title, placeHolder: words`What to do with them`, matchOnDescription: true };
    const choice = chosen(await choose(items, options));
    if ('run' in choice) await choice.run();
  }
}

/** The criteria in an argument from another extension, which may be partial. */
function criteriaIn(argument: unknown): Criteria | undefined {
  if (!isObject(argument) || argument.criteria === undefined) return undefined;
  const given = isObject(argument.criteria) ? argument.criteria : {};
  const parsed = v.safeParse(criteriaSchema, { ...NO_CRITERIA, ...given });
  if (!parsed.success || isUnfiltered(parsed.output))
    throw new UserError(t`These are no criteria for a filter.`);
  return parsed.output;
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
