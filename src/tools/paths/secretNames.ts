const set = (...names: string[]): ReadonlySet<string> => new Set(names.join(' ').split(' '));

const folders = set('.ssh .gnupg .aws .azure .kube .docker .password-store .gcloud');

const files = set(
  '.env .netrc _netrc .authinfo .npmrc .pypirc .pgpass .my.cnf .mylogin.cnf .git-credentials .htpasswd .vault-token .vault_pass',
  '.vault-password .dockercfg .s3cfg .boto .databrickscfg .sentryclirc .clasprc.json .yarnrc.yml .envrc .dev.vars .flaskenv',
  'credentials credentials.json credentials.toml credentials.yml credentials.yaml .credentials.json credentials.tfrc.json',
  'client_secret.json kubeconfig terraform.tfstate local.settings.json auth.json wp-config.php master.key wallet.dat',
);

const filePatterns = [
  /^\.env[._-]/,
  /\.(pem|key|p12|pfx|p8|jks|keystore|kdbx?|ppk|asc|gpg|tfvars|ovpn|env|keytab|pkcs(8|12)|agekey|kubeconfig)$/,
  /(^id|[a-z0-9][_-])_?(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /^\.?secrets?\.[a-z]+$|^\.secrets?$/,
  /^\.(api[-_]?)?(tokens?|keys?|passwords?)$|^(api[-_]?(tokens?|keys?)|passwords?)\.(txt|json|ya?ml|csv)$/,
  /^(service[-_]?account|client_secret).*\.json$|-adminsdk-.*\.json$/,
  /tfstate(\.backup)?$|^\.[a-z_]+_history$/,
];

/** Whether a folder with this folded name usually contains keys or passwords. */
export const isSecretFolder = (name: string): boolean => folders.has(name);

/** Whether a file with this folded name may contain keys or passwords. */
export const isSecretFile = (name: string): boolean =>
  files.has(name) || filePatterns.some((pattern) => pattern.test(name));

/** Whether a file with this folded name is only an example of one with secrets. */
export const isExample = (name: string): boolean =>
  /^\.env\.(example|sample|template|dist|defaults)$/.test(name);
