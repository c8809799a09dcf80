import * as vscode from 'vscode';
import { commandName } from '../manifest.js';
import type { TranscriptsRow } from './transcriptGroups.js';

const FILES = 'text/uri-list';

/** Transcript files that are dropped on the view are imported. */
export const importByDrop: vscode.TreeDragAndDropController<TranscriptsRow> = {
  dropMimeTypes: [FILES],
  dragMimeTypes: [],

  async handleDrop(_target, dropped) {
    const list = await dropped.get(FILES)?.asString();
    const files = (list ?? '')
      .split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => vscode.Uri.parse(line, true));
    if (files.length > 0) await vscode.commands.executeCommand(commandName('importTranscript'), files);
  },
};
