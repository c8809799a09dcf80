import { visibleText } from '../src/core/visibleText.js';

/** What an element may have besides its children. Texts become attributes, never markup. */
export interface Props {
  readonly class?: string;
  readonly title?: string;
  readonly role?: string;
  readonly tabIndex?: number;
  readonly hidden?: boolean;
  readonly id?: string;
  /** Attributes by their names; undefined leaves one out. */
  readonly attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
}

/** What may be in an element: nodes, texts, or nothing. */
export type Child = Node | string | number | false | undefined | null;

/** Creates an element; texts among the children become text nodes, so nothing in them is ever parsed as markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: readonly (Child | readonly Child[])[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  applyProps(element, props);
  append(element, children.flat());
  return element;
}

/** Sets on an existing element what `el` sets on a new one. */
export function applyProps(element: HTMLElement, props: Props): void {
  if (props.class !== undefined) element.className = props.class;
  if (props.title !== undefined) setWords(element, 'title', props.title);
  if (props.role !== undefined) element.setAttribute('role', props.role);
  if (props.tabIndex !== undefined) element.tabIndex = props.tabIndex;
  if (props.hidden !== undefined) element.hidden = props.hidden;
  if (props.id !== undefined) element.id = props.id;
  for (const [name, value] of Object.entries(props.attributes ?? {})) setAttribute(element, name, value);
  for (const [name, listener] of Object.entries(props.on ?? {})) {
    element.addEventListener(name, listener as EventListener);
  }
}

/** The attributes that a person reads or hears. */
const WORDS = ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-valuetext'] as const;
type WordsName = (typeof WORDS)[number];

/** Sets what a person reads or hears of an element; what cannot be seen in it is written out, like `⟨U+202E⟩`. */
export function setWords(element: Element, name: WordsName, words: string): void {
  const visible = visibleText(words);
  if (element.getAttribute(name) !== visible) element.setAttribute(name, visible);
}

function isWords(name: string): name is WordsName {
  return (WORDS as readonly string[]).includes(name);
}

/** Sets an attribute; `true` without a value, and `false` and undefined not at all. */
function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name);
  else if (isWords(name)) setWords(element, name, String(value));
  else element.setAttribute(name, value === true ? '' : String(value));
}

/** Adds children in their order. */
export function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === false || child === undefined || child === null) continue;
    parent.appendChild(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces the content of an element. */
export function fill(parent: Element, ...children: readonly (Child | readonly Child[])[]): void {
  parent.replaceChildren();
  append(parent, children.flat());
}

/** Replaces the content of an element that scrolls: it stays where it is, and the focus on what has the same `data-key`. */
export function fillInPlace(parent: HTMLElement, ...children: Parameters<typeof fill>[1][]): void {
  const held = parent.querySelector<HTMLElement>(':focus')?.dataset.key;
  const { scrollTop } = parent;
  fill(parent, ...children);
  parent.scrollTop = scrollTop;
  if (held === undefined) return;
  const keys = [...parent.querySelectorAll<HTMLElement>('[data-key]')];
  keys.find(({ dataset }) => dataset.key === held)?.focus();
}

/** Makes these the children of an element, in this order, without touching those that stay: focus and selection survive. */
export function place(parent: Element, children: readonly Element[]): void {
  const staying = new Set(children);
  for (const child of Array.from(parent.children)) if (!staying.has(child)) child.remove();
  let there = parent.firstElementChild;
  for (const child of children) {
    if (child === there) there = there.nextElementSibling;
    else parent.insertBefore(child, there);
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** Creates an SVG element; what cannot be seen in its texts is written out. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number | undefined>> = {},
  ...children: readonly (Child | readonly Child[])[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  append(
    element,
    children.flat().map((child) => (typeof child === 'string' ? visibleText(child) : child)),
  );
  return element;
}
