/** One family of names that hold keys or passwords. */
export interface SecretNameRule {
  /** What the family is, for whoever reads this table. */
  readonly family: string;
  /** Whether names of it without an ending or a folder are ordinary words, too: `token`, `api_key`. */
  readonly ordinaryWords?: true;
  /** Matches a path of folded names that begins with `/`: `/sub/.env`. */
  readonly pattern: RegExp;
  /** Paths that it means, and others that look alike and are nobody's secret. A test runs over both. */
  readonly examples: readonly string[];
  readonly counterExamples: readonly string[];
}

/** Formats in which secrets are kept; a name with another ending is mostly source code or prose about them. */
const DATA = String.raw`(json|jsonc|json5|ya?ml|toml|ini|cfg|conf|config|properties|env|txt|text|csv|tsv|xml|plist|log|dat|db|b64|enc|sops|pickle|pkl|zip)`;
/** Between the words of a name. */
const SEP = '[._ -]';

const list = (text: string) => text.split(' ');
const paths = (pattern: string) => new RegExp(pattern);

/** The names by which secrets are recognised, a family at a time. */
export const secretNameRules: readonly SecretNameRule[] = [
  {
    family: 'variables of an environment',
    pattern: paths(
      String.raw`/(\.env([._-][^/]*)?|[^/]+\.env|\.envrc|\.dev\.vars[^/]*|\.flaskenv|env\.(local|prod|production)(\.[a-z]+)?)$`,
    ),
    examples: list(
      '.env .env.local .env.production .env-prod prod.env config/.ENV .envrc .dev.vars .flaskenv .env_old',
    ),
    counterExamples: list(
      '.env.example .env.sample env.ts src/env.d.ts environment.ts vite-env.d.ts .environment.md',
    ),
  },
  {
    family: 'folders of programs that sign in',
    pattern: paths(
      String.raw`/\.(ssh|gnupg|aws|azure|kube|docker|password-store|gcloud|oci|bluemix|minikube|putty|chef|step|terraform\.d|vault\.d|ngrok2?|cloudflared|electrum|bitcoin|ethereum|gem/credentials|bundle/config|cargo/credentials|subversion/auth|mozilla|thunderbird|purple|remmina)(/|$)`,
    ),
    examples: list(
      '.ssh/config .aws/credentials .kube/config .docker/config.json .gnupg/secring .oci/config .bundle/config .terraform.d/x',
    ),
    counterExamples: list('docker/config.json aws/main.tf src/ssh/client.ts .bundle/plugin .dockerignore'),
  },
  {
    family: 'settings of programs that sign in, below .config',
    pattern: paths(
      String.raw`/\.config/(gcloud|gh|hub|op|doctl|rclone|containers|github-copilot|configstore|netlify|stripe|heroku|filezilla|glab-cli|fly|vercel|1password|bitwarden[^/]*|google-chrome[^/]*|chromium)/`,
    ),
    examples: list('.config/gh/hosts.yml .config/gcloud/access_tokens.db .config/rclone/rclone.conf'),
    counterExamples: list('.config/nvim/init.lua .config/mise/config.toml config/gh/hosts.yml'),
  },
  {
    family: 'what a program signs in with, in a file of its own',
    pattern: paths(
      String.raw`/(\.netrc|_netrc|\.authinfo(\.gpg)?|\.npmrc|\.yarnrc\.yml|\.pypirc|\.?pip\.conf|pip\.ini|\.condarc|\.s3cfg|\.boto|\.databrickscfg|\.sentryclirc|sentry\.properties|\.clasprc\.json|\.git-credentials|\.gitcookies|\.dockercfg|\.dockerconfigjson|\.vault-(token|password)|\.?vault[_-]pass(word)?(\.(txt|ya?ml))?|\.snowsql|\.rediscli_auth|\.msmtprc|\.fetchmailrc|\.offlineimaprc|\.mbsyncrc|\.smbcredentials|\.ftpconfig|\.wakatime\.cfg|\.trino-password|\.heroku-netrc|\.ldaprc|\.tugboat|\.fly\.io|\.openai|\.claude\.json|hosts\.yml\.token)$`,
    ),
    examples: list(
      '.netrc .npmrc .pypirc pip.conf .git-credentials .dockercfg .vault-token vault_pass.txt .s3cfg .msmtprc .dockerconfigjson',
    ),
    counterExamples: list('npmrc.md .gitconfig .dockerignore src/netrc.ts vault.go'),
  },
  {
    family: 'settings of package managers that sign in',
    pattern: paths(
      String.raw`/(\.m2/settings(-security)?\.xml|settings-security\.xml|\.gradle/gradle\.properties|\.gem/credentials|composer/auth\.json|auth\.json|\.nuget/nuget\.config|\.ivy2/\.credentials|\.sbt/[^/]*credentials[^/]*)$`,
    ),
    examples: list(
      '.m2/settings.xml home/.m2/settings-security.xml .gradle/gradle.properties auth.json .nuget/NuGet.Config',
    ),
    counterExamples: list('settings.xml gradle.properties src/auth.ts maven/settings.md nuget.config'),
  },
  {
    family: 'databases and what they sign in with',
    pattern: paths(
      String.raw`/(\.pgpass|pgpass\.conf|\.my(login)?\.cnf|\.mysql\.cnf|database\.yml|\.dbshell|\.cqlshrc|\.mongorc\.js|\.mongoshrc\.js|datasources\.local\.xml|webservers\.xml|tnsnames\.ora)$`,
    ),
    examples: list(
      '.pgpass .my.cnf .mylogin.cnf config/database.yml pgpass.conf .idea/dataSources.local.xml',
    ),
    counterExamples: list('database.ts my.cnf.md .pgpassage schema.sql'),
  },
  {
    family: 'accounts of a system',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/(\.?htpasswd|\.?htdigest|passwd-?|shadow-?|gshadow-?|master\.passwd|sudoers|(chap|pap|ipsec)[.-]secrets|wpa_supplicant[^/]*\.conf|[^/]+\.nmconnection|wg\d+\.conf|krb5cc_[^/]*)$`,
    ),
    examples: list(
      '.htpasswd etc/shadow etc/passwd htdigest ipsec.secrets wg0.conf wpa_supplicant.conf home.nmconnection',
    ),
    counterExamples: list('shadow.css passwd.c box-shadow.ts htpasswd.md wg.conf.ts'),
  },
  {
    family: 'private keys and stores of keys',
    pattern: paths(
      String.raw`\.(pem|key|priv|p12|pfx|p8|jks|jceks|bks|keystore|kdbx?|ppk|asc|gpg|ovpn|rdp|keytab|pkcs(7|8|12)|agekey|age|keychain(-db)?|1pif|opvault|agilekeychain|psafe3|kwallet|wallet|snk)$`,
    ),
    examples: list(
      'key.pem server.key cert.p12 app.keystore ids.kdbx putty.ppk home.ovpn krb5.keytab signing.pfx AuthKey.p8 office.rdp',
    ),
    counterExamples: list('cert.crt server.cer id_rsa.pub src/key.ts keystore.md app.keys.ts'),
  },
  {
    family: 'private keys without an ending',
    pattern: paths(
      String.raw`/((id|ssh_host|[^/]*[a-z0-9][_-])_?(rsa|dsa|ecdsa|ed25519)(_sk)?(_key)?|identity|(ssh|deploy|private|priv|signing|secret|encryption|master|host)[_-]?keys?(\.${DATA})?|secring|pubring\.kbx|utc--[^/]+)$`,
    ),
    examples: list(
      'id_rsa deploy_rsa id_ed25519_sk ssh_host_rsa_key deploy_key private_key.txt private-key.json signing-key privatekey.txt',
    ),
    counterExamples: list('id_rsa.pub private_key.ts deploy-keys.md identity.ts src/signing_key.go'),
  },
  {
    family: 'keys to interfaces',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/\.?(([a-z0-9]+${SEP})*(api|access|root|aws|gcp|azure|openai|anthropic|github|gitlab|stripe|service|sa|account|license|client|app|ssh|gpg|age)${SEP}?)?keys?(file)?(\.${DATA})?$`,
    ),
    examples: list(
      'api_key.txt apikeys.json .api-key rootkey.csv accessKeys.csv aws_keys.txt gcp-key.json keyfile.json keys.txt key.properties sa-key.json .keys',
    ),
    counterExamples: list('src/keys.ts keys.md keyboard.json keymap.json api-keys.md keyframes.css'),
  },
  {
    family: 'tokens',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/\.?(([a-z0-9]+${SEP})*(access|refresh|auth|api|bearer|bot|github|gitlab|gitea|npm|pypi|slack|discord|telegram|oauth2?|id|jwt|session|deploy|service|user|login|secret|personal|pat|ci|cloud|vault|device|push|csrf|sonar|hf|huggingface)${SEP}?)?tokens?(\.${DATA})?$`,
    ),
    examples: list(
      'token.txt token.json tokens.json .token access_token.json github-token.txt auth.token.json .api-tokens npm-token oauth_token.yaml my-bot-token.txt',
    ),
    counterExamples: list(
      'src/token.ts design-tokens.json tokens.css tokenizer.json token.md tokens.scss tokenize.py',
    ),
  },
  {
    family: 'passwords',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/\.?([a-z0-9]+${SEP})*(pass(words?|wd|phrases?|codes?)?|pwds?|logins?|pins?)(${SEP}(list|file|backup|export|old|new|prod|dev|db))?(\.${DATA})?$`,
    ),
    examples: list(
      'passwords.txt password.json .password db-password.txt pass.txt logins.json passphrase.txt admin_passwords.csv passwords-backup.csv .passwd',
    ),
    counterExamples: list(
      'src/passwords.ts password-reset.md passport.json login.tsx password.html login.css reset-password.tsx',
    ),
  },
  {
    family: 'credentials',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/\.?([a-z0-9]+[._ @-])*(credentials?|creds?)([_ -][a-z0-9]+|\.[a-z0-9]+(?=\.))*(\.${DATA})?$`,
    ),
    examples: list(
      'credentials credentials.csv credentials.json .credentials.json google-credentials.json application_default_credentials.json gha-creds-1a2b.json creds.txt credentials.tfrc.json aws.credentials new_user_credentials.csv',
    ),
    counterExamples: list(
      'credentials.ts credentials.md src/credentials.go credential-helper.py credentials.test.ts',
    ),
  },
  {
    family: 'accounts of services and clients',
    pattern: paths(
      String.raw`/(([a-z0-9]+[._-])*service[-_]?accounts?[^/]*\.json|client[-_]?secrets?[^/]*\.json|[^/]*adminsdk[^/]*\.json|oauth2?([._-]client)?(\.keys)?\.json|[^/]*gserviceaccount[^/]*\.json|publishsettings|[^/]+\.publishsettings|[^/]+\.azureauth)$`,
    ),
    examples: list(
      'service-account-1.json serviceAccountKey.json prod-service_account.json client_secret.json client_secrets.json app-firebase-adminsdk-x.json oauth.json',
    ),
    counterExamples: list('service-account.ts src/serviceAccounts/list.ts client.json oauth.ts account.json'),
  },
  {
    family: 'secrets by name',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/(\.?secrets?(\.(?!(mdx?|rst|html?)$)[a-z0-9]+)?|\.?([a-z0-9]+[._ -])*secrets?([._ -][a-z0-9]+)*\.${DATA}|[a-z0-9]+[._-]secrets?)$`,
    ),
    examples: list(
      'secrets.yaml secret.json .secrets prod-secrets.yaml secrets.prod.yml app_secret.txt my.secret config.secret.json secrets.py',
    ),
    counterExamples: list(
      'docs/secrets-handling.md secret-manager.ts src/secretStore.ts secretary.json redact-secrets.go',
    ),
  },
  {
    family: 'what stands in a folder for secrets, but for source code',
    pattern: paths(
      String.raw`/(\.?(secrets?|credentials?|creds|passwords|tokens|(private|ssh|api|gpg|age)[-_]?keys?|keyrings?|keystores?|keychains)|(certs?|certificates|tls|ssl|pki)/private)/(?![^/]*\.([cm]?[jt]sx?|go|rs|java|kts?|cs|py|rb|php|c|h|cc|cpp|hpp|swift|scala|ex|exs|vue|svelte|mdx?|rst|html?|s?css|less|snap|svg|png)$)[^/]+$`,
    ),
    examples: list(
      'secrets/db secrets/prod.json .secrets/x config/credentials/production.yml.enc private_keys/a ssl/private/site k8s/secrets/app.yaml .local/share/keyrings/login.keyring',
    ),
    counterExamples: list(
      'src/secrets/manager.ts secrets/README.md src/query/tokens/colors.css credentials/index.js ssl/public/site.crt',
    ),
  },
  {
    family: 'clusters',
    pattern: paths(
      String.raw`/(([a-z0-9]+[._-])*kube[-_]?config([_-][a-z0-9]+|\.[a-z0-9]+(?=\.))*(\.(ya?ml|json|conf))?|[^/]+\.kubeconfig|k3s\.ya?ml|talosconfig|kubernetes/admin\.conf)$`,
    ),
    examples: list(
      'kubeconfig kubeconfig.yaml prod-kubeconfig.yml kube_config kubeconfig-prod dev.kubeconfig k3s.yaml',
    ),
    counterExamples: list('kubeconfig.go kube.yaml kubernetes.yaml kustomization.yaml'),
  },
  {
    family: 'infrastructure',
    pattern: paths(
      String.raw`(\.tfvars(\.json)?|tfstate(\.[a-z0-9.]+)?|/vault\.ya?ml|/pulumi\.[a-z0-9-]+\.ya?ml|\.(pulumi|sops)\.ya?ml)$`,
    ),
    examples: list(
      'terraform.tfstate terraform.tfstate.backup prod.tfvars prod.auto.tfvars.json group_vars/all/vault.yml Pulumi.prod.yaml',
    ),
    counterExamples: list('main.tf variables.tf tfvars.md Pulumi.yaml vault.ts'),
  },
  {
    family: 'settings of applications where they run',
    pattern: paths(
      String.raw`/(appsettings\.[a-z0-9-]+\.json|local\.settings\.json|application-(?!test\b|example\b)[a-z0-9-]+\.(ya?ml|properties)|wp-config(-[a-z]+)?\.php|localsettings\.php|settings\.local\.php|local_settings\.py|parameters\.ya?ml|env\.php|config\.inc\.php|web\.release\.config|connectionstrings\.(json|config)|master\.key|secret_token\.rb|(keystore|signing|release-signing)\.properties|(http|rest)-client\.private\.env\.json|sftp(-config)?\.json|sitemanager\.xml|recentservers\.xml|winscp\.ini|ngrok\.ya?ml|wallet\.dat)$`,
    ),
    examples: list(
      'appsettings.Production.json local.settings.json application-prod.yml wp-config.php config/master.key local_settings.py .vscode/sftp.json keystore.properties LocalSettings.php',
    ),
    counterExamples: list(
      'appsettings.json application.yml application-test.yml wp-config.md settings.py web.config sftp.ts',
    ),
  },
  {
    family: 'what was typed, and what a browser keeps',
    ordinaryWords: true,
    pattern: paths(
      String.raw`/(\.[a-z_]+_history(-[a-z0-9]+)?|\.zhistory|\.histfile|fish_history|consolehost_history\.txt|\.viminfo|\.lesshst|cookies(\.(txt|sqlite|json|db))?|login data|key[34]\.db|web data|cookiejar(\.txt)?)$`,
    ),
    examples: list(
      '.bash_history .node_repl_history .zhistory cookies.txt cookies.sqlite key4.db ConsoleHost_history.txt',
    ),
    counterExamples: list('history.md cookies.ts src/history.json cookie-banner.json'),
  },
  {
    family: 'codes that bring an account or a wallet back',
    pattern: paths(
      String.raw`/([a-z0-9]+[._ -])*(seed([._ -]?phrase)?|mnemonics?|recovery[._ -]?(codes?|keys?|phrase)|backup[._ -]?codes?|2fa|totp|otp|(bitwarden|lastpass|1password|keepass|dashlane)[a-z0-9._ -]*export[^/.]*|(bitwarden|lastpass|1password|dashlane)[^/]*)\.(txt|json|csv|ya?ml|xml|pdf|dat)$`,
    ),
    examples: list(
      'seed.txt mnemonic.txt recovery-codes.txt github-recovery-codes.txt bitwarden_export_1.json lastpass_export.csv totp.json',
    ),
    counterExamples: list('seed.ts seeds.sql otp.go recovery.md seedling.txt'),
  },
];

/** Endings of copies that editors and people make. */
const copyEnding = /(~|\.(bak|backup|old|orig|save|saved|swp|swo|tmp|copy|disabled|\d{1,8}))+$/;

/** A name that ends so only shows what the real file looks like. */
const exampleEnding = /[._-](example|sample|template|dist|defaults|tpl|tmpl)(\.[a-z0-9]{1,10})?$/;

/**
 * Whether a path of these folded names may lead to keys or passwords. `isWord`: it is a word that may be no path at all,
 * like one of a command or of a tool's arguments; `token` alone says nothing then.
 */
export function namesSecret(names: readonly string[], isWord = false): boolean {
  const file = names.at(-1) ?? '';
  const original = file.replace(copyEnding, '');
  const folder = names.slice(0, -1).map((name) => `/${name}`);
  // Of a folder that holds secrets alone, no file is an example of another.
  if (exampleEnding.test(file))
    return secretNameRules.some(({ pattern }) => pattern.test(`${folder.join('')}/`));
  const isBare = isWord && names.length === 1 && !file.includes('.');
  const rules = isBare ? secretNameRules.filter(({ ordinaryWords }) => !ordinaryWords) : secretNameRules;
  const candidates = new Set([file, original, original.replace(/^\.(?=\.)/, '')]);
  return [...candidates].some((name) => {
    const path = `${folder.join('')}/${name}`;
    return rules.some(({ pattern }) => pattern.test(path));
  });
}
