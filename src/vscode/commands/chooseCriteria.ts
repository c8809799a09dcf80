import * as vscode from 'vscode';
import { messageOf, singleLine } from '../../core/text.js';
import { NO_CRITERIA, type Criteria } from '../../protocol/criteria.js';
import { messageIn } from '../../query/queryItem.js';
import { eachCall } from '../../query/toolCalls.js';
import type { KeptConversation } from '../logbooks.js';
import { withTranscript } from '../reading/withTranscript.js';
import { chosen } from '../userError.js';

const TITLE = 'Filter Messages';
const ROLES: Criteria['roles'] = ['user', 'assistant', 'tool', 'system', 'developer'];

/** How many records are read at once, and the most tools that are offered. */
const PAGE = 500;
const MOST_TOOLS = 500;

/** Something to tick, and the criteria with it. */
interface Tick extends vscode.QuickPickItem {
  readonly apply?: (criteria: Criteria) => Criteria;
}

/** Asks by what to filter: a text or `/pattern/` first, then roles, agents and tools. */
export async function chooseCriteria(kept: KeptConversation, before = NO_CRITERIA): Promise<Criteria> {
  const text = chosen(
    await vscode.window.showInputBox({
      title: `${TITLE} (1/2)`,
      prompt: 'A text that the message has, or /regular expression/; empty for any',
      value: before.regex ? `/${before.text}/` : before.text,
      validateInput: problemOf,
    }),
  );
  const ticked = chosen(
    await vscode.window.showQuickPick(ticksFor(kept, before), {
      title: `${TITLE} (2/2)`,
      placeHolder: 'Whose messages; nothing ticked means everybody’s',
      canPickMany: true,
    }),
  );
  return ticked.reduce((criteria, { apply }) => apply?.(criteria) ?? criteria, {
    ...NO_CRITERIA,
    ...textOrPattern(text),
  });
}

/** `/…/` is a regular expression, in which case counts; everything else a text, in which it does not. */
export function textOrPattern(text: string): Pick<Criteria, 'text' | 'regex' | 'matchCase'> {
  const pattern = /^\/(.+)\/$/s.exec(text)?.[1];
  const isPattern = pattern !== undefined;
  return { text: pattern ?? text, regex: isPattern, matchCase: isPattern };
}

function problemOf(typed: string): string | undefined {
  const { text, regex } = textOrPattern(typed);
  try {
    if (regex) new RegExp(text, 'u');
    return undefined;
  } catch (error) {
    return singleLine(messageOf(error));
  }
}

async function ticksFor(kept: KeptConversation, before: Criteria): Promise<Tick[]> {
  const tools = await toolsOf(kept);
  return [
    heading('Roles'),
    ...ROLES.map((role) =>
      tick(role, before.roles.includes(role), (had) => ({ ...had, roles: [...had.roles, role] })),
    ),
    heading('Agents'),
    ...kept.entry.agents.map((agent) =>
      tick(agent, before.agents.includes(agent), (had) => ({ ...had, agents: [...had.agents, agent] })),
    ),
    heading('Tools'),
    ...tools.map((tool) =>
      tick(tool, before.tools.includes(tool), (had) => ({ ...had, tools: [...had.tools, tool] })),
    ),
    heading('Outcome'),
    tick('failures only', before.errorsOnly, (had) => ({ ...had, errorsOnly: true })),
  ];
}

function heading(label: string): Tick {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function tick(label: string, picked: boolean, apply: (criteria: Criteria) => Criteria): Tick {
  return { label: singleLine(label), picked, apply };
}

/** The tools that are called in a conversation, in the order in which they first are. */
async function toolsOf({ store, entry }: KeptConversation): Promise<readonly string[]> {
  return withTranscript(store, entry.conversation, async (transcript) => {
    const names = new Set<string>();
    for (let at = 0; at < transcript.length && names.size < MOST_TOOLS; at += PAGE) {
      for (const record of await transcript.read(at, at + PAGE)) {
        eachCall(messageIn(record) ?? {}, (_, name) => names.add(name));
      }
    }
    return [...names];
  });
}
