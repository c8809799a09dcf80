/** A button in an answer, as VS Code's Chat view takes it. */
export interface AnswerButton {
  readonly title: string;
  readonly command: string;
  arguments?: unknown[];
}

/** Where an answer of the Chat view is written; every text but the answer itself reads literally. */
export interface AnswerSink {
  /** Adds a quoted line. */
  quote(line: string): void;
  /** Adds what a model has answered, as its Markdown. */
  answer(text: string): void;
  /** Shows what is going on, until something else is added. */
  progress(text: string): void;
  /** Adds a button; its title is a constant of the code. */
  button(button: AnswerButton): void;
}
