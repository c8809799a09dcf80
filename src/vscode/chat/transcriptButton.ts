import type * as vscode from 'vscode';
import { commandName } from '../../app/manifest.js';

/** The button in an answer of the Chat view that opens the transcript of a conversation. */
export function transcriptButton(conversation: string): vscode.Command {
  return { command: commandName('openTranscript'), title: 'Open Transcript', arguments: [{ conversation }] };
}
