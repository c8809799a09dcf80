import * as vscode from 'vscode';
import type { ExportTarget } from '../../panel/ports.js';
import { isObject } from '../../core/message.js';
import { TEXT_FORMATS, type TextFormat } from '../../export/exportFormat.js';
import type { Logbooks } from '../logbooks.js';
import type { TranscriptPanels } from '../panel/transcriptPanels.js';
import type { SharedTokens } from '../reading/sharedTokens.js';
import { exportTranscript, formatWords } from '../reading/transcriptExport.js';
import { chosen } from '../userError.js';
import { targetOf, type ConversationChoice } from './chooseConversation.js';

export interface ReadingCommandsDeps {
  readonly logbooks: Logbooks;
  readonly tokens: SharedTokens;
  readonly choice: ConversationChoice;
  readonly panels: TranscriptPanels;
}

/** The commands that show a transcript or take it elsewhere. */
export function readingCommands({ logbooks, tokens, choice, panels }: ReadingCommandsDeps) {
  const show = async (argument: unknown, title: string, options: Parameters<TranscriptPanels['open']>[1]) => {
    const { entry } = await choice.one(argument, title);
    panels.open(entry.conversation, options);
  };
  return {
    async openTranscript(argument?: unknown) {
      const position = targetOf(argument)?.position;
      await show(argument, 'Open Transcript', position === undefined ? {} : { position });
    },
    filterMessages: (argument?: unknown) =>
      show(argument, 'Filter Messages', { tab: 'messages', focusFilter: true }),
    showTimeline: (argument?: unknown) => show(argument, 'Show Timeline', { tab: 'timeline' }),
    showStatistics: (argument?: unknown) => show(argument, 'Show Statistics', { tab: 'statistics' }),
    showToolSummary: (argument?: unknown) => show(argument, 'Show Tool Summary', { tab: 'tools' }),

    async exportMarkdown(argument?: unknown, selection?: unknown) {
      const kept = await choice.several(argument, selection, 'Export Transcript to Markdown');
      for (const { entry } of kept) {
        await exportTranscript(
          { logbooks, tokens },
          {
            conversation: entry.conversation,
            format: 'markdown',
            target: 'editor',
          },
        );
      }
    },

    async exportTranscript(argument?: unknown, selection?: unknown) {
      const kept = await choice.several(argument, selection, 'Export Transcript');
      const { format = await chooseFormat(), target = await chooseTarget() } = asked(argument);
      for (const { entry } of kept) {
        await exportTranscript({ logbooks, tokens }, { conversation: entry.conversation, format, target });
      }
    },
  };
}

/** What another extension may have said already. */
function asked(argument: unknown): { readonly format?: TextFormat; readonly target?: ExportTarget } {
  if (!isObject(argument)) return {};
  const format = TEXT_FORMATS.find((known) => known === argument.format);
  const target = TARGETS.find((known) => known === argument.target);
  return { ...(format && { format }), ...(target && { target }) };
}

const TARGETS: readonly ExportTarget[] = ['editor', 'file', 'clipboard'];

async function chooseFormat(): Promise<TextFormat> {
  const items = (Object.keys(formatWords) as TextFormat[]).map((format) => ({
    label: formatWords[format].label,
    description: `.${formatWords[format].extension}`,
    format,
  }));
  return chosen(
    await vscode.window.showQuickPick(items, { title: 'Export Transcript', placeHolder: 'Format' }),
  ).format;
}

async function chooseTarget(): Promise<ExportTarget> {
  const items: readonly (vscode.QuickPickItem & { target: ExportTarget })[] = [
    { label: '$(go-to-file) Into an editor', target: 'editor' },
    { label: '$(save) To a file…', target: 'file' },
    { label: '$(clippy) To the clipboard', target: 'clipboard' },
  ];
  return chosen(
    await vscode.window.showQuickPick(items, { title: 'Export Transcript', placeHolder: 'Where to' }),
  ).target;
}
