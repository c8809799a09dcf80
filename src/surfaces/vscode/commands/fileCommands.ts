import * as vscode from 'vscode';
import { t } from '../../../core/l10n.js';
import type { FileReport } from '../../../capture/openedFile.js';
import type { Stores } from '../../../app/services/stores.js';
import { keepNotes } from '../../../app/services/keepNotes.js';
import { iconText, words } from '../../../app/text/plainText.js';
import { importReportText } from '../../../app/services/importReports.js';
import type { ShownFiles } from '../../../app/services/shownFiles.js';
import { chosen, UserError } from '../../../app/userError.js';
import { FILE_VIEW_TYPE } from '../panel/fileEditors.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import { showText } from '../ui/showText.js';
import { choose } from '../ui/pickers.js';

/** What the commands on files that are shown where they are need. */
export interface FileCommandsOptions {
  readonly stores: Stores;
  readonly shown: ShownFiles;
  readonly panels: TranscriptPanels;
  /** Imports files into the store. */
  readonly importFiles: (files: readonly vscode.Uri[]) => Promise<void>;
}

/** The commands that open other tools' files in place, and what can be done with one that is open. */
export function fileCommands({ stores, shown, panels, importFiles }: FileCommandsOptions) {
  const current = (): { readonly report: FileReport; readonly conversation: string } => {
    const conversation = panels.active;
    const report = conversation === undefined ? undefined : shown.reportOf(conversation);
    if (conversation === undefined || !report)
      throw new UserError(
        t`Open a file of another tool as a transcript first, or bring its panel to the front.`,
      );
    return { report, conversation };
  };
  return {
    async openTranscriptFile(argument?: unknown, selection?: unknown) {
      const given = Array.isArray(selection) ? selection : [argument];
      const files = given.filter((each) => each instanceof vscode.Uri);
      for (const file of files.length > 0 ? files : await chooseFiles())
        await vscode.commands.executeCommand('vscode.openWith', file, FILE_VIEW_TYPE);
    },

    async keepCopy() {
      const { report } = current();
      await importFiles([vscode.Uri.file(report.path)]);
      await keepNotes(stores, report);
    },

    async chooseFileConversation() {
      const { report, conversation } = current();
      const choices = report.conversations.map((each) => ({
        label: iconText(each.title),
        description: iconText(each.conversation === conversation ? t`shown` : each.session),
        id: each.conversation,
      }));
      const { id } = chosen(
        await choose(choices, {
          title: words`Conversations of This File`,
          placeHolder: words`The conversation to show`,
        }),
      );
      for (const panel of panels.panelsOf(conversation)) if (panel.active) panels.showIn(panel, id);
    },

    async showFileReport() {
      const conversation = panels.active;
      if (conversation === undefined)
        throw new UserError(
          t`Open an imported transcript or a file of another tool first, or bring its panel to the front.`,
        );
      await showText(await importReportText({ stores, shown }, conversation), 'plaintext');
    },
  };
}

async function chooseFiles(): Promise<readonly vscode.Uri[]> {
  return chosen(
    await vscode.window.showOpenDialog({
      title: t`Open File as Transcript`,
      openLabel: t`Open`,
      canSelectMany: true,
    }),
  );
}
