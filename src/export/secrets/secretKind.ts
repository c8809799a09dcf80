import type { SecretRow } from './secretRow.js';

/** The kinds of rows whose name does not say it in few words; several rows may find one kind. */
const KINDS: Readonly<Record<string, string>> = {
  'private part of a JSON web key': 'private-key',
  'other schemes of authorization': 'authorization',
  'signature of a request': 'request-signature',
  cookies: 'cookie',
  'quoted value of a name': 'named-value',
  'value of an environment variable': 'environment-variable',
  'value of a name': 'named-value',
  'long random value of a key': 'named-value',
  'element of XML': 'named-value',
  'password without digits': 'password',
  'password of letters and a mark': 'password',
  'password in SQL': 'password',
  'option with a password': 'password',
  'arguments of commands with passwords': 'password',
  'password of curl': 'password',
  'password in a URL': 'password',
  'password in an encoded URL': 'password',
  'token in a URL': 'password',
  'words of a command': 'password',
  'secret access key of AWS in prose': 'aws-secret-key',
  '.netrc': 'password',
  '.pgpass': 'password',
  'auth of Docker and npm': 'registry-auth',
  'data of a Kubernetes secret': 'kubernetes-secret',
  'OpenAI, Anthropic, OpenRouter, DeepSeek, Langfuse': 'model-key',
  'GitHub fine-grained token': 'github-token',
  'Bitbucket and Atlassian': 'atlassian-token',
  'Snyk, Prefect, ReadMe, Typeform': 'service-key',
  'AWS key id': 'aws-key',
  'Linode, Hetzner and others with secret-token': 'secret-token',
  'Facebook, Instagram, Square': 'facebook-token',
  'Shippo, Duffel, Lob, EasyPost and others with live and test keys': 'live-key',
  'PayPal and Braintree': 'paypal-token',
  'JSON web token': 'jwt',
  'Notion, older': 'notion-key',
  'Base64 of a JSON key (Grafana, older)': 'grafana-key',
  'Base64 of a private key': 'private-key',
  'extended private key of a wallet': 'wallet-key',
  'address of a webhook': 'webhook',
  'signature of a shared address': 'address-signature',
  'hash of a password': 'password-hash',
};

/** The kind of secret that a row finds, as placeholders and decisions name it: lower case, digits and hyphens. */
export function kindOf({ name, kind }: Pick<SecretRow, 'name' | 'kind'>): string {
  const known = kind ?? KINDS[name];
  if (known !== undefined) return known;
  const slug = slugOf(name);
  return /key|token|secret|webhook|runner/.test(slug) ? slug : `${slug}-key`;
}

/** A name in lower case letters, digits and hyphens; `own` where nothing of it is left. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'own' : slug;
}
