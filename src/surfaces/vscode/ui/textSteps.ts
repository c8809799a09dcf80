import * as vscode from 'vscode';
import { messageOf } from '../../../core/text.js';
import { textBox } from './pickers.js';
import { plain, type PlainText } from '../../../app/text/plainText.js';

/** Where the person went back to the step before. */
export const BACK = Symbol('back');

/** One step of several that each ask for a text. */
export interface TextStep {
  readonly title: PlainText;
  /** From 1; absent where there is only one. */
  readonly step?: number;
  readonly totalSteps?: number;
  readonly prompt: PlainText;
  readonly placeHolder?: PlainText;
  /** What was typed before. */
  readonly value: string;
  readonly password?: boolean;
  /** What is wrong with a text while it is typed; undefined: nothing. */
  readonly validate?: (text: string) => PlainText | undefined;
  /** Tests a text when Enter is pressed; says what is wrong with it, which a second Enter overrules. */
  readonly test?: (text: string, signal: AbortSignal) => Promise<PlainText | undefined>;
}

/** Asks for one step; undefined where the person leaves, {@link BACK} where they go back. */
export async function askTextStep(step: TextStep): Promise<string | typeof BACK | undefined> {
  const box = textBox();
  const leaving = new AbortController();
  const { title, step: at = 1, totalSteps, prompt, placeHolder, value, password = false } = step;
  Object.assign(box, { title, prompt, value, password, ignoreFocusOut: true });
  if (totalSteps !== undefined) Object.assign(box, { step: at, totalSteps });
  box.placeholder = placeHolder;
  if (at > 1) box.buttons = [vscode.QuickInputButtons.Back];
  try {
    return await new Promise((resolve) => {
      let overruled: string | undefined;
      const accept = async () => {
        const text = box.value.trim();
        const invalid = step.validate?.(text);
        if (invalid !== undefined) {
          box.validationMessage = invalid;
          return;
        }
        if (step.test && overruled !== text) {
          box.busy = true;
          box.enabled = false;
          const problem = await step
            .test(text, leaving.signal)
            .catch((error: unknown) => plain(messageOf(error)));
          box.busy = false;
          box.enabled = true;
          if (problem !== undefined) {
            overruled = text;
            box.validationMessage = problem;
            return;
          }
        }
        resolve(text);
      };
      box.onDidChangeValue((text) => (box.validationMessage = step.validate?.(text.trim())));
      box.onDidAccept(() => void accept());
      box.onDidTriggerButton(() => resolve(BACK));
      box.onDidHide(() => resolve(undefined));
      box.show();
    });
  } finally {
    leaving.abort();
    box.dispose();
  }
}
