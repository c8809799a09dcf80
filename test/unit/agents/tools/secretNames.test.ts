import { describe, expect, test } from 'vitest';
import { readRule } from '../../../../src/agents/tools/paths/protectedPaths.js';
import { secretNameRules } from '../../../../src/agents/tools/paths/secretNames.js';
import { deny, toolWorkspace } from './toolHarness.js';

const asks = (path: string) => readRule({ relative: path }) !== undefined;

describe.each(secretNameRules)('$family', ({ examples, counterExamples }) => {
  test.each(examples)('%s asks before it is read', (path) => expect(asks(path)).toBe(true));
  test.each(counterExamples)('%s is read without a question', (path) => expect(asks(path)).toBe(false));
});

test('every family has examples of its own, which no other family makes ask', () => {
  for (const { family, pattern, examples, counterExamples } of secretNameRules) {
    expect([family, examples.length >= 3, counterExamples.length >= 3]).toEqual([family, true, true]);
    const own = examples.filter((path) => pattern.test(`/${path.toLowerCase()}`));
    expect([family, own]).toEqual([family, examples]);
  }
});

/** Names of files that hold secrets, as they are found in projects and home folders; none is from the table above. */
const held = (
  '.env.staging apps/web/.env .env.development.local production.env .aws/config .azure/accessTokens.json .kube/cache/x ' +
  '.docker/config.json .gnupg/private-keys-v1.d/a.key .ssh/known_hosts .ssh/id_ecdsa sub/id_dsa github_rsa host.pem tls.key ' +
  'client.p12 store.jks debug.keystore vault.kdbx secring.gpg mail.asc .netrc _netrc .authinfo .pypirc .yarnrc.yml ' +
  '.git-credentials .htpasswd .pgpass .my.cnf .boto .s3cfg .sentryclirc .vault_pass .databrickscfg credentials.toml ' +
  'aws-credentials.txt azure_credentials.json db.credentials gcp-credentials.yaml credentials.xml client_secret_1.apps.json ' +
  'my-project-firebase-adminsdk-abc.json service_account.json sa.key kubeconfig.yml staging.kubeconfig token.yaml auth-token.txt ' +
  'slack_token.txt refresh_token github_token access-token.yml password.txt passwords.csv root-password.txt passwd ' +
  'wifi_passwords.txt secrets.toml secret.txt app-secrets.yml secrets.production.json secrets/api secrets/tls.json ' +
  'credentials/google.json terraform.tfvars state.tfstate .terraform/terraform.tfstate appsettings.Staging.json ' +
  'application-production.properties wp-config.php .m2/settings.xml .gradle/gradle.properties .cargo/credentials.toml ' +
  '.gem/credentials composer/auth.json .config/gh/hosts.yml .config/gcloud/credentials.db .mysql_history .python_history ' +
  'cookies.sqlite logins.json wallet.dat .env.bak id_rsa.old credentials.json~ .env.save .npmrc.bak apikey.txt openai_key.txt ' +
  'private.key private_key.pem ssh-key deploy-key rootkey.csv database.yml master.key local_settings.py recovery-codes.txt ' +
  'AuthKey_ABC123.p8 .dev.vars .claude/.credentials.json .codex/auth.json'
).split(' ');

test('of a hundred names that hold secrets, each asks', () => {
  expect(held.filter((path) => !asks(path))).toEqual([]);
  expect(new Set(held).size).toBeGreaterThanOrEqual(100);
});

/** Files of ordinary projects that agents read all day. */
const ordinary = (
  'README.md package.json tsconfig.json src/index.ts src/auth/login.ts src/auth/token.ts src/auth/password.ts lib/keys.js ' +
  'src/agents/models/credential.rb app/models/api_key.rb internal/secrets/secrets_test.go docs/secrets.md docs/api-keys.md ' +
  'docs/passwords.md src/env.ts config/environment.ts .env.example .env.sample env.d.ts vite-env.d.ts secrets.example.yaml ' +
  'credentials.json.example .gitignore .dockerignore .editorconfig Dockerfile docker-compose.yml Makefile go.mod Cargo.toml ' +
  'pom.xml build.gradle settings.gradle gradle.properties settings.xml web.config appsettings.json application.yml ' +
  'application-test.yml main.tf variables.tf outputs.tf k8s/deployment.yaml k8s/service.yaml kustomization.yaml values.yaml ' +
  '.github/workflows/ci.yml .vscode/settings.json design-tokens.json src/styles/tokens.css tokenizer.json tokenizer_config.json ' +
  'vocab.json keyboard.json keymap.json keybindings.json locales/en.json src/passport.ts passenger.json compass.json login.tsx ' +
  'pages/login.html password-reset.md shadow.css id_rsa.pub server.crt ca.cer history.md CHANGELOG.md cookies.ts seed.ts ' +
  'db/seeds.rb schema.sql migrations/001_add_token.sql src/monkey.py turkey.txt hockey.csv keynote.md pinned.json pins.ts ' +
  'src/client.json accounts.json users.csv data.json notes.txt report.xml index.html style.css logo.svg yarn.lock ' +
  'package-lock.json __tests__/secret.test.tsx src/secretSanta.ts spec/credentials_spec.rb'
).split(' ');

test('of the files of ordinary projects none asks', () => {
  expect(ordinary.filter(asks)).toEqual([]);
  expect(new Set(ordinary).size).toBeGreaterThanOrEqual(90);
});

test('the names of the table count for the tool and for commands alike', async () => {
  const { call } = await toolWorkspace({ 'keys/google-credentials.json': '{}', 'secrets/db': 'x' });
  for (const path of ['keys/google-credentials.json', 'secrets/db']) {
    const read = await call('read_file', { path }, { decide: deny() });
    const shown = await call('run_command', { command: `cat ${path}` }, { decide: deny() });
    for (const { asked } of [read, shown])
      expect(asked[0]?.askReason).toContain('may hold keys or passwords');
  }
});

test('a word of a command that no file has is no secret', async () => {
  const { call, put } = await toolWorkspace({ 'package.json': '{}' });
  const whyOf = async (command: string) =>
    (await call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
  const command = 'git commit -m "fix the api_key, token and password"; npm run login -- key';
  expect(await whyOf(command)).toBeUndefined();
  expect(await whyOf('cp token copy')).toBeUndefined();
  await put('token', 'x');
  expect(await whyOf('cp token copy')).toContain('may hold keys or passwords');
});
