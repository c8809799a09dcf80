import {
  provideVSCodeDesignSystem,
  vsCodeButton,
  vsCodeCheckbox,
  vsCodeTextArea,
  vsCodeTextField,
  type Button,
  type Checkbox,
  type TextArea,
  type TextField,
} from '@vscode/webview-ui-toolkit';
import { append, applyProps, type Child, type Props } from './dom.js';
import { icon, type IconName } from './icons.js';

/**
 * The page's only knowledge of the toolkit: every tag of it is made here, so that its successor could replace it.
 */
provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeCheckbox(), vsCodeTextArea(), vsCodeTextField());

declare global {
  interface HTMLElementTagNameMap {
    'vscode-button': Button;
    'vscode-checkbox': Checkbox;
    'vscode-text-area': TextArea;
    'vscode-text-field': TextField;
  }
}

/** A button's properties. */
export interface ButtonOptions extends Props {
  readonly appearance?: 'primary' | 'secondary' | 'icon';
  readonly disabled?: boolean;
}

/** A button with words. */
export function button(options: ButtonOptions, ...children: readonly Child[]): Button {
  const { appearance = 'secondary', disabled = false, ...props } = options;
  const control = document.createElement('vscode-button');
  control.appearance = appearance;
  control.disabled = disabled;
  applyProps(control, props);
  append(control, children);
  return control;
}

/** A button with an icon alone; `label` is its tooltip and what a screen reader says. */
export function iconButton(name: IconName, label: string, onClick: () => void, props: Props = {}): Button {
  const control = button(
    {
      ...props,
      appearance: 'icon',
      title: label,
      attributes: { 'aria-label': label, ...props.attributes },
      on: { click: onClick, ...props.on },
    },
    icon(name),
  );
  return control;
}

/** Shows whether a button that stays pressed is. */
export function setPressed(control: HTMLElement, pressed: boolean): void {
  control.setAttribute('aria-pressed', String(pressed));
  control.classList.toggle('pressed', pressed);
}

/** A text field's properties. */
export interface FieldOptions extends Props {
  readonly label: string;
  readonly placeholder?: string;
  readonly value?: string;
  readonly onInput: (value: string) => void;
}

/** A field of one line; children with a `slot` stand inside of it. */
export function textField(options: FieldOptions, ...children: readonly Child[]): TextField {
  const { label, placeholder = '', value = '', onInput, ...props } = options;
  const control = document.createElement('vscode-text-field');
  control.placeholder = placeholder;
  control.value = value;
  applyProps(control, props);
  keepLabel(control, label);
  control.addEventListener('input', () => onInput(control.value));
  append(control, children);
  return control;
}

/** A text area's properties. */
export interface TextAreaOptions extends FieldOptions {
  readonly rows?: number;
}

/** A field of several lines. */
export function textArea(options: TextAreaOptions): TextArea {
  const { label, placeholder = '', value = '', onInput, rows = 2, ...props } = options;
  const control = document.createElement('vscode-text-area');
  control.placeholder = placeholder;
  control.value = value;
  control.rows = rows;
  applyProps(control, props);
  keepLabel(control, label);
  control.addEventListener('input', () => onInput(control.value));
  return control;
}

/** Names a field for a screen reader, for good: the toolkit gives it a name of its own when it comes into the page. */
function keepLabel(control: HTMLElement, label: string): void {
  const name = (): void => {
    if (control.getAttribute('aria-label') !== label) control.setAttribute('aria-label', label);
  };
  name();
  new MutationObserver(name).observe(control, { attributeFilter: ['aria-label'] });
}

/** A box to tick, with its words. */
export function checkbox(
  checked: boolean,
  onChange: (checked: boolean) => void,
  ...words: readonly Child[]
): Checkbox {
  const control = document.createElement('vscode-checkbox');
  control.checked = checked;
  append(control, words);
  control.addEventListener('change', () => onChange(control.checked));
  return control;
}

export type { Button, Checkbox, TextArea, TextField };
