import { allow, ask } from '../../verdict.js';
import type { Program, ProgramRows, WordRule, Words } from './program.js';

/** Programs that ask whatever their words are, each with the reason. */
const confirmed = (reason: string, names: string): ProgramRows =>
  names.split(' ').map((name) => [name, { confirm: `${reason} (${name})` }]);

const asks =
  (reason: string): WordRule =>
  () =>
    ask(reason);

/** Whether one of the words is a flag with this letter, or the long flag, however shortened. */
export function hasFlag(words: Words, letters: RegExp, long?: string): boolean {
  return words.some((word) => {
    if (word === undefined) return true;
    if (word.startsWith('--')) {
      const name = word.split('=')[0] ?? '';
      return long !== undefined && name.length > 2 && long.startsWith(name);
    }
    return word.startsWith('-') && letters.test(word);
  });
}

const rm: WordRule = (words) => {
  if (hasFlag(words, /[rR]/, '--recursive')) return ask('it deletes whole folders (rm -r)');
  return words.length > 10 || words.includes(undefined) ? ask('it deletes many files at once (rm)') : allow;
};

/** What can lose much at once. Asked about wherever in a command the program's name stands. */
const losing: ProgramRows = [
  ['rm', { loses: rm }],
  [
    'fd',
    {
      loses: (words) =>
        hasFlag(words, /[xX]/, '--exec-batch')
          ? ask('it runs a program for what it finds (fd --exec)')
          : allow,
    },
  ],
  ['rsync', { loses: asks('it writes or deletes files that the command does not name (rsync)') }],
  ['rimraf del-cli trash trash-put shred srm wipe unlink', { loses: asks('it deletes many files at once') }],
  ...'dd mkfs fdisk parted wipefs blkdiscard truncate fallocate'
    .split(' ')
    .map((name): [string, Program] => [name, { loses: asks(`it writes over what is there (${name})`) }]),
];

/** Flags by which interpreters are given code in their words. */
const codeFlags: readonly (readonly [string, RegExp])[] = [
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
];

/** Programs that start others, can run anything, send, lose much, or change more than files. */
export const confirmedPrograms: ProgramRows = [
  ...confirmed(
    'it can send data elsewhere',
    'curl wget http https xh nc ncat netcat socat telnet ssh scp sftp ftp lftp tftp mosh rclone aria2c dig nslookup ' +
      'host drill ping ping6 traceroute tracepath mtr whois getent resolvectl openssl gnutls-cli nmap tcpdump gh glab hub aws ' +
      'gcloud gsutil az kubectl helm terraform pulumi ansible doctl heroku vercel netlify fly docker podman nerdctl ' +
      'skopeo mail mailx sendmail mutt swaks logger wall write gpg keybase ipfs rsync-ssl lynx w3m links elinks ab ' +
      'wrangler firebase gh-pages surge serverless sls sst cdk amplify eas railway supabase turso sentry-cli codecov ngrok lt ' +
      'localtunnel cloudflared semantic-release release-it np degit ' +
      'websocat grpcurl mysql psql redis-cli mongosh sqlcmd ldapsearch snmpget smbclient mount.nfs mount.cifs',
  ),
  ...confirmed(
    'it acts as another user',
    'sudo doas su pkexec runuser setpriv newgrp sg gosu su-exec machinectl run0',
  ),
  ...confirmed(
    'it changes the system or outlives this command',
    'nohup setsid disown daemonize systemd-run systemctl service crontab at batch screen tmux dtach abduco launchctl ' +
      'chown chgrp chmod chattr setfacl mount umount swapon insmod modprobe sysctl useradd usermod passwd chsh visudo reboot ' +
      'shutdown halt poweroff init kill pkill killall skill xkill ulimit chroot unshare nsenter bwrap firejail iptables ' +
      'nft ufw apt apt-get dpkg yum dnf rpm apk pacman zypper snap flatpak brew port ldconfig update-alternatives',
  ),
  ...confirmed('it makes other names for files', 'ln link'),
  ...confirmed(
    'it can run anything',
    'eval source . exec trap xargs parallel watch entr script expect ssh-agent gdb lldb strace ltrace perf valgrind ' +
      'awk gawk mawk nawk ed ex vi vim nvim emacs nano view less more man info pager busybox toybox osascript tclsh wish ' +
      'm4 env-cmd dotenv flock setarch taskset chrt ionice nice stdbuf unbuffer rlwrap faketime ld.so enable hash alias ' +
      'builtin command let declare typeset readonly mapfile readarray read complete compgen bind shopt getopts coproc ' +
      'history fc',
  ),
  ...confirmed(
    'it writes files that the command does not name',
    'tar unzip 7z 7za 7zr unrar cpio ar patch pax gunzip split csplit install',
  ),
  ...losing,
  ...codeFlags.map(([name, code]): [string, Program] => [name, { code }]),
  ['sh bash dash zsh ksh mksh ash fish csh tcsh rbash pwsh powershell elvish nu xonsh', { shell: true }],
  [
    'env time timeout gtimeout nice ionice nohup setsid stdbuf unbuffer xargs parallel command builtin exec sudo doas ' +
      'watch flock chronic cross-env dotenv strace ltrace catchsegv faketime script busybox toybox chroot unshare',
    { wraps: 'all' },
  ],
  // These are looked for in the project first; what they fetch otherwise is found out there.
  ['npx pnpx', { wraps: 'all', startsOfProject: true }],
];
