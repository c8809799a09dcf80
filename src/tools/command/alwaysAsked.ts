const table = new Map<string, string>();
const list = (reason: string, names: string) => {
  for (const name of names.split(' ')) table.set(name, `${reason} (${name})`);
};

list(
  'it can send data elsewhere',
  'curl wget http https xh nc ncat netcat socat telnet ssh scp sftp ftp lftp tftp mosh rclone aria2c dig nslookup ' +
    'host drill ping ping6 traceroute tracepath mtr whois getent resolvectl openssl gnutls-cli nmap tcpdump gh glab hub aws ' +
    'gcloud gsutil az kubectl helm terraform pulumi ansible doctl heroku vercel netlify fly docker podman nerdctl ' +
    'skopeo mail mailx sendmail mutt swaks logger wall write gpg keybase ipfs rsync-ssl lynx w3m links elinks ab ' +
    'wrangler firebase gh-pages surge serverless sls sst cdk amplify eas railway supabase turso sentry-cli codecov ngrok lt ' +
    'localtunnel cloudflared semantic-release release-it np degit ' +
    'websocat grpcurl mysql psql redis-cli mongosh sqlcmd ldapsearch snmpget smbclient mount.nfs mount.cifs',
);
list('it acts as another user', 'sudo doas su pkexec runuser setpriv newgrp sg gosu su-exec machinectl run0');
list(
  'it changes the system or outlives this command',
  'nohup setsid disown daemonize systemd-run systemctl service crontab at batch screen tmux dtach abduco launchctl ' +
    'chown chgrp chmod chattr setfacl mount umount swapon insmod modprobe sysctl useradd usermod passwd chsh visudo reboot ' +
    'shutdown halt poweroff init kill pkill killall skill xkill ulimit chroot unshare nsenter bwrap firejail iptables ' +
    'nft ufw apt apt-get dpkg yum dnf rpm apk pacman zypper snap flatpak brew port ldconfig update-alternatives',
);
list('it makes other names for files', 'ln link');
list(
  'it can run anything',
  'eval source . exec trap xargs parallel watch entr script expect ssh-agent gdb lldb strace ltrace perf valgrind ' +
    'awk gawk mawk nawk ed ex vi vim nvim emacs nano view less more man info pager busybox toybox osascript tclsh wish ' +
    'm4 env-cmd dotenv flock setarch taskset chrt ionice nice stdbuf unbuffer rlwrap faketime ld.so enable hash alias ' +
    'builtin command let declare typeset readonly mapfile readarray read complete compgen bind shopt getopts coproc ' +
    'history fc',
);
list(
  'it writes files that the command does not name',
  'tar unzip 7z 7za 7zr unrar cpio ar patch pax gunzip split csplit install',
);

/** Programs that are asked about whatever their words are, each with the reason. */
export const alwaysAsked: ReadonlyMap<string, string> = table;

const names = (text: string) => new Set(text.split(' '));

/** Programs that run the rest of their words as a command. */
export const wrappers = names(
  'env time timeout gtimeout nice ionice nohup setsid stdbuf unbuffer xargs parallel command builtin exec sudo doas ' +
    'watch flock chronic npx pnpx bunx uvx pipx poetry pipenv mise direnv cross-env ' +
    'dotenv strace ltrace catchsegv faketime script busybox toybox chroot unshare',
);

/** Package managers that run the words behind this word as a command, also one of the system. */
export const wrappingSubcommands: ReadonlyMap<string, RegExp> = new Map([
  ...['npm', 'yarn', 'bundle'].map((name): [string, RegExp] => [name, /^(exec?|x)$/]),
  ...['uv', 'pdm', 'rye', 'conda', 'mamba'].map((name): [string, RegExp] => [name, /^run$/]),
  ['bun', /^(run|x)$/],
  // It takes a subcommand that it does not know for a command.
  ['pnpm', /^pnpm$/],
]);

/** Programs that read a script; with `-c`, or without a file, the script is in the command or comes from a pipe. */
export const shells = names(
  'sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell elvish nu xonsh',
);

/** Programs that run code given in their words, and the flags by which it is given. */
export const interpreters: ReadonlyMap<string, RegExp> = new Map([
  ...['node', 'nodejs', 'bun', 'tsx', 'ts-node'].map((name): [string, RegExp] => [
    name,
    /^(-[a-z]*[epri]|--(eval|print|interactive|require|import|loader|experimental-loader|inspect.*)(=.*)?)$/,
  ]),
  ['deno', /^(eval|repl|-A|--allow.*)$/],
  ...['python', 'python2', 'python3', 'pypy', 'pypy3'].map((name): [string, RegExp] => [
    name,
    /^-[a-zA-Z]*[cm]|^-[bBdEIOqsSuvx]*i/,
  ]),
  ...['perl', 'ruby'].map((name): [string, RegExp] => [name, /^-[a-zA-Z0-9]*[eErMIn]/]),
  ['php', /^-[rRBEFd]|^--(run|process.*)$/],
  ['lua', /^-[el]/],
  ['Rscript', /^-e$/],
  ['jshell', /./],
  ['sed', /./],
]);
