import { PRIVATE_KEY } from './credentials.ts';

/** What a text is that belongs into a file of its own and not into an answer. */
export type PastedSecret = 'pull-secret' | 'ssh-key' | 'private-key';

/** A pull secret begins like this, whatever was lost of its end. */
const PULL_SECRET = /^[\s\ufeff]*\{\s*"auths?"\s*:/;
const PUBLIC_KEY = /^\s*(?:ssh-[a-z0-9]+|ecdsa-sha2-nistp\d{3}|sk-[a-z0-9@.-]+)\s+AAAA[A-Za-z0-9+/]{8}/;

/** Recognises a pull secret, or a key, that a person pasted; null for anything else. Says nothing of whether it is a good one. */
export function pastedSecretIn(text: string): PastedSecret | null {
  if (PRIVATE_KEY.test(text)) return 'private-key';
  if (PULL_SECRET.test(text)) return 'pull-secret';
  return PUBLIC_KEY.test(text) ? 'ssh-key' : null;
}

/** The text as a file holds it: a terminal may have broken a long line, and no line of a pull secret needs to be broken. */
export function wholePullSecret(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    return text.replace(/\s*\n\s*/g, '');
  }
}
