import { PRIVATE_KEY } from './credentials.ts';

/** The kind of secret in a pasted text. It belongs in a separate file, not in an answer. */
export type PastedSecret = 'pull-secret' | 'ssh-key' | 'private-key';

/** Matches the start of a pull secret, even when its end is cut off. */
const PULL_SECRET = /^[\s\ufeff]*\{\s*"auths?"\s*:/;
const PUBLIC_KEY = /^\s*(?:ssh-[a-z0-9]+|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]+)\s+AAAA[A-Za-z0-9+/]{8}/;

/** Detects a pasted pull secret or key; null for other text. Does not check that it is valid. */
export function detectPastedSecret(text: string): PastedSecret | null {
  if (PRIVATE_KEY.test(text)) return 'private-key';
  if (PULL_SECRET.test(text)) return 'pull-secret';
  return PUBLIC_KEY.test(text) ? 'ssh-key' : null;
}

/** Rejoins a pull secret that a terminal broke into lines. Valid JSON is returned unchanged. */
export function joinPullSecretLines(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return text.replace(/\s*\n\s*/g, '');
  }
}
