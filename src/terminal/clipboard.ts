/** Maximum characters in one control string of GNU screen, which drops longer ones. */
const MAX_SCREEN_STRING = 700;

/**
 * The sequence that asks the terminal to copy a text into its clipboard (OSC 52). Inside tmux and screen it is also
 * wrapped for the terminal around them: tmux accepts the plain sequence if `set-clipboard` is on, and passes the
 * wrapped one if `allow-passthrough` is. A terminal that does not support it shows nothing.
 */
export function formatClipboardSequence(text: string, env: Readonly<Record<string, string | undefined>>): string {
  const plain = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  if (env.TMUX) return `${plain}\u001bPtmux;${plain.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!env.STY) return plain;
  const pieces = plain.match(new RegExp(`[\\s\\S]{1,${MAX_SCREEN_STRING}}`, 'g')) ?? [];
  return pieces.map((piece) => `\u001bP${piece}\u001b\\`).join('');
}
