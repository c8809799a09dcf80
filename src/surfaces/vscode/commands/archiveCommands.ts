import type { PushAnswer } from '../../../archive/archiveCalls.js';
import type { ArchivePushing } from '../../../app/archive/archivePushing.js';
import type { Secrets } from '../../../app/ports/settings.js';
import type { LateArchive } from '../../../app/application/openApplication.js';
import { plain, words } from '../../../app/text/plainText.js';
import { chosen, UserError } from '../../../app/userError.js';
import { t } from '../../../core/l10n.js';
import { isObject } from '../../../core/message.js';
import { messageOf } from '../../../core/text.js';
import type { ArchiveView } from '../archive/archiveView.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { showInformation } from '../ui/notices.js';
import { askForText } from '../ui/pickers.js';
import { withProgress } from '../ui/progress.js';

/** What the commands about the archive need. */
export interface ArchiveCommandsOptions {
  readonly archive: () => Promise<ArchivePushing>;
  readonly archived: LateArchive;
  readonly archiveView: ArchiveView;
  readonly panels: TranscriptPanels;
  readonly secrets: Secrets;
}

/** The commands about the archive of a team. */
export function archiveCommands({ archive, archived, archiveView, panels, secrets }: ArchiveCommandsOptions) {
  return {
    async pushToArchive() {
      const pushing = await archive();
      const answers = await withProgress(words`Pushing to the archive`, (signal, report) =>
        orWords(
          signal,
          pushing.pushAll(signal, (done, all) => report(words`${done} of ${all} conversations`, 100 / all)),
        ),
      );
      await archiveView.refresh();
      void showInformation(plain(pushedWords(answers)));
    },

    async setArchivePassword() {
      const key = (await archive()).passwordKey();
      const typed = chosen(
        await askForText({
          title: words`Password of the archive`,
          prompt: words`Kept in the secret storage of VS Code, never in settings or transcripts. Left empty, it is removed`,
          password: true,
          ignoreFocusOut: true,
        }),
      );
      if (typed === '') await secrets.delete(key);
      else await secrets.store(key, typed);
      void archiveView.refresh();
      void showInformation(
        typed === ''
          ? words`The password of the archive is removed.`
          : words`The password of the archive is kept.`,
      );
    },

    refreshArchive: () => archiveView.refresh(),

    /** Opens a conversation of the archive: the argument names it, where the archive must be a certain one that too, and a position in it. */
    async openArchived(argument?: unknown) {
      if (!isObject(argument) || typeof argument.id !== 'string') return;
      const { id, place, position, found, preserveFocus } = argument;
      const [transcripts, { waiting }] = await Promise.all([archived.load(), archiveView.rows()]);
      const conversation = await transcripts.open(id, typeof place === 'string' ? place : undefined);
      const shown = transcripts.shown(conversation);
      if (shown) waiting.arrived(shown, conversation);
      if (typeof position === 'number') await transcripts.reached(conversation, position);
      const what = {
        ...(typeof position === 'number' && { position }),
        ...(typeof found === 'string' && { found: { text: found, matchCase: false, wholeWord: false } }),
      };
      panels.open(conversation, what, preserveFocus === true);
    },
  };
}

async function orWords<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof UserError ? error : new UserError(messageOf(error));
  }
}

/** What came of a push, in sentences. */
function pushedWords(answers: readonly PushAnswer[]): string {
  const sum = (count: 'added' | 'redacted' | 'withheld') =>
    answers.reduce((all, { outcome }) => all + (outcome?.[count] ?? 0), 0);
  const failed = answers.filter(({ problem }) => problem !== undefined);
  const [first] = failed;
  return [
    t`${answers.length - failed.length} conversations are in the archive, with ${sum('added')} new records.`,
    ...(sum('redacted') > 0 ? [t`${sum('redacted')} secrets were left out.`] : []),
    ...(sum('withheld') > 0
      ? [t`Of ${sum('withheld')} records only the facts were sent, because their texts could not be cleaned.`]
      : []),
    ...(first ? [t`${failed.length} could not be pushed. The first: ${first.problem ?? ''}`] : []),
  ].join(' ');
}
