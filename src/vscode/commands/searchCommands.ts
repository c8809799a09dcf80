import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import { filterCriteria, NO_CRITERIA } from '../../protocol/criteria.js';
import type { SearchHit } from '../../store/search/scanQuestion.js';
import type { Logbooks } from '../logbooks.js';
import { commandName } from '../manifest.js';
import { choiceList, type Choice, type ChoiceList } from '../surfaces/pickers.js';
import { iconText, words } from '../surfaces/plainText.js';
import { textOrPattern } from './chooseCriteria.js';

interface HitItem extends Choice {
  readonly target?: { readonly conversation: string; readonly position: number };
}

/** How long typing must pause before a search starts, in milliseconds. */
const REST = 200;

/** How many hits are listed; nobody reads a longer list. */
const SHOWN_AT_MOST = 500;

/** Search All Transcripts: lists the hits for a text or `/regex/` as they are found, and opens the one chosen. */
export function searchCommands(logbooks: Logbooks) {
  return {
    searchTranscripts() {
      const pick = choiceList<HitItem>();
      pick.title = words`Search All Transcripts`;
      pick.placeholder = words`Text, or /regular expression/`;
      pick.matchOnDescription = true;
      pick.matchOnDetail = true;
      let search = new AbortController();
      let resting: NodeJS.Timeout | undefined;
      const begin = () => {
        search = new AbortController();
        void show(pick, logbooks, search.signal);
      };
      pick.onDidChangeValue(() => {
        search.abort();
        clearTimeout(resting);
        resting = setTimeout(begin, REST);
      });
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        if (!chosen?.target) return;
        pick.hide();
        void vscode.commands.executeCommand(commandName('openTranscript'), chosen.target);
      });
      pick.onDidHide(() => {
        search.abort();
        clearTimeout(resting);
        pick.dispose();
      });
      pick.show();
    },
  };
}

async function show(pick: ChoiceList<HitItem>, logbooks: Logbooks, signal: AbortSignal): Promise<void> {
  const text = pick.value.trim();
  pick.items = [];
  if (text === '') return;
  pick.busy = true;
  const items: HitItem[] = [];
  let found = 0;
  try {
    for (const { store } of await logbooks.all()) {
      for await (const hit of store.search(
        filterCriteria({ ...NO_CRITERIA, ...textOrPattern(text) }),
        {},
        signal,
      )) {
        if (isAborted(signal)) return;
        found++;
        const title = logbooks.known(hit.conversation)?.title ?? hit.conversation;
        if (items.length < SHOWN_AT_MOST) items.push(itemOf(hit, title));
        if (found % 50 === 1) pick.items = [...items];
      }
    }
    if (isAborted(signal)) return;
    const more = found > items.length ? `, the first ${items.length} shown` : '';
    pick.title = words`Search All Transcripts: ${found === 1 ? '1 match' : `${found.toLocaleString('en')} matches`}${more}`;
    pick.items = found === 0 ? [{ label: iconText('Nothing found'), alwaysShow: true }] : items;
  } catch (error) {
    if (!isAborted(signal)) pick.items = [{ label: iconText(messageOf(error)), alwaysShow: true }];
  } finally {
    if (!isAborted(signal)) pick.busy = false;
  }
}

/** Whether a signal is aborted; a function, because the compiler assumes that it stays as it was before an await. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function itemOf(hit: SearchHit, title: string): HitItem {
  return {
    label: iconText(hit.snippet),
    description: iconText(`${hit.agent} · ${hit.role}`),
    detail: iconText(title),
    alwaysShow: true,
    target: { conversation: hit.conversation, position: hit.position },
  };
}
