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
import { append, applyProps, setWords, type Child, type Props } from './dom.js';
import { icon, type IconName } from './icons.js';

/**
 * The only module that knows the toolkit: every element of it is created here, so that it can be replaced.
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

/** A button with a text. */
export function button(options: ButtonOptions, ...children: readonly Child[]): Button {
  const { appearance = 'secondary', disabled = false, ...props } = options;
  const control = document.createElement('vscode-button');
  control.appearance = appearance;
  control.disabled = disabled;
  applyProps(control, props);
  append(control, children);
  return control;
}

/** A button with only an icon; `label` is its tooltip and its name for screen readers. */
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

/** Sets the state of a toggle button. */
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

/** A single-line field; children with a `slot` are placed within it. */
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

/** A multi-line field. */
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

/**
 * Puts a text into a field at once. The toolkit shows a new value with the next frame only, and takes what is typed until
 * then for more of the text that stood there.
 */
export function writeText(field: TextArea, text: string): void {
  field.value = text;
  const inner = field.shadowRoot?.querySelector('textarea');
  if (inner) inner.value = text;
}

/** Keeps a field's name for screen readers, which the toolkit replaces when the field is added to the page. */
function keepLabel(control: HTMLElement, label: string): void {
  const name = (): void => setWords(control, 'aria-label', label);
  name();
  new MutationObserver(name).observe(control, { attributeFilter: ['aria-label'] });
}

/** A checkbox with a label. */
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
