import { dirname } from 'node:path';

/** The variables that openshift-install, oc and the download of both get as they are. */
export const PASSED_ON = [
  'PATH',
  'HOME',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'RELEASE_KEY',
] as const;

/** The environment variables that the program and its generated scripts read. */
export const VARIABLES = [
  'LC_ALL',
  'LC_MESSAGES',
  'LC_CTYPE',
  'LANG',
  'TERM',
  'ACCESSIBLE',
  'TERM_PROGRAM',
  'NO_COLOR',
  'FORCE_COLOR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
  'SSH_CONNECTION',
  'SSH_TTY',
  'TMUX',
  'STY',
  'TMPDIR',
  ...PASSED_ON,
  'NODE_TLS_REJECT_UNAUTHORIZED',
  'NODE_COMPILE_CACHE',
] as const;

/** Lets a program of ours that we start find the code that Node has compiled for us; nothing where Node keeps none. */
export function compiledCode(): Record<string, string> {
  const dir = process.getBuiltinModule('node:module').getCompileCacheDir();
  // Node appends its version itself.
  return dir === undefined ? {} : { NODE_COMPILE_CACHE: dirname(dir) };
}

/**
 * The environment of a program that needs nothing of the person's: where programs, home and temporary files are, and messages in
 * English, because they are parsed. What else is in ours may be secret, and a process shows it for as long as it runs.
 */
export function plainEnvironment(): Record<string, string> {
  const { PATH = '/usr/bin:/bin', HOME = '/', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), LANG: 'C', LC_ALL: 'C' };
}
