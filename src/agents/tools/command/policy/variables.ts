import { ask } from '../../verdict.js';
import type { Verdict } from '../../verdict.js';

/** Names of variables that decide what the shell, the linker or a build runs or where they find it. */
const names = [
  // The shell and the system.
  'PATH|ENV|IFS|CDPATH|OLDPWD|PWD|HOME|SHELL|PS[0-4]|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|BASH_.*|EXECIGNORE|ZDOTDIR|INPUTRC',
  'POSIXLY_CORRECT|LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|TERMINFO|TERMCAP|XDG_.*',
  'EDITOR|VISUAL|BROWSER|.*PAGER|.*_COMMAND|.*_ASKPASS|LESSOPEN|LESSCLOSE|MANPATH|MAILCAPS?|DBUS_.*|OPENSSL_.*|SSL_.*',
  'TAR_OPTIONS|GREP_OPTIONS|RIPGREP_CONFIG_PATH|WGETRC|CURL_.*|GIT_.*|SSH_.*|GPG_.*|GNUPGHOME|DOCKER_.*|KUBECONFIG|AWS_.*',
  '(HTTPS?|ALL|FTP|NO)_PROXY|(https?|all|ftp|no)_proxy',
  // What bash reckons out when it is set, and a number can hold a command.
  'RANDOM|SRANDOM|OPTIND|HISTCMD',
  // Languages and their package managers.
  'NODE_(OPTIONS|PATH|REPL_.*|EXTRA_CA_CERTS)|(NPM|npm|YARN|PNPM|pnpm|BUN|DENO|COREPACK)_.*|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$|HASHSEED$|IOENCODING$|UTF8$).*',
  '(PIP|UV|POETRY|PDM|PIPENV|VIRTUALENV|CONDA|MAMBA)_.*|PYTEST_(ADDOPTS|PLUGINS)|PERL5?(LIB|OPT|DB)|PERL5DB_.*|RUBY(OPT|LIB|SHELL)',
  '(BUNDLE|GEM|RUBYGEMS|COMPOSER)_.*|RAKEOPT|PHPRC|PHP_INI_SCAN_DIR|LUA_(INIT|PATH|CPATH).*|R_(PROFILE|ENVIRON|HOME|LIBS).*|JULIA_.*|ERL_.*|ELIXIR_.*|MIX_(?!ENV$).*',
  '(JDK_JAVA_|_?JAVA_TOOL_|_?JAVA_|MAVEN_|MVN_|GRADLE_|ANT_|SBT_|KOTLIN_|SCALA_)(OPTS|OPTIONS|ARGS|HOME|USER_HOME)|CLASSPATH|JAVA_HOME',
  'DOTNET_STARTUP_HOOKS|DOTNET_ROOT.*|DOTNET_ADDITIONAL_DEPS|COR(ECLR)?_(PROFILER.*|ENABLE_PROFILING)|NUGET_.*|MSBUILD.*',
  'CARGO_(?!TERM_|INCREMENTAL$).*|RUST(C|C_.*|FLAGS|DOC|DOCFLAGS|UP_.*|FMT)|GO(FLAGS|PROXY|PRIVATE|NOPROXY|NOSUMDB|SUMDB|INSECURE|ROOT|PATH|BIN|ENV|TOOLCHAIN|VCS|AUTH)|CGO_.*FLAGS.*',
  '(HOST)?(CC|CXX|CPP|LD|AR|AS|FC)|(C|CXX|CPP|LD|F)FLAGS|.*_(LINKER|WRAPPER|LAUNCHER|RUNNER)|C(PLUS)?_?INCLUDE_PATH|LIBRARY_PATH|PKG_CONFIG.*|G?N?U?M(AKE)?FLAGS|MAKEFILES|CMAKE_.*|CTEST_.*|CCACHE_.*',
];

/** Variables by which programs are told what to run, where to find it, or with whom to speak. */
export const influentialVariables = new RegExp(`^(${names.join('|')})$`);

/** The name of the influential variable that a word like `NAME=value` sets for a program, if it sets one. */
export function influentialIn(word: string | undefined): string | undefined {
  const name = /^([A-Za-z_][\w%()]*)\+?=/.exec(word ?? '')?.[1];
  return name !== undefined && influentialVariables.test(name) ? name : undefined;
}

/** The verdict on a command that sets such a variable. */
export const changesVariable = (name: string): Verdict =>
  ask(`it changes ${name}, which steers what programs run`);
