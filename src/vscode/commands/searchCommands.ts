import { t } from '../../core/l10n.js';
import * as vscode from 'vscode';
import { messageOf } from '../../core/text.js';
import type { Criteria } from '../../protocol/criteria.js';
import type { EventData } from '../../protocol/events.js';
import type { SearchHit } from '../../store/search/scanQuestion.js';
import type { Stores } from '../../app/stores/stores.js';
import { commandName } from '../../app/manifest.js';
import { choiceList, heading, type Choice, type ChoiceList, type Heading } from '../surfaces/pickers.js';
import { iconText, words } from '../../app/text/plainText.js';
import { formatMoment, formatTime } from '../../app/text/format.js';
import { textOrPattern } from './chooseCriteria.js';
import { groupHits, type HitConversation } from '../../app/views/hitGroups.js';

/** A hit, or a sentence in place of hits. */
interface HitItem extends Choice {
  readonly target?: {
    readonly conversation: string;
    readonly position: number;
    readonly found: EventData<'show'>['found'];
  };
}

type HitList = ChoiceList<HitItem | Heading>;

/** How long typing must pause before a search starts, in milliseconds. */
const TYPING_PAUSE_MS = 200;

/** How many hits are listed; nobody reads a longer list. */
const MAX_SHOWN = 500;

/** How many more hits are found before the list is drawn again. */
const HITS_PER_DRAWING = 50;

/**
 * Search All Transcripts: lists the hits for a text or `/regex/` as they are found, by conversation, the newest first, and
 * opens the one chosen.
 */
export function searchCommands(stores: Stores) {
  return {
    searchTranscripts() {
      const pick = choiceList<HitItem | Heading>({ keepsOrder: true });
      pick.title = words`Search All Transcripts`;
      pick.placeholder = words`Text, or /regular expression/`;
      pick.matchOnDescription = true;
      let wholeWord = false;
      let search = new AbortController();
      let resting: NodeJS.Timeout | undefined;
      const begin = () => {
        search = new AbortController();
        const asked = { ...textOrPattern(pick.value.trim()), wholeWord };
        void show(pick, stores, asked, search.signal);
      };
      const beginAfter = (rest: number) => {
        search.abort();
        clearTimeout(resting);
        resting = setTimeout(begin, rest);
      };
      pick.buttons = [wholeWordButton(wholeWord)];
      pick.onDidTriggerButton(() => {
        wholeWord = !wholeWord;
        pick.buttons = [wholeWordButton(wholeWord)];
        beginAfter(0);
      });
      pick.onDidChangeValue(() => beginAfter(TYPING_PAUSE_MS));
      pick.onDidAccept(() => {
        const [chosen] = pick.selectedItems;
        if (!chosen || !('target' in chosen)) return;
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

function wholeWordButton(isOn: boolean): vscode.QuickInputButton {
  const colour = isOn ? new vscode.ThemeColor('inputOption.activeForeground') : undefined;
  return {
    iconPath: new vscode.ThemeIcon(isOn ? 'check' : 'whole-word', colour),
    tooltip: isOn ? t`Whole words only: on` : t`Whole words only: off`,
  };
}

type Asked = Pick<Criteria, 'text' | 'regex' | 'matchCase' | 'wholeWord'>;

async function show(pick: HitList, stores: Stores, asked: Asked, signal: AbortSignal): Promise<void> {
  pick.items = [];
  if (asked.text === '') return;
  pick.busy = true;
  const hits: SearchHit[] = [];
  let found = 0;
  const draw = () => (pick.items = itemsOf(hits, asked, (conversation) => stores.known(conversation)));
  try {
    for (const { store } of await stores.all()) {
      for await (const hit of store.search(asked, {}, signal)) {
        if (isAborted(signal)) return;
        found++;
        if (hits.length < MAX_SHOWN) hits.push(hit);
        if (found % HITS_PER_DRAWING === 1 && found <= MAX_SHOWN) draw();
      }
    }
    if (isAborted(signal)) return;
    const more = found > hits.length ? t`, the first ${hits.length} shown` : '';
    const whole = asked.wholeWord ? t` of whole words` : '';
    pick.title = words`Search All Transcripts: ${found === 1 ? t`1 match` : t`${found.toLocaleString('en')} matches`}${whole}${more}`;
    if (found === 0) pick.items = [{ label: iconText(t`Nothing found`), alwaysShow: true }];
    else draw();
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

function itemsOf(
  hits: readonly SearchHit[],
  asked: Asked,
  about: (conversation: string) => HitConversation | undefined,
): (HitItem | Heading)[] {
  return groupHits(hits, MAX_SHOWN, about).flatMap((group) => {
    const facts = [group.title, formatMoment(group.endedAt)].filter((fact) => fact !== '');
    return [heading(iconText(facts.join(' · '))), ...group.hits.map((hit) => itemOf(hit, asked))];
  });
}

function itemOf(hit: SearchHit, { matchCase, wholeWord }: Asked): HitItem {
  const { conversation, position, agent, role, time, snippet, start, end } = hit;
  const text = snippet.slice(start, end);
  return {
    label: iconText(snippet),
    description: iconText([agent, role, time > 0 ? formatTime(time) : ''].filter(Boolean).join(' · ')),
    alwaysShow: true,
    target: { conversation, position, found: text === '' ? undefined : { text, matchCase, wholeWord } },
  };
}
