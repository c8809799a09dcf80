import * as vscode from 'vscode';
import type { TextQuestion } from '../../../app/ports/dialogs.js';
import type { IconText, PlainText } from '../../../app/text/plainText.js';

/** A choice in a list, all of whose texts may have icons. */
export interface Choice {
  readonly label: IconText;
  readonly description?: IconText;
  readonly detail?: IconText;
  readonly picked?: boolean;
  readonly alwaysShow?: boolean;
}

/** A line of a list with a heading; what follows belongs to it. */
export interface Heading {
  readonly label: IconText;
  readonly kind: vscode.QuickPickItemKind.Separator;
}

/** How a list presents itself. */
export interface ChoiceOptions {
  readonly title: PlainText;
  readonly placeHolder: PlainText;
  readonly matchOnDescription?: boolean;
  readonly matchOnDetail?: boolean;
  readonly ignoreFocusOut?: boolean;
}

/** The heading of the choices that follow it. */
export function heading(label: IconText): Heading {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Lets the person choose one; undefined where they leave. */
export async function choose<T extends Choice | Heading>(
  choices: readonly T[] | Promise<readonly T[]>,
  options: ChoiceOptions,
): Promise<T | undefined> {
  return vscode.window.showQuickPick<T & vscode.QuickPickItem>(
    choices as readonly (T & vscode.QuickPickItem)[],
    options,
  );
}

/** Lets the person tick any number; undefined where they leave. */
export async function chooseMany<T extends Choice | Heading>(
  choices: readonly T[] | Promise<readonly T[]>,
  options: ChoiceOptions,
): Promise<readonly T[] | undefined> {
  return vscode.window.showQuickPick<T & vscode.QuickPickItem>(
    choices as readonly (T & vscode.QuickPickItem)[],
    { ...options, canPickMany: true },
  );
}

/** A list that stays under the control of whoever opened it. */
export type ChoiceList<T extends Choice | Heading> = Omit<
  vscode.QuickPick<T & vscode.QuickPickItem>,
  'title' | 'placeholder' | 'items' | 'selectedItems'
> & {
  title: PlainText | undefined;
  placeholder: PlainText | undefined;
  items: readonly T[];
  readonly selectedItems: readonly T[];
};

/**
 * Makes a list that is filled and closed by whoever opened it. `keepsOrder`: what is typed sorts nothing, because then VS
 * Code leaves out the headings; by a property that its declarations lack and all versions since 2021 have.
 */
export function choiceList<T extends Choice | Heading>({ keepsOrder = false } = {}): ChoiceList<T> {
  const list = vscode.window.createQuickPick<T & vscode.QuickPickItem>();
  if (keepsOrder) Reflect.set(list, 'sortByLabel', false);
  return list as unknown as ChoiceList<T>;
}

/** An input box that stays under the control of whoever opened it; VS Code reads links in its two messages. */
export type TextBox = Omit<vscode.InputBox, 'title' | 'placeholder' | 'prompt' | 'validationMessage'> & {
  title: PlainText | undefined;
  placeholder: PlainText | undefined;
  prompt: PlainText | undefined;
  validationMessage: PlainText | undefined;
};

/** Makes an input box that is checked and closed by whoever opened it. */
export function textBox(): TextBox {
  return vscode.window.createInputBox() as TextBox;
}

/** Asks for a text; undefined where the person leaves. */
export async function askForText(question: TextQuestion): Promise<string | undefined> {
  return vscode.window.showInputBox(question);
}
