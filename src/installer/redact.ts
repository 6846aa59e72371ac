const HIDDEN = '[hidden]';

// What openshift-install may print or log that must never leave here. The password of kubeadmin is four groups of five
// (pkg/asset/password of openshift/installer); quotes may be escaped once more when a value was quoted inside a message.
const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|$)/g, HIDDEN],
  [/\{\s*\\*"auths\\*"\s*:(?:[\s\S]*\}|[\s\S]*$)/g, HIDDEN],
  [/(pullSecret\\*["']?\s*[:=]\s*).+/gi, `$1${HIDDEN}`],
  [/(\\*"(?:auth|password|token|identitytoken)\\*"\s*:\s*\\*")[^"\\]*/gi, `$1${HIDDEN}`],
  [/(password:?\s*\\*["'])[^"'\\]+/gi, `$1${HIDDEN}`],
  [/\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b/g, HIDDEN],
  [/\bsha256~[\w-]+/g, HIDDEN],
  [/(\bBearer\s+)\S+/gi, `$1${HIDDEN}`],
  [/(:\/\/)[^\s/@]+@/g, `$1${HIDDEN}@`],
];

/** The text without passwords, pull secrets, private keys, tokens and credentials in URLs. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((safe, [pattern, replacement]) => safe.replace(pattern, replacement), text);
}
