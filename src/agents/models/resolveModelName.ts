import type { Failure } from '../../core/record.js';
import type { Model } from '../../core/ports/model.js';

/** The properties of a model that a name is matched against. */
export type NamedModel = Pick<Model, 'id' | 'label' | 'endpoint'>;

/** Claude's short names: each stands for the newest available model of its family. */
const families: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku']);

/** How many available models a failure lists. */
const MAX_LISTED = 20;

/**
 * The model that an agent file means: the first of `names` that is available. A name is an id, a label,
 * `Name (vendor)`, `inherit` for the conversation's own model, or a family of Claude. Letter case and the characters
 * between words are ignored and, where nothing else matches, so are dates and vendors (`anthropic/claude-…`).
 * Without names it is the conversation's own model.
 */
export function resolveModelName<T extends NamedModel>(
  names: readonly string[],
  available: readonly T[],
  inherited: T,
): T | Failure {
  if (names.length === 0) return inherited;
  for (const name of names) {
    const model = named(name.trim(), available, inherited);
    if (model) return model;
  }
  const known = available.slice(0, MAX_LISTED).map(({ label }) => label);
  const more = available.length > MAX_LISTED ? ` and ${available.length - MAX_LISTED} more` : '';
  const there = known.length === 0 ? 'No models are available.' : `Available: ${known.join(', ')}${more}.`;
  return { code: 'noModel', message: `None of these models is available: ${names.join(', ')}. ${there}` };
}

function named<T extends NamedModel>(name: string, available: readonly T[], inherited: T): T | undefined {
  const lower = name.toLowerCase();
  if (lower === 'inherit') return inherited;
  const exact = available.find(({ id }) => id === name);
  if (exact) return exact;
  if (families.has(lower)) return newestOf(lower, available);
  const { bare, vendor } = split(name);
  const ofVendor =
    vendor === undefined ? available : available.filter(({ endpoint }) => plain(endpoint) === plain(vendor));
  return (
    ofVendor.find((model) => namesOf(model).includes(plain(bare))) ??
    available.find((model) => [model.id, model.label].some((one) => plain(one) === plain(name))) ??
    ofVendor.find((model) =>
      namesOf(model)
        .map(undated)
        .includes(undated(plain(bare))),
    ) ??
    ofVendor.find((model) => undated(plain(lastPart(ownName(model)))) === undated(plain(lastPart(bare))))
  );
}

/** `GPT-4.1 (copilot)` in its two parts. */
function split(name: string): { readonly bare: string; readonly vendor: string | undefined } {
  const match = /^(.*\S)\s*\(([^()]+)\)$/.exec(name);
  return { bare: match?.[1] ?? name, vendor: match?.[2] };
}

/** All names of a model without its vendor. */
function namesOf(model: NamedModel): readonly string[] {
  const { id, label, endpoint } = model;
  const { bare, vendor = '' } = split(label);
  return [ownName(model), plain(vendor) === plain(endpoint) ? bare : label, id].map(plain);
}

/** A model's id without its endpoint. */
function ownName({ id, endpoint }: NamedModel): string {
  return id.startsWith(`${endpoint}/`) ? id.slice(endpoint.length + 1) : id;
}

/** A name without the vendor that routers put before it. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

/** A plain name without the model's release date. */
function undated(name: string): string {
  return name.replace(/-20\d{2}-?\d{2}-?\d{2}$/, '');
}

/** The model of a family with the highest version in its name; of equals, the first. */
function newestOf<T extends NamedModel>(family: string, available: readonly T[]): T | undefined {
  const members = available.filter((model) =>
    namesOf(model).some((name) => name.split('-').includes(family)),
  );
  return members.reduce<T | undefined>(
    (best, model) => (best && compare(versionOf(best), versionOf(model)) >= 0 ? best : model),
    undefined,
  );
}

/** The numbers in a model's name, in order and without dates. */
function versionOf(model: NamedModel): readonly number[] {
  return (ownName(model).match(/\d+/g) ?? []).filter((digits) => digits.length < 4).map(Number);
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function plain(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
