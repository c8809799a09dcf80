import { t } from '../../core/l10n.js';
import type { AnswerButton } from '../answers/answerSink.js';
import { commandName } from '../manifest.js';

/** The button in an answer of the Chat view that opens the transcript of a conversation. */
export function transcriptButton(conversation: string): AnswerButton {
  return { command: commandName('openTranscript'), title: t`Open Transcript`, arguments: [{ conversation }] };
}
