import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { NO_CRITERIA, type Criteria } from '../../protocol/criteria.js';
import type { StoredConversation } from '../../app/stores/stores.js';
import { askForText, chooseMany, heading, type Choice, type Heading } from '../surfaces/pickers.js';
import { iconText, plain, words, type PlainText } from '../../app/text/plainText.js';
import { chosen } from '../../app/userError.js';

const ROLES: NonNullable<Criteria['role']> = ['user', 'assistant', 'tool', 'system', 'developer'];

/** How many tools are offered. */
const MAX_TOOLS = 500;

/** Something to tick, and the criteria with it. */
interface Tick extends Choice {
  readonly apply: (criteria: Criteria) => Criteria;
}

/** Asks for filter criteria: first a text or `/pattern/`, then roles, agents and tools. */
export async function chooseCriteria(kept: StoredConversation, before = NO_CRITERIA): Promise<Criteria> {
  const text = chosen(
    await askForText({
      title: words`Filter Messages (1/2)`,
      prompt: words`A text that the message has, or /regular expression/; empty for any`,
      value: before.regex ? `/${before.text}/` : before.text,
      validateInput: problemOf,
    }),
  );
  return (await chooseTicks(kept, before)).reduce((criteria, { apply }) => apply(criteria), {
    ...NO_CRITERIA,
    ...textOrPattern(text),
  });
}

/** `/…/` is a case-sensitive regular expression; anything else is a text, for which letter case is ignored. */
function textOrPattern(text: string): Pick<Criteria, 'text' | 'regex' | 'matchCase'> {
  const pattern = /^\/(.+)\/$/s.exec(text)?.[1];
  const isPattern = pattern !== undefined;
  return { text: pattern ?? text, regex: isPattern, matchCase: isPattern };
}

function problemOf(typed: string): PlainText | undefined {
  const { text, regex } = textOrPattern(typed);
  try {
    if (regex) new RegExp(text, 'u');
    return undefined;
  } catch (error) {
    return plain(messageOf(error));
  }
}

/** The list shows progress until the tools are known; they are searched on another thread, until it is closed. */
async function chooseTicks(kept: StoredConversation, before: Criteria): Promise<readonly Tick[]> {
  const closed = new AbortController();
  const tools = kept.store.toolNames(kept.entry.conversation, MAX_TOOLS, closed.signal);
  try {
    const ticked = chosen(
      await chooseMany(ticksFor(kept, before, tools), {
        title: words`Filter Messages (2/2)`,
        placeHolder: words`Whose messages; nothing ticked means everybody’s`,
      }),
    );
    return ticked.filter((each) => 'apply' in each);
  } finally {
    closed.abort();
  }
}

async function ticksFor(
  kept: StoredConversation,
  before: Criteria,
  tools: Promise<readonly string[]>,
): Promise<(Tick | Heading)[]> {
  return [
    heading(iconText(t`Roles`)),
    ...ROLES.map((role) =>
      tick(role, before.role?.includes(role), (had) => ({ ...had, role: [...(had.role ?? []), role] })),
    ),
    heading(iconText(t`Agents`)),
    ...kept.entry.agents.map((agent) =>
      tick(agent, before.agent?.includes(agent), (had) => ({ ...had, agent: [...(had.agent ?? []), agent] })),
    ),
    heading(iconText(t`Tools`)),
    ...(await tools).map((tool) =>
      tick(tool, before.toolName?.includes(tool), (had) => ({
        ...had,
        toolName: [...(had.toolName ?? []), tool],
      })),
    ),
    heading(iconText(t`Outcome`)),
    tick(t`failures only`, before.errorsOnly, (had) => ({ ...had, errorsOnly: true })),
  ];
}

function tick(label: string, picked: boolean | undefined, apply: (criteria: Criteria) => Criteria): Tick {
  return { label: iconText(label), picked: picked ?? false, apply };
}
