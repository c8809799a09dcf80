import { BASE58, Draw, HEX, LOWER, UPPER } from './draw.js';

/** A text, and what of it is a secret. */
export interface Hidden {
  readonly kind: string;
  readonly text: string;
  readonly secret: string;
}

const PASSWORDS = [
  ['German', 'Das Passwort lautet', 'Kennwort'],
  ['French', 'Le mot de passe est', 'Mot de passe'],
  ['Spanish', 'La contraseña es', 'Contraseña'],
  ['Italian', 'La parola d’ordine è', 'Parola d’accesso'],
  ['Portuguese', 'A senha é', 'Senha'],
  ['Dutch', 'Het wachtwoord is', 'Wachtwoord'],
  ['Polish', 'Hasło to', 'Hasło'],
  ['Swedish', 'Lösenordet är', 'Lösenord'],
  ['Russian', 'Пароль такой —', 'Пароль'],
  ['Japanese', 'パスワードは', 'パスワード'],
  ['Chinese', '密码是', '密码'],
  ['Korean', '비밀번호는', '비밀번호'],
  ['Turkish', 'Şifre şudur', 'Şifre'],
  ['Czech', 'Heslo je', 'Heslo'],
] as const;

/** Secrets of kinds that nothing in the table was written for by name, in the forms in which they come. */
export function secrets(seed: number): readonly Hidden[] {
  const draw = new Draw(seed);
  const found: Hidden[] = [];
  const add = (kind: string, secret: string, text: (secret: string) => string) =>
    found.push({ kind, secret, text: text(secret) });

  // What addresses carry.
  add(
    'Azure function code',
    `${draw.key(52)}AzFu${draw.key(8)}==`,
    (s) => `https://shop.azurewebsites.net/api/orders?code=${s}`,
  );
  add(
    'function code, older',
    `${draw.key(54)}==`,
    (s) => `curl "https://a.azurewebsites.net/api/x?code=${s}&clientId=default"`,
  );
  add(
    'SAS',
    draw.key(43),
    (s) => `https://a.blob.core.windows.net/c/f.txt?sv=2024-11-04&ss=b&srt=o&sp=r&se=2026-01-01&sig=${s}%3D`,
  );
  add(
    'logic app',
    draw.key(43),
    (s) =>
      `https://prod-12.westeurope.logic.azure.com:443/workflows/a/triggers/manual/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers&sv=1.0&sig=${s}`,
  );
  add(
    'signed URL of S3',
    draw.of(HEX, 64),
    (s) => `https://b.s3.amazonaws.com/k?X-Amz-Credential=AKIAx&X-Amz-Signature=${s}`,
  );
  add(
    'signed URL of GCS',
    draw.of(HEX, 128),
    (s) => `https://storage.googleapis.com/b/o?X-Goog-Signature=${s}`,
  );
  add('access_token in a query', draw.key(40), (s) => `GET /me?fields=id&access_token=${s} HTTP/1.1`);
  add('api_key in a query', draw.key(32), (s) => `https://api.example.org/v1/q?api_key=${s}&n=1`);
  add('apikey in a query', draw.key(32), (s) => `https://api.example.org/v1/q?apikey=${s}`);
  add('key in a query', draw.key(32), (s) => `https://maps.example.org/v1/q?key=${s}`);
  add(
    'webhook of Slack',
    `T${draw.key(9, UPPER)}/B${draw.key(9, UPPER)}/${draw.key(24)}`,
    (s) => `https://hooks.slack.com/services/${s}`,
  );
  add('webhook of Discord', draw.key(68), (s) => `https://discord.com/api/webhooks/1122334455667788990/${s}`);
  add(
    'webhook of Teams',
    draw.of(HEX, 32),
    (s) =>
      `https://acme.webhook.office.com/webhookb2/${draw.uuid()}@${draw.uuid()}/IncomingWebhook/${s}/${draw.uuid()}`,
  );
  add('webhook of Zapier', draw.key(7, LOWER), (s) => `https://hooks.zapier.com/hooks/catch/1234567/${s}/`);
  add(
    'password reset',
    draw.key(48),
    (s) => `Open https://app.example.org/reset-password?token=${s} within an hour.`,
  );
  add('magic link', draw.key(40), (s) => `https://app.example.org/login/magic/${s}`);
  add('invitation', draw.key(32), (s) => `https://app.example.org/invite?invite_token=${s}`);
  add(
    'code of OAuth',
    `4/0A${draw.key(60)}`,
    (s) => `http://localhost:8080/callback?state=x1&code=${s}&scope=email`,
  );
  add(
    'client_secret in a form',
    draw.key(40),
    (s) => `grant_type=client_credentials&client_id=web&client_secret=${s}`,
  );
  add('refresh_token in a form', draw.key(44), (s) => `grant_type=refresh_token&refresh_token=${s}`);
  add(
    'fragment of OAuth',
    draw.key(60),
    (s) => `https://app.example.org/#access_token=${s}&token_type=bearer`,
  );
  add('DSN of Sentry', draw.of(HEX, 32), (s) => `SENTRY_DSN=https://${s}@o1234.ingest.sentry.io/42`);
  add('AMQP', draw.key(20), (s) => `amqps://app:${s}@mq.example.org/vhost`);
  add('redis without a user', draw.key(24), (s) => `REDIS_URL=rediss://:${s}@cache.example.org:6380/0`);
  add('JDBC', draw.key(16), (s) => `jdbc:postgresql://db/shop?user=app&password=${s}`);
  add(
    'JDBC of SQL Server',
    draw.key(16),
    (s) => `jdbc:sqlserver://db;databaseName=shop;user=sa;password=${s};`,
  );
  add('ADO.NET', draw.key(16), (s) => `Server=db;Database=shop;User Id=sa;Password=${s};Encrypt=true`);
  add('ADO.NET short', draw.key(16), (s) => `Data Source=db;Initial Catalog=shop;uid=sa;pwd=${s};`);
  add(
    'storage of Azure',
    `${draw.key(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=${s};EndpointSuffix=core.windows.net`,
  );
  add(
    'service bus',
    `${draw.key(43)}=`,
    (s) => `Endpoint=sb://a.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
  );
  add('Azure search', draw.key(52), (s) => `api-key: ${s}`);

  // Wallets.
  for (const count of [12, 15, 18, 24])
    add(`seed phrase of ${count}`, draw.words(count), (s) => `My seed phrase is: ${s}`);
  add('seed phrase alone', draw.words(12), (s) => s);
  add('seed phrase in JSON', draw.words(12), (s) => JSON.stringify({ mnemonic: s }));
  add('seed phrase in quotes', draw.words(24), (s) => `const wallet = Wallet.fromPhrase("${s}")`);
  add('WIF, short', draw.wif(true), (s) => `import ${s} into the wallet`);
  add('WIF, long', draw.wif(false), (s) => `bitcoin-cli importprivkey ${s}`);
  add('private key of Ethereum', `0x${draw.of(HEX, 64)}`, (s) => `PRIVATE_KEY=${s}`);
  add('private key of Ethereum in prose', `0x${draw.of(HEX, 64)}`, (s) => `the private key is ${s}`);
  add('xprv', `xprv9s21ZrQH143K${draw.key(96, BASE58)}`, (s) => `key: ${s}`);
  add('key of Solana', draw.key(88, BASE58), (s) => `solana private key: ${s}`);
  add('nsec', `nsec1${draw.key(58, LOWER)}`, (s) => `nostr key ${s}`);

  // Issuers.
  const issued: readonly (readonly [string, string])[] = [
    ['Anthropic', `sk-ant-api03-${draw.key(93)}AA`],
    ['Anthropic admin', `sk-ant-admin01-${draw.key(93)}AA`],
    ['Anthropic OAuth', `sk-ant-oat01-${draw.key(80)}AA`],
    ['OpenAI project', `sk-proj-${draw.key(74)}T3BlbkFJ${draw.key(74)}`],
    ['OpenAI service account', `sk-svcacct-${draw.key(60)}`],
    ['OpenAI admin', `sk-admin-${draw.key(60)}`],
    ['OpenRouter', `sk-or-v1-${draw.of(HEX, 64)}`],
    ['Mistral', draw.key(32)],
    ['Cohere', draw.key(40)],
    ['Together', `tgp_v1_${draw.key(43)}`],
    ['Cerebras', `csk-${draw.key(48, LOWER)}`],
    ['Voyage', `pa-${draw.key(43)}`],
    ['ElevenLabs', `sk_${draw.of(HEX, 48)}`],
    ['Exa', draw.uuid()],
    ['Firecrawl', `fc-${draw.of(HEX, 32)}`],
    ['E2B', `e2b_${draw.of(HEX, 40)}`],
    ['Daytona', `dtn_${draw.of(HEX, 64)}`],
    ['Modal', `as-${draw.key(22)}`],
    ['Baseten', `${draw.key(8)}.${draw.key(32)}`],
    ['Letta', `sk-let-${draw.key(60)}`],
    ['LiteLLM', `sk-${draw.key(22)}`],
    ['Braintrust', `sk-${draw.key(48)}`],
    [
      'Helicone',
      `sk-helicone-${draw.key(7, LOWER)}-${draw.key(7, LOWER)}-${draw.key(7, LOWER)}-${draw.key(7, LOWER)}`,
    ],
    ['Composio', `ak_${draw.key(20)}`],
    ['Smithery', draw.uuid()],
    ['Langfuse', `sk-lf-${draw.uuid()}`],
    ['GitHub user to server', `ghu_${draw.key(36)}`],
    ['GitHub refresh', `ghr_${draw.key(76)}`],
    ['GitLab deploy', `gldt-${draw.key(20)}`],
    ['GitLab routable', `glpat-${draw.key(27)}.0${draw.key(9, LOWER)}`],
    ['Bitbucket app', `ATBB${draw.key(32)}`],
    ['Atlassian', `ATATT3xFfGF0${draw.key(180)}`],
    ['Forgejo', draw.of(HEX, 40)],
    ['crates.io', `cio${draw.key(32)}`],
    ['Docker', `dckr_pat_${draw.key(27)}`],
    ['Hex', draw.of(HEX, 32)],
    ['Cloudflare', `v1.0-${draw.of(HEX, 24)}-${draw.of(HEX, 146)}`],
    ['Cloudflare token', draw.key(40)],
    ['Cloudflare user', `cfut_${draw.key(40)}`],
    ['Neon', `napi_${draw.key(64, LOWER)}`],
    ['Turso', `eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.${draw.key(80)}.${draw.key(86)}`],
    ['Upstash', `A${draw.key(55)}`],
    ['Railway', draw.uuid()],
    ['Fly', `FlyV1 fm2_${draw.key(120)}`],
    ['Convex', `prod:happy-otter-123|${draw.key(80)}`],
    ['Clerk', `sk_live_${draw.key(40)}`],
    ['WorkOS', `sk_live_${draw.key(60)}`],
    ['Stytch', `secret-live-${draw.key(36)}`],
    ['Auth0', draw.key(64)],
    ['Okta', `00${draw.key(40)}`],
    ['Datadog', draw.of(HEX, 32)],
    ['Honeycomb', `hcaik_${draw.key(58, LOWER)}`],
    ['Axiom', `xaat-${draw.uuid()}`],
    ['Grafana cloud', `glc_${draw.key(80)}`],
    ['Checkly', `cu_${draw.of(HEX, 32)}`],
    ['PagerDuty', `u+${draw.key(18)}`],
    ['Twilio', `SK${draw.of(HEX, 32)}`],
    ['Plivo', draw.key(40)],
    ['Postmark', draw.uuid()],
    ['Loops', draw.of(HEX, 32)],
    ['Knock', `sk_${draw.key(43)}`],
    ['Lemon Squeezy', `eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiJ9.${draw.key(90)}.${draw.key(340)}`],
    ['Paddle', `pdl_live_apikey_01${draw.key(24, LOWER)}_${draw.key(22)}_${draw.key(3)}`],
    ['Polar', `polar_oat_${draw.key(43)}`],
    ['Adyen', `AQE${draw.key(100)}`],
    ['Plaid', draw.of(HEX, 30)],
    ['Mapbox', `sk.eyJ1Ijoi${draw.key(60)}.${draw.key(22)}`],
    ['Algolia', draw.of(HEX, 32)],
    ['Sanity', `sk${draw.key(178)}`],
    ['Storyblok', draw.key(24)],
    ['Webflow', draw.of(HEX, 64)],
    ['Asana', `2/1200000000000000/1200000000000001:${draw.of(HEX, 32)}`],
    ['ClickUp', `pk_12345678_${draw.key(32, UPPER)}`],
    ['Monday', `eyJhbGciOiJIUzI1NiJ9.${draw.key(120)}.${draw.key(43)}`],
    ['Todoist', draw.of(HEX, 40)],
    ['Zendesk', draw.key(40)],
    ['Intercom', `dG9rO${draw.key(55)}=`],
    ['Segment', draw.key(32)],
    ['Amplitude', draw.of(HEX, 32)],
    ['Mux', draw.key(75)],
    ['Tailscale OAuth', `tskey-client-${draw.key(12)}CNTRL-${draw.key(32)}`],
    ['Ngrok', `2${draw.key(26)}_${draw.key(21)}`],
    ['Vault batch', `hvb.${draw.key(120)}`],
    ['Nomad', draw.uuid()],
    ['Infisical', `st.${draw.of(HEX, 24)}.${draw.of(HEX, 32)}.${draw.of(HEX, 32)}`],
    ['Bitwarden', `0.${draw.uuid()}.${draw.key(30)}:${draw.key(22)}==`],
    ['1Password', `ops_eyJ${draw.key(300)}`],
    ['Gemini', `AIzaSy${draw.key(33)}`],
    ['Gemini, newer', `AQ.Ab8R${draw.key(46)}`],
    ['Azure OpenAI', draw.key(84)],
    ['Volcengine', draw.uuid()],
    ['Moonshot', `sk-${draw.key(48)}`],
    ['Zhipu', `${draw.of(HEX, 32)}.${draw.key(16)}`],
  ];
  const names: Readonly<Record<string, string>> = {};
  const settings = [
    (name: string, s: string) => `${name.toUpperCase().replace(/\W+/g, '_')}_API_KEY=${s}`,
    (name: string, s: string) => `{"${name.toLowerCase().replace(/\W+/g, '_')}_api_key": "${s}"}`,
    (name: string, s: string) => `export ${name.toUpperCase().replace(/\W+/g, '_')}_TOKEN='${s}'`,
    (_name: string, s: string) => `curl -H "x-api-key: ${s}" https://api.example.org`,
    (_name: string, s: string) => `client = Client(api_key="${s}")`,
  ];
  issued.forEach(([name, key], at) => {
    const isShaped =
      /^[A-Za-z]{2,12}[-_.]|^AIza|^AQ\.|^ATBB|^cio|^ATATT|^FlyV1|^A3T|^0\.|^eyJ/.test(key) &&
      !/^[0-9a-f]{8}-/.test(key);
    const form = settings[at % settings.length] ?? settings[0]!;
    add(
      name,
      key,
      isShaped && at % 2 === 0
        ? (s) => `I put ${s} into the settings of ${names[name] ?? name}.`
        : (s) => form(name, s),
    );
  });

  // Sessions, codes, cards.
  add('PHP session', draw.key(26, LOWER), (s) => `Cookie: PHPSESSID=${s}; lang=de`);
  add('Java session', draw.key(32, HEX.toUpperCase()), (s) => `;jsessionid=${s}`);
  add('JSESSIONID', draw.key(32, HEX.toUpperCase()), (s) => `JSESSIONID=${s}`);
  add('ASP.NET session', draw.key(24, LOWER), (s) => `ASP.NET_SessionId=${s}`);
  add('connect.sid', `s%3A${draw.key(32)}.${draw.key(43)}`, (s) => `connect.sid=${s}`);
  add('Django session', draw.key(32, LOWER), (s) => `Cookie: csrftoken=x; sessionid=${s}`);
  add('Laravel session', `eyJpdiI6${draw.key(180)}`, (s) => `laravel_session=${s}`);
  add(
    'session of NextAuth',
    `eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..${draw.key(16)}.${draw.key(80)}.${draw.key(22)}`,
    (s) => `__Secure-next-auth.session-token=${s}`,
  );
  add('session id in JSON', draw.key(40), (s) => JSON.stringify({ session_id: s, user: 7 }));
  add('session key', `sk-ant-sid01-${draw.key(80)}`, (s) => `sessionKey=${s}`);
  add('csrf', draw.key(64), (s) => `X-CSRF-Token: ${s}`);
  add(
    'recovery codes of GitHub',
    `${draw.of(HEX, 5)}-${draw.of(HEX, 5)}`,
    (s) => `Your recovery codes:\n${s}\n${draw.of(HEX, 5)}-${draw.of(HEX, 5)}\n`,
  );
  add(
    'backup codes',
    `${draw.of('0123456789', 4)} ${draw.of('0123456789', 4)}`,
    (s) => `Backup codes for 2FA:\n1. ${s}\n2. ${draw.of('0123456789', 4)} ${draw.of('0123456789', 4)}`,
  );
  add(
    'backup codes in a row',
    draw.of('0123456789', 8),
    (s) => `backup codes: ${s}, ${draw.of('0123456789', 8)}, ${draw.of('0123456789', 8)}`,
  );
  add(
    'recovery key of BitLocker',
    Array.from({ length: 8 }, () => draw.of('0123456789', 6)).join('-'),
    (s) => `Recovery Key: ${s}`,
  );
  add(
    'recovery key of FileVault',
    Array.from({ length: 6 }, () => draw.key(4, UPPER)).join('-'),
    (s) => `Your recovery key is ${s}`,
  );
  add('secret of TOTP', draw.key(32, UPPER), (s) => `otpauth://totp/Acme:me?secret=${s}&issuer=Acme`);
  add(
    'secret of TOTP in prose',
    Array.from({ length: 4 }, () => draw.key(4, UPPER)).join(' '),
    (s) => `Enter this setup key in your authenticator: ${s}`,
  );
  add('one-time code', draw.of('0123456789', 6), (s) => `Your verification code is ${s}.`);
  add('PIN', draw.of('0123456789', 4), (s) => `PIN: ${s}`);
  add('PIN in German', draw.of('0123456789', 6), (s) => `Die PIN lautet ${s}`);
  add('PUK', draw.of('0123456789', 8), (s) => `PUK: ${s}`);
  add('CVV', draw.of('0123456789', 3), (s) => `card 4929 …, CVV: ${s}`);
  for (const [brand, prefix, length] of [
    ['Visa', '4929', 16],
    ['Mastercard', '5412', 16],
    ['Amex', '3742', 15],
    ['Discover', '6011', 16],
    ['JCB', '3530', 16],
  ] as const) {
    const card = draw.card(prefix, length);
    add(`${brand} card`, card, (s) => `The card is ${s}, valid till 12/29.`);
    const spaced =
      length === 15
        ? `${card.slice(0, 4)} ${card.slice(4, 10)} ${card.slice(10)}`
        : (card.match(/.{4}/g) ?? []).join(' ');
    add(`${brand} card with spaces`, spaced, (s) => `card number ${s}`);
    add(`${brand} card with hyphens`, spaced.replaceAll(' ', '-'), (s) => `pay with ${s} please`);
  }

  // Passwords in words.
  for (const [language, says, name] of PASSWORDS) {
    add(`password in ${language}`, draw.key(11), (s) => `${says} ${s}`);
    add(`field of a password in ${language}`, draw.key(10), (s) => `${name}: ${s}`);
  }
  add('password in English', draw.key(11), (s) => `the password is ${s}`);
  add('password with signs', `${draw.key(6)}!#${draw.key(4)}`, (s) => `password: ${s}`);
  add('wifi', draw.key(12), (s) => `WIFI:T:WPA;S:home;P:${s};;`);
  add('login and password', draw.key(10), (s) => `login: anna / password: ${s}`);

  // Ways of writing.
  const token = () => `ghp_${draw.key(36)}`;
  const written: readonly (readonly [string, (s: string) => string, boolean?])[] = [
    ['wrapped at 64', (s) => `${'-'.repeat(40)} token: ${s.slice(0, 16)}\n${s.slice(16)} end`],
    ['wrapped with an indent', (s) => `    export TOKEN_OF_CI=${s.slice(0, 20)}\n    ${s.slice(20)}\n`],
    ['wrapped by a shell', (s) => `gh auth login --with-token ${s.slice(0, 20)}\\\n${s.slice(20)}`],
    [
      'quoted in a mail',
      (s) => `> the token of the pipeline that builds it is ${s.slice(0, 14)}\n> ${s.slice(14)} and so on`,
    ],
    ['zero-width spaces', (s) => `use ${s.slice(0, 9)}\u200b${s.slice(9)} now`],
    ['word joiners', (s) => `use ${[...s].join('\u2060')} now`],
    ['byte order marks', (s) => `use ${s.slice(0, 6)}\ufeff${s.slice(6)} now`],
    [
      'JSON escapes',
      (s) => `{"a":"${[...s].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`,
    ],
    ['one JSON escape', (s) => `{"a":"${s.replace('_', '\\u005f')}"}`],
    ['HTML escapes', (s) => `<code>${[...s].map((c) => `&#${c.charCodeAt(0)};`).join('')}</code>`],
    [
      'HTML escapes, hexadecimal',
      (s) => `<code>${[...s].map((c) => `&#x${c.charCodeAt(0).toString(16)};`).join('')}</code>`,
    ],
    [
      'URL escapes',
      (s) => `https://x.example/?q=${[...s].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('')}`,
    ],
    ['byte escapes', (s) => `b'${[...s].map((c) => `\\x${c.charCodeAt(0).toString(16)}`).join('')}'`],
    ['brace escapes', (s) => `"${s.replace('_', '\\u{5f}')}"`],
    ['octal escapes', (s) => `printf '${s.replace('_', '\\137')}'`],
    ['Base64', (s) => `echo ${Buffer.from(s).toString('base64')} | base64 -d`],
    ['fullwidth', (s) => `use ${s.replace('_', '\uff3f')} now`],
    ['bold in Markdown', (s) => `use **${s}** now`],
    ['concatenated', (s) => `const t = "${s.slice(0, 18)}" + "${s.slice(18)}";`],
    ['terminal colours', (s) => `use \u001b[31m${s.slice(0, 12)}\u001b[0m${s.slice(12)} now`],
  ];
  for (const [form, write] of written) {
    const secret = token();
    const text = write(secret);
    // What is left of it must not be readable: half of it in a row, as it is written there.
    const tail =
      [secret.slice(-14), write(secret).slice(-24, -10)].find((part) => text.includes(part)) ?? secret;
    found.push({ kind: form, secret: tail, text });
  }
  return found;
}
