/** screen takes at most this many characters in one string of its own; longer ones it drops. */
const SCREEN_PIECE = 700;

/**
 * What asks the terminal to take a text into its clipboard (OSC 52). Inside tmux and screen it is also wrapped for the terminal around
 * them: tmux takes the plain sequence where `set-clipboard` is on, and passes the wrapped one where `allow-passthrough` is.
 * A terminal that does not know it shows nothing.
 */
export function clipboardSequence(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const plain = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  if (env.TMUX) return `${plain}\u001bPtmux;${plain.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!env.STY) return plain;
  const pieces = plain.match(new RegExp(`[\\s\\S]{1,${SCREEN_PIECE}}`, 'g')) ?? [];
  return pieces.map((piece) => `\u001bP${piece}\u001b\\`).join('');
}
