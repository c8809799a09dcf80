import * as vscode from 'vscode';
import { commandName } from '../../../app/manifest.js';

/** What a row of a tree opens: a conversation, at one of its messages or at a note. */
export interface TranscriptTarget {
  readonly conversation: string;
  readonly position?: number;
  readonly note?: string;
}

/** Opens a transcript; the focus stays in the tree, so that its keys (F2, Delete) go on working on what was clicked. */
export function openFromTree(target: TranscriptTarget | undefined): void {
  if (!target) return;
  void vscode.commands.executeCommand(commandName('openTranscript'), { ...target, preserveFocus: true });
}
