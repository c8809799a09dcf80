import { commandOf, type FailedRun } from '../runs/failedRun.js';
import type { AnswerButton } from '../answers/answerSink.js';

/** The buttons below a failed answer of the Chat view; another try is answered there too. */
export function failureButtons(failure: FailedRun): readonly AnswerButton[] {
  return failure.ways.map((way) => {
    if (way !== 'Retry') {
      const { command, argument } = commandOf(failure, way);
      return { title: way, command, arguments: [argument] };
    }
    const query = `@logbook ${failure.prompt}`;
    return { title: way, command: 'workbench.action.chat.open', arguments: [{ query }] };
  });
}
