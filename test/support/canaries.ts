const SHIFTS = [0, 1, 2];
const encoded = (secret: string, shift: number) => Buffer.from(`${'.'.repeat(shift)}${secret}...`).toString('base64');

/** Texts that hold a secret: as it is, quoted twice, percent-encoded, and inside a base64 text. */
export function textsWith(secret: string): string[] {
  const quoted = JSON.stringify(JSON.stringify({ secret }));
  return [secret, encodeURIComponent(secret), quoted, ...SHIFTS.map((shift) => encoded(secret, shift))];
}

/** What is found in a text that holds the secret, in whatever form. */
export function tracesOf(secret: string): string[] {
  // In base64, the characters that depend on nothing but the secret.
  const inside = SHIFTS.map((shift) => encoded(secret, shift).slice(4, 4 * Math.floor((shift + secret.length) / 3)));
  return [secret, encodeURIComponent(secret), ...inside];
}
