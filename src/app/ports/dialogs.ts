import type { PlainText } from '../text/plainText.js';

/** How a question for a text presents itself. */
export interface TextQuestion {
  readonly title: PlainText;
  readonly prompt?: PlainText;
  readonly placeHolder?: PlainText;
  /** The text to begin with, as it is: it is the person's to edit. */
  readonly value?: string;
  readonly password?: boolean;
  readonly ignoreFocusOut?: boolean;
  /** What is wrong with a text; undefined: nothing. */
  readonly validateInput?: (text: string) => PlainText | undefined;
}

/** Reports progress: a message, and the percentage of the whole that was done since the last report. */
export type Report = (message: PlainText, increment?: number) => void;

/** How the application speaks to the person at the window. */
export interface Dialogs {
  /** Shows an error; resolves with the button that was pressed. */
  showError(message: PlainText, ...buttons: string[]): Promise<string | undefined>;
  /** Shows a warning; resolves with the button that was pressed. */
  showWarning(message: PlainText, ...buttons: string[]): Promise<string | undefined>;
  /** Shows information; resolves with the button that was pressed. */
  showInformation(message: PlainText, ...buttons: string[]): Promise<string | undefined>;
  /** Asks for a text; undefined where the person leaves. */
  askForText(question: TextQuestion): Promise<string | undefined>;
  /** Runs long work that the person can cancel, which aborts the signal with `Cancelled`. */
  progress<T>(title: PlainText, work: (signal: AbortSignal, report: Report) => Promise<T>): Promise<T>;
}
