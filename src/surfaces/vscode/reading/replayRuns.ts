import { join } from 'node:path';
import type * as vscode from 'vscode';
import { features } from '../../../app/features/features.js';
import { limitSetting, runLimits } from '../../../app/ports/runLimits.js';
import type { Stores } from '../../../app/services/stores.js';
import type { StoredConversation } from '../../../app/stores/storedConversation.js';
import type { Replayed } from '../../../app/team/replayDeparture.js';
import { plain, words } from '../../../app/text/plainText.js';
import { withTranscript } from '../../../app/transcripts/withTranscript.js';
import { newConversationId } from '../../../core/ids.js';
import { t } from '../../../core/l10n.js';
import type { Log } from '../../../core/ports/log.js';
import type { KeptComparison } from '../../../page/protocol/comparePage.js';
import { PASSING_STORES } from '../../../store/write/removeOwnFolder.js';
import type { AgentLibrary } from '../agentLibrary.js';
import type { ConversationChoice } from '../commands/chooseConversation.js';
import { editorSettings, setting } from '../settings.js';
import { showInformation, showWarning } from '../ui/notices.js';
import { withProgress } from '../ui/progress.js';
import { openText, openTexts } from './changeViews.js';

/** So much of the title, and of the sentence, stands in a notice, in code points; the report has all of it. */
const MAX_TITLE = 60;
const MAX_SENTENCE = 300;

/** What is needed to run a conversation again. */
interface ReplaysOptions {
  readonly context: vscode.ExtensionContext;
  readonly stores: Stores;
  readonly library: Pick<AgentLibrary, 'agents'>;
  readonly log: Log;
}

/** Recorded runs that are run again, and what they say then, for as long as somebody looks at it. */
export class Replays {
  readonly #options: ReplaysOptions;
  #passing: Promise<InstanceType<Awaited<ReturnType<typeof features.comparing>>['PassingStore']>> | undefined;

  constructor(options: ReplaysOptions) {
    this.#options = options;
  }

  /** Runs a conversation again with its record as the answers. */
  async replayed({ store, entry }: StoredConversation): Promise<Replayed> {
    const { describedTools, replayRun } = await features.comparing();
    const { loadUsablePrices } = await features.pricing();
    const prices = await loadUsablePrices(setting('prices.file'));
    const limits = {
      ...runLimits(editorSettings),
      maxDepth: limitSetting(editorSettings, 'limits.maxDepth'),
    };
    const agents = await this.#options.library.agents();
    return await withProgress(words`Replaying ${plain(entry.title, MAX_TITLE)}`, (signal) =>
      withTranscript(store, entry.conversation, (transcript) =>
        replayRun(transcript, {
          agents,
          tools: describedTools(),
          limits,
          prices,
          openOrigin: (conversation) => store.openTranscript(conversation),
          signal,
        }),
      ),
    );
  }

  /** Runs a conversation again, and gives what is said then as a conversation of this window's own, which nobody lists. */
  async passing(conversation: string): Promise<{ readonly root: string; readonly conversation: string }> {
    const stored = await this.#options.stores.find(conversation);
    const result = await this.replayed(stored);
    const { replayedTranscript } = await features.comparing();
    const store = await (await (this.#passing ??= this.#opening())).opened();
    const own = newConversationId(Date.now());
    const title = t`Replayed: ${stored.entry.title}`;
    await store.importConversation(own, replayedTranscript(result), undefined, {
      tool: 'replay',
      session: own,
      title,
    });
    return { root: (await this.#options.stores.find(own)).root, conversation: own };
  }

  /** Forgets what nobody looks at any more. */
  async forget(conversation: string): Promise<void> {
    await (await this.#passing)?.forget(conversation);
  }

  async #opening() {
    const { context, stores, log } = this.#options;
    const { PassingStore, openStore } = await features.comparing();
    const passing = new PassingStore({
      folder: join(context.globalStorageUri.fsPath, PASSING_STORES),
      openStore: ({ root, ...rest }) => openStore(root, rest),
      onStore: (store) => stores.addUnlisted(store, { isAsked: false }),
      log,
    });
    context.subscriptions.push({ dispose: () => void passing.close() });
    return passing;
  }
}

/** What the command needs besides. */
export interface ReplayCommandOptions {
  readonly context: vscode.ExtensionContext;
  readonly choice: ConversationChoice;
  readonly replays: Replays;
  /** Compares runs in an editor. */
  readonly compare: (places: KeptComparison['places']) => void;
}

/** The command that runs a recorded conversation again, and shows what came of it. */
export function replayCommands({ context, choice, replays, compare }: ReplayCommandOptions) {
  return {
    async replayRun(argument?: unknown) {
      const stored = await choice.one(argument, t`Replay Run`);
      const result = await replays.replayed(stored);
      const { replayMarkdown, replaySentence } = await features.comparing();
      const { departure } = result;
      const sentence = words`${plain(replaySentence(result), MAX_SENTENCE)}`;
      const [report, difference] = [t`Show Report`, t`Show Request`];
      if (departure) {
        const { root, entry } = stored;
        const { conversation, runs } = entry;
        const run = runs > 1 ? { run: departure.run } : {};
        compare([
          { kind: 'stored', root, conversation, ...run },
          { kind: 'replay', root, conversation },
        ]);
      }
      const asked = departure ? showWarning(sentence, difference, report) : showInformation(sentence, report);
      // Whoever asked is not kept waiting for a notice.
      void asked.then(async (answer) => {
        if (answer === report) await openText(context, 'replay.md', replayMarkdown(result));
        else if (answer === difference && departure)
          await openTexts(context, departureTitle(departure), departure.expected, departure.asked);
      });
    },
  };
}

function departureTitle({ step, agent }: { readonly step: number; readonly agent: string }): string {
  return t`Step ${step}, ${agent}: Expected and Asked`;
}
